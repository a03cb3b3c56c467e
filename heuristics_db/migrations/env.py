"""Alembic's environment: run the migrations on the connection that the opener holds, inside its transaction."""

from alembic import context

from heuristics_db._tables import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
context.run_migrations()

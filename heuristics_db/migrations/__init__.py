"""Schema migrations, applied by Alembic when a database is opened."""

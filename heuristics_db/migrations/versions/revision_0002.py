"""Chained hashes in the history, its head in a row of its own, indexes for large databases, and collecting retired documents.

Revision ID: 0002
"""

import hashlib
import json

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

GENESIS = "0" * 64
FIELDS = ("sequence", "at", "action", "version", "channel", "move", "previous", "by", "note", "detail")
COLLECTABLE = """
    NEW.document = '' AND NEW.id = OLD.id AND NEW.schema_version = OLD.schema_version
    AND NEW.note = OLD.note AND NEW.created_at = OLD.created_at
    AND EXISTS (SELECT 1 FROM events WHERE version = OLD.id AND action = 'collected')
    AND NOT EXISTS (SELECT 1 FROM events WHERE move IS NOT NULL AND (version = OLD.id OR previous = OLD.id))
"""


def upgrade() -> None:
    """Add the chain, fill it for the rows that are there, and let go only of documents that the history says were collected."""
    sqlite = op.get_bind().dialect.name == "sqlite"
    op.execute("DROP TRIGGER events_no_update" if sqlite else "DROP TRIGGER events_append_only ON events")
    op.add_column("events", sa.Column("hash", sa.String(64), nullable=False, server_default=""))
    op.create_table(
        "history_head",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("sequence", sa.Integer, nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
    )
    _chain_what_is_there()
    op.drop_index("ix_events_version", "events")
    op.create_index("ix_events_version", "events", ["version", "action", "sequence"])
    op.create_index("ix_events_action", "events", ["action", "sequence"])
    op.create_index("ix_events_channel", "events", ["channel", "sequence"])
    op.create_index("ix_events_previous", "events", ["previous"])
    _guard_sqlite() if sqlite else _guard_postgresql()


def _chain_what_is_there() -> None:
    connection, columns = op.get_bind(), ", ".join(f'"{name}"' for name in FIELDS)
    sequence, digest = 0, GENESIS
    fill = sa.text("UPDATE events SET hash = :hash WHERE sequence = :sequence")
    # the same bytes as heuristics_db._chain writes; a migration keeps its own copy, since what it did must not change
    for row in connection.execute(sa.text(f"SELECT {columns} FROM events ORDER BY sequence")).fetchall():  # noqa: S608
        plain = json.dumps([digest, *row], separators=(",", ":"), ensure_ascii=False)
        sequence, digest = row[0], hashlib.sha256(plain.encode()).hexdigest()
        connection.execute(fill, {"hash": digest, "sequence": sequence})
    head = sa.text("INSERT INTO history_head (id, sequence, hash) VALUES (1, :sequence, :hash)")
    connection.execute(head, {"sequence": sequence, "hash": digest})


def _guard_sqlite() -> None:
    op.execute("CREATE TRIGGER events_no_update BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events is append-only'); END")
    op.execute(
        "CREATE TRIGGER events_chained BEFORE INSERT ON events WHEN NEW.hash = '' "
        "BEGIN SELECT RAISE(ABORT, 'the database has a newer schema by now: start this program anew'); END"
    )
    op.execute("CREATE TRIGGER history_head_no_delete BEFORE DELETE ON history_head BEGIN SELECT RAISE(ABORT, 'history_head stays'); END")
    op.execute("DROP TRIGGER versions_no_update")
    op.execute(
        f"CREATE TRIGGER versions_no_update BEFORE UPDATE ON versions WHEN NOT ({COLLECTABLE}) "
        "BEGIN SELECT RAISE(ABORT, 'versions is append-only'); END"
    )


def _guard_postgresql() -> None:
    op.execute(
        "CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON events "
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
    )
    op.execute("ALTER TABLE events ALTER COLUMN hash DROP DEFAULT")  # whoever knows no hash can append nothing
    op.execute(
        "CREATE TRIGGER history_head_stays BEFORE DELETE OR TRUNCATE ON history_head FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
    )
    op.execute("DROP TRIGGER versions_append_only ON versions")
    op.execute(
        "CREATE TRIGGER versions_append_only BEFORE DELETE OR TRUNCATE ON versions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
    )
    op.execute(
        "CREATE FUNCTION collect_only() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN IF NOT ({COLLECTABLE}) THEN RAISE EXCEPTION 'versions is append-only'; END IF; RETURN NEW; END $$"
    )
    op.execute("CREATE TRIGGER versions_collect_only BEFORE UPDATE ON versions FOR EACH ROW EXECUTE FUNCTION collect_only()")

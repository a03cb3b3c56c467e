"""The first schema: versions, validations, and the append-only history; rows can't be changed or deleted.

Revision ID: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

TABLES = ("versions", "validations", "events")


def upgrade() -> None:
    """Create the three tables and the triggers that keep them append-only."""
    op.create_table(
        "versions",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("schema_version", sa.Integer, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
    )
    op.create_table(
        "validations",
        sa.Column("sequence", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(64), nullable=False, unique=True),
        sa.Column("version", sa.String(64), sa.ForeignKey("versions.id"), nullable=False),
        sa.Column("suite_hash", sa.Text, nullable=False),
        sa.Column("summary", sa.Text, nullable=False),
        sa.Column("imported", sa.Integer, nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
    )
    op.create_index("ix_validations_version", "validations", ["version"])
    op.create_table(
        "events",
        sa.Column("sequence", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("at", sa.String(32), nullable=False),
        sa.Column("action", sa.String(16), nullable=False),
        sa.Column("version", sa.String(64), sa.ForeignKey("versions.id"), nullable=False),
        sa.Column("channel", sa.String(32)),
        sa.Column("move", sa.Integer),
        sa.Column("previous", sa.String(64)),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
        sa.UniqueConstraint("channel", "move", name="one_move_at_a_time"),
    )
    op.create_index("ix_events_version", "events", ["version"])
    if op.get_bind().dialect.name == "sqlite":
        for table in TABLES:
            for change in ("UPDATE", "DELETE"):
                op.execute(
                    f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
                    f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
                )
    else:
        op.execute(
            "CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$"
        )
        for table in TABLES:
            op.execute(
                f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
                "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
            )

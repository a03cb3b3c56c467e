"""The tables, as the newest migration leaves them.

Rows are only ever inserted, and triggers refuse anything else, but for two: the history's head moves on with each row, and the document of
a version that the history says was collected is emptied.
"""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Index, Integer, MetaData, String, Table, Text, UniqueConstraint

METADATA = MetaData()

VERSIONS = Table(
    "versions",
    METADATA,
    Column("id", String(64), primary_key=True),
    Column("schema_version", Integer, nullable=False),
    Column("document", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("created_at", String(32), nullable=False),
)

VALIDATIONS = Table(
    "validations",
    METADATA,
    Column("sequence", Integer, primary_key=True, autoincrement=True),
    Column("id", String(64), nullable=False, unique=True),
    Column("version", String(64), ForeignKey("versions.id"), nullable=False, index=True),
    Column("suite_hash", Text, nullable=False),
    Column("summary", Text, nullable=False),
    Column("imported", Integer, nullable=False),
    Column("created_at", String(32), nullable=False),
)

EVENTS = Table(
    "events",
    METADATA,
    Column("sequence", Integer, primary_key=True, autoincrement=True),
    Column("at", String(32), nullable=False),
    Column("action", String(16), nullable=False),
    Column("version", String(64), ForeignKey("versions.id"), nullable=False),
    Column("channel", String(32)),
    # Numbers the moves of one channel; the unique pair is what lets one of two simultaneous promotions win.
    Column("move", Integer),
    Column("previous", String(64)),
    Column("by", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Column("hash", String(64), nullable=False),
    UniqueConstraint("channel", "move", name="one_move_at_a_time"),
    Index("ix_events_version", "version", "action", "sequence"),
    Index("ix_events_action", "action", "sequence"),
    Index("ix_events_channel", "channel", "sequence"),
    Index("ix_events_previous", "previous"),
)
"""Additions, validations, refusals, channel moves and retirements, each chained to the row before by its ``hash``.

``move`` is set only where a channel's pointer moved.
"""

HEAD_OF_HISTORY = Table(
    "history_head",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("sequence", Integer, nullable=False),
    Column("hash", String(64), nullable=False),
)
"""One row: the number and the hash of the history's last row, so that a row missing at the end is missed, too."""

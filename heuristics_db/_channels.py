"""Where the channels point, worked out from the history."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, select

from heuristics_db._tables import EVENTS

CHANNELS = ("staging", "production")
"""The channels there are."""


class Head(NamedTuple):
    """The version that a channel points at (``None``: nothing yet), and the number of its last move (0: never moved)."""

    version: str | None
    move: int


def channel_head(connection: Connection, channel: str) -> Head:
    """Return where ``channel`` points now."""
    query = (
        select(EVENTS.c.version, EVENTS.c.move)
        .where(EVENTS.c.channel == channel, EVENTS.c.move.is_not(None))
        .order_by(EVENTS.c.move.desc())
        .limit(1)
    )
    row = connection.execute(query).first()
    return Head(None, 0) if row is None else Head(row.version, row.move)


def channels(connection: Connection) -> dict[str, str]:
    """Return the version of each channel that was ever moved."""
    moves = select(EVENTS.c.channel, EVENTS.c.version).where(EVENTS.c.move.is_not(None)).order_by(EVENTS.c.move)
    return {row.channel: row.version for row in connection.execute(moves)}


def channel_stack(connection: Connection, channel: str) -> list[str]:
    """Return the promotions of ``channel`` that stand, oldest first: one that was rolled back no longer counts."""
    moves = select(EVENTS.c.action, EVENTS.c.version).where(EVENTS.c.channel == channel, EVENTS.c.move.is_not(None)).order_by(EVENTS.c.move)
    stack: list[str] = []
    for row in connection.execute(moves):
        if row.action == "rolled_back":
            # what stood above the version gone back to, retired ones in between included, is gone
            stack = stack[: _last(stack[:-1], row.version) + 1]
        else:
            stack.append(row.version)
    return stack


def _last(stack: list[str], version: str) -> int:
    return max(position for position, each in enumerate(stack) if each == version)


def retired(connection: Connection) -> frozenset[str]:
    """Return the ids of the retired versions."""
    return frozenset(connection.execute(select(EVENTS.c.version).where(EVENTS.c.action == "retired")).scalars())

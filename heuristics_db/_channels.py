"""Where the channels point, worked out from the history."""

from __future__ import annotations

import re
from typing import NamedTuple

from sqlalchemy import Connection, select, text

from heuristics_db._errors import HeuristicsError
from heuristics_db._tables import EVENTS

CHANNELS = ("staging", "production")
"""The channels that there always are. Any other comes to be by its first promotion."""

NOTHING = "nothing"
"""Given as ``expected``: the channel must not point at any version yet."""

_NAME = re.compile(r"[a-z][a-z0-9_.-]{0,31}")
_LIKE_A_VERSION = re.compile(r"[0-9a-f]{4,64}")

# one step in the index for each channel, however many moves they have
_MOVED = text(
    "WITH RECURSIVE names(channel) AS (SELECT MIN(channel) FROM events UNION ALL "
    "SELECT (SELECT MIN(channel) FROM events WHERE channel > names.channel) FROM names WHERE names.channel IS NOT NULL) "
    "SELECT channel FROM names WHERE channel IS NOT NULL"
)


class Head(NamedTuple):
    """The version that a channel points at (``None``: nothing yet), and the number of its last move (0: never moved)."""

    version: str | None
    move: int


def check_channel(channel: str) -> str:
    """Return ``channel`` when a channel may be called so.

    Raises:
        HeuristicsError: it may not.

    """
    if channel == NOTHING or not _NAME.fullmatch(channel) or _LIKE_A_VERSION.fullmatch(channel):
        raise HeuristicsError(
            f"no channel can be called {channel!r}: write at most 32 small letters, digits, dots, - and _, a letter first, and nothing "
            "that could be the digits of a version"
        )
    return channel


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
    """Return the version of each channel that was ever moved: staging and production first, others by name."""
    found = connection.execute(_MOVED).scalars().all()
    names = (*CHANNELS, *sorted(set(found) - set(CHANNELS)))
    heads = {name: channel_head(connection, name).version for name in names}
    return {name: version for name, version in heads.items() if version is not None}


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


def is_retired(connection: Connection, version: str) -> bool:
    """Say whether a version was withdrawn."""
    query = select(EVENTS.c.sequence).where(EVENTS.c.version == version, EVENTS.c.action == "retired").limit(1)
    return connection.execute(query).first() is not None


def retired(connection: Connection) -> frozenset[str]:
    """Return the ids of the retired versions."""
    return frozenset(connection.execute(select(EVENTS.c.version).where(EVENTS.c.action == "retired")).scalars())

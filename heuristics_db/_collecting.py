"""Collecting retired versions: their documents go, their history stays."""

from __future__ import annotations

from sqlalchemy import Connection, or_, select

from heuristics_db._history import append
from heuristics_db._tables import EVENTS, VERSIONS


def collectable(connection: Connection) -> list[str]:
    """Return the retired versions that no move of any channel, past or present, points at, oldest first."""
    retired = select(EVENTS.c.version).where(EVENTS.c.action == "retired")
    moves = EVENTS.alias("moves")
    at = or_(moves.c.version == VERSIONS.c.id, moves.c.previous == VERSIONS.c.id)
    pointed = select(moves.c.sequence).where(moves.c.move.is_not(None), at)
    query = (
        select(VERSIONS.c.id)
        .where(VERSIONS.c.id.in_(retired), VERSIONS.c.document != "", ~pointed.exists())
        .order_by(VERSIONS.c.created_at, VERSIONS.c.id)
    )
    return list(connection.execute(query).scalars())


def collect(connection: Connection, *, by: str, note: str) -> list[str]:
    """Empty the documents of the collectable versions, each a row of the history, and return their ids."""
    found = collectable(connection)
    for version in found:
        # the history first: only what it calls collected may be emptied
        append(connection, "collected", version, by=by, note=note)
        connection.execute(VERSIONS.update().where(VERSIONS.c.id == version).values(document=""))
    return found

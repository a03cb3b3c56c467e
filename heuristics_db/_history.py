"""Reading and appending the history."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, select

from heuristics_db._chain import extend
from heuristics_db._errors import HeuristicsError
from heuristics_db._records import Action, HistoryEntry
from heuristics_db._tables import EVENTS


def now() -> str:
    """Return the present moment as the database keeps it: UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def plain(text: str, what: str) -> str:
    """Return ``text`` when it can be kept and shown: no control characters (PostgreSQL refuses NUL, terminals obey the others).

    Raises:
        HeuristicsError: it has some.

    """
    if any(not character.isprintable() and character not in "\n\t" for character in text):
        raise HeuristicsError(f"the {what} has control characters in it: write plain text")
    return text


def append(
    connection: Connection,
    action: Action,
    version: str,
    *,
    channel: str | None = None,
    move: int | None = None,
    previous: str | None = None,
    by: str = "",
    note: str = "",
    detail: Mapping[str, Any] | None = None,
    at: str | None = None,
) -> int:
    """Append one row and return its number.

    ``move`` numbers the moves of a channel's pointer and is left out for anything else; ``at`` is now, unless given.
    """
    row = {
        "at": now() if at is None else at,
        "action": action,
        "version": version,
        "channel": channel,
        "move": move,
        "previous": previous,
        "by": plain(by, "name"),
        "note": plain(note, "note"),
        "detail": json.dumps(detail or {}, sort_keys=True),
    }
    return extend(connection, row)


def history_entries(connection: Connection, only: ColumnElement[bool] | None = None, *, limit: int | None = None) -> list[HistoryEntry]:
    """Return the history, or those rows of it that fulfil ``only``, oldest first; of more than ``limit``, the newest."""
    query = select(EVENTS).order_by(EVENTS.c.sequence.desc()).limit(limit)
    if only is not None:
        query = query.where(only)
    return [_entry(row) for row in connection.execute(query)][::-1]


def _entry(row: Row[Any]) -> HistoryEntry:
    return HistoryEntry(
        sequence=row.sequence,
        at=row.at,
        action=row.action,
        version=row.version,
        channel=row.channel,
        previous=row.previous,
        by=row.by,
        note=row.note,
        detail=json.loads(row.detail),
        hash=row.hash,
    )

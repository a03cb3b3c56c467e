"""Does the database still hold what was written? The history's chain, and every row that the history speaks of."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, select, text

from heuristics_db._canonical import hash_of
from heuristics_db._chain import chain_faults, head
from heuristics_db._records import HistoryAudit
from heuristics_db._tables import EVENTS, VALIDATIONS, VERSIONS

LONGEST = 3
"""Faults of the file itself that are told; SQLite can find hundreds."""


def audit(connection: Connection, *, known_head: str | None = None) -> HistoryAudit:
    """Check the history, and versions and validations against it; what documents say is not looked at.

    ``known_head`` is the hash of a row that was noted elsewhere: a history that was written anew from there on no longer has it.
    """
    broken = _broken_file(connection)
    if broken:  # what can't be read can't be compared
        return HistoryAudit(rows=0, head="", faults=tuple(broken))
    faults = [*chain_faults(connection), *_versions(connection), *_validations(connection)]
    if known_head is not None and not _has(connection, known_head):
        faults.append(f"history: no row has the hash {known_head[:12]}: it was written anew, or this is another database")
    rows = int(connection.execute(select(func.count()).select_from(EVENTS)).scalar_one())
    return HistoryAudit(rows=rows, head=head(connection).hash, faults=tuple(faults))


def _broken_file(connection: Connection) -> list[str]:
    if connection.dialect.name != "sqlite":
        return []
    found = connection.execute(text(f"PRAGMA integrity_check({LONGEST})")).scalars().all()
    return [] if list(found) == ["ok"] else [f"the file: {each}" for each in found]


def _has(connection: Connection, digest: str) -> bool:
    return connection.execute(select(EVENTS.c.sequence).where(EVENTS.c.hash == digest).limit(1)).first() is not None


def _versions(connection: Connection) -> Iterator[str]:
    """Yield where the versions are not those of the history."""
    added = {each.version: each for each in _rows(connection, "added", "imported")}
    collected = {each.version for each in _rows(connection, "collected")}
    columns = (VERSIONS.c.id, VERSIONS.c.note, VERSIONS.c.created_at, func.length(VERSIONS.c.document).label("length"))
    there = {each.id: each for each in connection.execute(select(*columns))}
    for version in added.keys() - there.keys():
        yield f"version {version[:12]} is missing: the history says that it was {added[version].action}"
    for version, row in there.items():
        event = added.get(version)
        if event is None:
            yield f"version {version[:12]} is not in the history: nobody added it"
        elif row.note != event.note or _apart(row.created_at, event.at):
            yield f"version {version[:12]}: its note or date was altered"
        if not row.length and version not in collected:
            yield f"version {version[:12]}: its document is missing, and the history does not say that it was collected"


def _validations(connection: Connection) -> Iterator[str]:
    """Yield where the validations are not those of the history, or no longer what was written."""
    recorded = {json.loads(each.detail)["validation"]: each for each in _rows(connection, "validated")}
    there = {each.id: each for each in connection.execute(select(VALIDATIONS))}
    for record in recorded.keys() - there.keys():
        yield f"validation {record[:12]} of version {recorded[record].version[:12]} is missing"
    for record, row in there.items():
        event = recorded.get(record)
        if event is None:
            yield f"validation {record[:12]} is not in the history: nobody recorded it"
        elif hash_of(row.summary) != record or not _same(row, event):
            yield f"validation {record[:12]} of version {event.version[:12]} was altered"


def _same(row: Row[Any], event: Row[Any]) -> bool:
    plain = json.loads(row.summary)
    as_written = row.version == event.version == plain["version"] and row.suite_hash == plain["suite_hash"]
    return as_written and bool(row.imported) == json.loads(event.detail)["imported"] and not _apart(row.created_at, event.at)


def _rows(connection: Connection, *actions: str) -> Sequence[Row[Any]]:
    return connection.execute(select(EVENTS).where(EVENTS.c.action.in_(actions)).order_by(EVENTS.c.sequence)).all()


def _apart(moment: str, other: str) -> bool:
    """Say whether two moments are more than a second apart; the first schema wrote a row and its history one after the other."""
    try:
        return abs((datetime.fromisoformat(moment) - datetime.fromisoformat(other)).total_seconds()) > 1
    except ValueError:
        return True

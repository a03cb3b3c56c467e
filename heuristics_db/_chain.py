"""The history's chain: each row's hash covers the row and the hash of the row before, so that none can change or go unnoticed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, select

from heuristics_db._tables import EVENTS, HEAD_OF_HISTORY

GENESIS = "0" * 64
"""What stands before the first row."""

FIELDS = ("sequence", "at", "action", "version", "channel", "move", "previous", "by", "note", "detail")
"""What a row's hash covers, in this order, after the hash of the row before."""


class Link(NamedTuple):
    """The number and the hash of a row of the history."""

    sequence: int
    hash: str


def link(before: str, row: Row[Any] | dict[str, Any]) -> str:
    """Return the hash of ``row``, the row before having the hash ``before``."""
    values = [row[name] if isinstance(row, dict) else getattr(row, name) for name in FIELDS]
    return hashlib.sha256(json.dumps([before, *values], separators=(",", ":"), ensure_ascii=False).encode()).hexdigest()


def head(connection: Connection) -> Link:
    """Return the last row of the history, as the head remembers it."""
    row = connection.execute(select(HEAD_OF_HISTORY.c.sequence, HEAD_OF_HISTORY.c.hash)).first()
    return Link(0, GENESIS) if row is None else Link(row.sequence, row.hash)


def extend(connection: Connection, values: dict[str, Any]) -> int:
    """Append the row ``values`` (all of `FIELDS` but its number) to the history, and return its number.

    Within a write transaction, where nobody else appends: the next number and the hash before are the head's.
    """
    last = head(connection)
    row = {**values, "sequence": last.sequence + 1}
    row["hash"] = link(last.hash, row)
    connection.execute(EVENTS.insert().values(row))
    connection.execute(HEAD_OF_HISTORY.update().values(sequence=row["sequence"], hash=row["hash"]))
    return int(row["sequence"])


def chain_faults(connection: Connection) -> Iterator[str]:
    """Yield what is wrong with the chain, one line a fault: rows that were changed, rows that are missing, a head that is not the last."""
    before = Link(0, GENESIS)
    for row in connection.execute(select(EVENTS).order_by(EVENTS.c.sequence)):
        found = link(before.hash, row)
        if found != row.hash:
            # a row after a gap is linked to one that is gone: say the cause, not the consequence
            gap = row.sequence > before.sequence + 1
            what = f"rows {before.sequence + 1} to {row.sequence - 1} before it are missing" if gap else "it or the row before was altered"
            yield f"history, row {row.sequence}: {what}"
        before = Link(row.sequence, row.hash)
    last = head(connection)
    if last != before:
        at_end = last.sequence > before.sequence
        missing = f"rows {before.sequence + 1} to {last.sequence} are missing at its end" if at_end else "its head is not its last row"
        yield f"history: {missing}"

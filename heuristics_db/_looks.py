"""Looks at held-out results: each run of a validation counts, from its start on, whether or not it came to an end."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection, select

from heuristics_db._errors import HeuristicsError
from heuristics_db._history import append
from heuristics_db._summary import ValidationSummary
from heuristics_db._tables import EVENTS, VALIDATIONS


def begin_look(connection: Connection, version: str, *, suite: str, suite_hash: str, fingerprints: Collection[str], by: str) -> int:
    """Append that somebody begins to look at the held-out datasets with these fingerprints; return the look's number."""
    if not fingerprints:
        raise HeuristicsError("a look needs the fingerprints of the held-out datasets that are looked at")
    detail = {"suite": suite, "suite_hash": suite_hash, "fingerprints": sorted(fingerprints)}
    return append(connection, "looked", version, by=by, detail=detail)


def check_look(connection: Connection, look: int, summary: ValidationSummary) -> None:
    """Raise unless ``look`` is the one that ``summary`` came from.

    Raises:
        HeuristicsError: there is no such look, it was of another version, suite or dataset, or another validation has it.

    """
    row = connection.execute(
        select(EVENTS.c.version, EVENTS.c.detail).where(EVENTS.c.sequence == look, EVENTS.c.action == "looked")
    ).first()
    if row is None:
        raise HeuristicsError(f"there is no look number {look} in the history")
    detail = json.loads(row.detail)
    foreign = {each.fingerprint for each in summary.datasets} - set(detail["fingerprints"])
    if row.version != summary.version or detail["suite_hash"] != summary.suite_hash or foreign:
        raise HeuristicsError(f"look number {look} was of another version, suite or dataset than the validation")
    if any(each.get("look") == look for each in _validated(connection)):
        raise HeuristicsError(f"look number {look} has its validation already")


def count_looks(connection: Connection, fingerprints: Collection[str]) -> int:
    """Return how often anybody looked at any of these datasets: looks begun here, and validations that came without one."""
    wanted = frozenset(fingerprints)
    begun = select(EVENTS.c.detail).where(EVENTS.c.action == "looked")
    here = sum(not wanted.isdisjoint(json.loads(detail)["fingerprints"]) for detail in connection.execute(begun).scalars())
    alone = {each["validation"] for each in _validated(connection) if each.get("look") is None}
    summaries = select(VALIDATIONS.c.id, VALIDATIONS.c.summary)
    elsewhere = sum(
        any(dataset["fingerprint"] in wanted for dataset in json.loads(row.summary)["datasets"])
        for row in connection.execute(summaries)
        if row.id in alone
    )
    return here + elsewhere


def _validated(connection: Connection) -> list[dict[str, Any]]:
    return [json.loads(detail) for detail in connection.execute(select(EVENTS.c.detail).where(EVENTS.c.action == "validated")).scalars()]

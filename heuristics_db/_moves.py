"""Moving a channel's pointer, and retiring a version: each within one write transaction, appended to the history."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from heuristics_db._channels import NOTHING, Head, channel_head, channel_stack, channels, is_retired, retired
from heuristics_db._errors import ConflictError, HeuristicsError
from heuristics_db._gate import GateVerdict
from heuristics_db._history import append, plain
from heuristics_db._policy import GateRules
from heuristics_db._queries import resolve


def expect(connection: Connection, channel: str, head: Head, expected: str | None) -> None:
    """Raise when ``channel`` does not point where its mover last saw it; ``None`` expects nothing in particular.

    Raises:
        ConflictError: it points elsewhere.

    """
    if expected is None:
        return
    wanted = None if expected == NOTHING else resolve(connection, expected)
    if head.version != wanted:
        raise _moved(channel, head)


def promote(
    connection: Connection, verdict: GateVerdict, rules: GateRules, seen: Head, *, by: str, note: str, override: str | None = None
) -> None:
    """Write what came of asking the gate: the channel moved on, or the refusal.

    ``seen`` is the channel's head when the gate was asked. With an ``override`` (the reason for it) a refused version is promoted all the
    same, and the history says so.

    Raises:
        ConflictError: the channel moved, or the version was retired, since then.

    """
    version, channel = verdict.version, rules.channel
    detail: dict[str, Any] = {"verdict": verdict.model_dump(mode="json"), "rules": rules.model_dump(mode="json")}
    if not verdict.passed:
        if override is None:
            append(connection, "refused", version, channel=channel, by=by, note=note, detail=detail)
            return
        detail["overridden"] = plain(override, "reason")
    head = channel_head(connection, channel)
    if head != seen:
        raise _moved(channel, head)
    if is_retired(connection, version):
        raise ConflictError(f"version {version[:12]} was retired by somebody else in the meantime: nothing was promoted")
    move = head.move + 1
    append(connection, "promoted", version, channel=channel, move=move, previous=head.version, by=by, note=note, detail=detail)


def earlier_versions(connection: Connection, channel: str, steps: int) -> list[str]:
    """Return the versions that a rollback of ``channel`` by so many ``steps`` passes, the one it ends at last; retired ones are no step.

    Raises:
        HeuristicsError: there are not as many.

    """
    if steps < 1:
        raise HeuristicsError(f"a rollback goes 1 step at least, not {steps}")
    gone, stack = retired(connection), channel_stack(connection, channel)
    passed: list[str] = []
    for each in reversed(stack):
        if not passed or (each not in gone and each != passed[-1]):
            passed.append(each)
    earlier = passed[1:]
    if not earlier:
        raise HeuristicsError(f"{channel} has no earlier version to go back to: promote one (lode db promote)")
    if len(earlier) < steps:
        raise HeuristicsError(f"{channel} has {len(earlier)} earlier versions to go back to, not {steps}: nothing was changed")
    return earlier[:steps]


def roll_back(connection: Connection, channel: str, steps: int, *, by: str, note: str) -> str:
    """Point ``channel`` at an earlier version, step by step, each a row of the history; return the version it then points at."""
    for version in earlier_versions(connection, channel, steps):
        head = channel_head(connection, channel)
        append(connection, "rolled_back", version, channel=channel, move=head.move + 1, previous=head.version, by=by, note=note)
    return version


def retire(connection: Connection, version: str, *, by: str, note: str) -> None:
    """Withdraw a version for good; a second time changes nothing.

    Raises:
        HeuristicsError: a channel points at it.

    """
    holding = [name for name, held in channels(connection).items() if held == version]
    if holding:
        raise HeuristicsError(f"{holding[0]} points at version {version[:12]}: promote another or roll back before retiring it")
    if not is_retired(connection, version):
        append(connection, "retired", version, by=by, note=note)


def _moved(channel: str, head: Head) -> ConflictError:
    now = f"points at {head.version[:12]} now" if head.version else "points at nothing now"
    return ConflictError(f"somebody else moved {channel} first, it {now}: look again (lode db list) and repeat")

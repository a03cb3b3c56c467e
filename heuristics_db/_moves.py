"""Moving a channel's pointer, and retiring a version: each within one write transaction, appended to the history."""

from __future__ import annotations

from sqlalchemy import Connection

from heuristics_db._channels import Head, channel_head, channel_stack, channels, retired
from heuristics_db._errors import ConflictError, HeuristicsError
from heuristics_db._gate import GateRules, GateVerdict
from heuristics_db._history import append
from heuristics_db._queries import resolve

NOTHING = "nothing"
"""Given as ``expected``: the channel must not point at any version yet."""


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


def promote(connection: Connection, verdict: GateVerdict, rules: GateRules, seen: Head, *, by: str, note: str) -> None:
    """Write what came of asking the gate: the channel moved on, or the refusal.

    ``seen`` is the channel's head when the gate was asked.

    Raises:
        ConflictError: the channel moved, or the version was retired, since then.

    """
    version, channel = verdict.version, rules.channel
    detail = {"verdict": verdict.model_dump(mode="json"), "rules": rules.model_dump(mode="json")}
    if not verdict.passed:
        append(connection, "refused", version, channel=channel, by=by, note=note, detail=detail)
        return
    head = channel_head(connection, channel)
    if head != seen:
        raise _moved(channel, head)
    if version in retired(connection):
        raise ConflictError(f"version {version[:12]} was retired by somebody else in the meantime: nothing was promoted")
    move = head.move + 1
    append(connection, "promoted", version, channel=channel, move=move, previous=head.version, by=by, note=note, detail=detail)


def earlier_version(connection: Connection, channel: str) -> str:
    """Return the version that a rollback of ``channel`` goes to: the one before, past retired ones.

    Raises:
        HeuristicsError: there is none.

    """
    head, gone = channel_head(connection, channel), retired(connection)
    earlier = [each for each in channel_stack(connection, channel)[:-1] if each not in gone and each != head.version]
    if not earlier:
        raise HeuristicsError(f"{channel} has no earlier version to go back to: promote one (lode db promote)")
    return earlier[-1]


def roll_back(connection: Connection, channel: str, *, by: str, note: str) -> str:
    """Point ``channel`` at its earlier version, and return it."""
    version, head = earlier_version(connection, channel), channel_head(connection, channel)
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
    if version not in retired(connection):
        append(connection, "retired", version, by=by, note=note)


def _moved(channel: str, head: Head) -> ConflictError:
    now = f"points at {head.version[:12]} now" if head.version else "points at nothing now"
    return ConflictError(f"somebody else moved {channel} first, it {now}: look again (lode db list) and repeat")

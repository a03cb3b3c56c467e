"""What a reader of trials gives, and how much of somebody else's file is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from experiments._errors import ExperimentError
from mining import TrialRecord

MOST_BYTES = 2**30
MOST_ROWS = 250_000
LONGEST_ROW = 2**22
"""Bytes of one trial; a thousand epochs take about 100,000."""
_LONGEST_REASON = 300


@dataclass(frozen=True)
class Row:
    """One row of a file, from 1 on: the trial that it holds, or the ``reason`` why it holds none."""

    number: int
    record: TrialRecord | None
    reason: str = ""


Reader = Callable[[Path], Iterator[Row]]
"""Reads a file of trials row by row. Raises :class:`experiments.ExperimentError`, one line, for a file that cannot be read to its end."""


class RowError(Exception):
    """A row that is not taken; the message is the reason."""


def check_size(path: Path) -> None:
    """Raise :class:`ExperimentError` for a file of more bytes than are read."""
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise ExperimentError(f"{path}: {size:,} bytes, and at most {MOST_BYTES:,} are read; export fewer sweeps at a time (--sweep)")


def check_rows(path: Path, rows: int) -> None:
    """Raise :class:`ExperimentError` for a file of more rows than are read."""
    if rows > MOST_ROWS:
        raise ExperimentError(f"{path}: more than {MOST_ROWS:,} trials; export fewer sweeps at a time (--sweep)")


def fault(error: ValidationError) -> str:
    """Say in one line what is wrong with a row."""
    faults = error.errors(include_url=False, include_input=False, include_context=False)
    place = ".".join(str(part) for part in faults[0]["loc"])
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return shown(f"{place}: {faults[0]['msg']}{more}" if place else f"{faults[0]['msg']}{more}")


def shown(text: str) -> str:
    """Return what stands in somebody else's file as it may stand in a line."""
    plain = "".join(each if each.isprintable() else "�" for each in text)
    return plain if len(plain) <= _LONGEST_REASON else f"{plain[:_LONGEST_REASON]}…"

"""Reads trials from JSON lines, as ``lode trials export X.jsonl`` writes them: one record a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from pydantic import ValidationError

from experiments.importing import _rows
from experiments.importing._rows import Row, check_rows, fault
from mining import TrialRecord


def read_lines(path: Path) -> Iterator[Row]:
    """Yield the trials of ``path``; a row's number is its line's. Empty lines are no rows.

    Raises :class:`experiments.ExperimentError` for more lines than are read.
    """
    with path.open("rb") as file:
        number = 0
        while line := file.readline(_rows.LONGEST_ROW + 1):
            number += 1
            check_rows(path, number)
            if len(line) > _rows.LONGEST_ROW:
                _skip(file, line)
                yield Row(number, None, f"longer than {_rows.LONGEST_ROW:,} bytes")
            elif line.strip():
                yield _row(number, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line)


def _skip(file: BinaryIO, line: bytes) -> None:
    while line and not line.endswith(b"\n"):
        line = file.readline(_rows.LONGEST_ROW + 1)


def _row(number: int, line: bytes) -> Row:
    try:
        return Row(number, TrialRecord.model_validate_json(line))
    except ValidationError as error:
        return Row(number, None, fault(error))

"""Numbers as people write them in delimited text: decimal commas, thousands, marks for missing ones, identities too long for a double."""

from __future__ import annotations

import io
import re

import numpy as np
import pandas as pd

MARKS = frozenset({"?", "-", "--", ".", "*", "—", "–", "n.a.", "N.A.", "na"})
_EXACT = 2.0**53
_WHOLE = re.compile(r"[+-]?\d+")
_PLAIN = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_DECIMAL_COMMA = re.compile(r"[+-]?(?:(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?|,\d+)(?:[eE][+-]?\d+)?")
_THOUSANDS = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


def read_numerals(frame: pd.DataFrame, header: list[str], delimiter: str, text: str, notes: list[str]) -> None:
    """Turn columns of ``frame`` whose every cell is a number, however written, into numbers; ``notes`` gains what was changed.

    Columns that pandas read as doubles though they are whole numbers beyond 2^53 with gaps are read from ``text`` again, as text.
    """
    for position, name in enumerate(frame.columns):
        column = frame[name]
        if pd.api.types.is_float_dtype(column) and column.isna().any() and (column.abs() >= _EXACT).any():
            _keep_identities(frame, position, delimiter, text, header, notes)
        if pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column) or not column.notna().any():
            continue
        cells = column.dropna()
        if not all(isinstance(cell, str) for cell in cells.iloc[:1]):
            continue
        found = _numbers(cells.astype(str).str.strip(), delimiter)
        if found is not None:
            values, said = found
            frame[name] = values.reindex(column.index)
            notes.append(f"column {header[position]!r} {said}")


def _numbers(cells: pd.Series, delimiter: str) -> tuple[pd.Series, str] | None:
    """Return the cells as numbers, and what was done to them; ``None`` when some are none, or no more than pandas sees for itself."""
    marked = cells.isin(MARKS)
    written = cells[~marked]
    if written.empty:
        return None
    marks = ", ".join(map(repr, sorted(set(cells[marked]))))
    missing = f"has {marks} among its numbers, {marked.sum()} in all: missing here"
    if not written.str.contains(",", regex=False).any():
        if not marked.any() or not written.str.fullmatch(_PLAIN.pattern).all():
            return None
        if written.str.fullmatch(_WHOLE.pattern).any() and written.str.len().max() > 15:
            return None
        return pd.to_numeric(written), missing
    decimal, thousands = written.str.fullmatch(_DECIMAL_COMMA.pattern).all(), written.str.fullmatch(_THOUSANDS.pattern).all()
    if not decimal and not thousands:
        return None
    if thousands and (not decimal or delimiter == ","):
        values, said = written.str.replace(",", "", regex=False), "has commas between thousands: they were left out"
    else:
        values = written.str.replace(".", "", regex=False).str.replace(",", ".", regex=False)
        said = "has decimal commas: they were read as points"
    return pd.to_numeric(values), f"{said}; it {missing}" if marked.any() else said


def _keep_identities(frame: pd.DataFrame, position: int, delimiter: str, text: str, header: list[str], notes: list[str]) -> None:
    """Doubles would lose the last digits of long identities, such as numbers of accounts: they are kept as they are written."""
    written = pd.read_csv(
        io.StringIO(text), sep=delimiter, header=0, names=list(range(len(header))), index_col=False, usecols=[position], dtype=str
    )[position]
    if written.dropna().str.strip().str.fullmatch(_WHOLE.pattern).all():
        frame[frame.columns[position]] = written.astype(object).where(written.notna(), np.nan)
        notes.append(f"column {header[position]!r} has whole numbers too long to be kept exactly: they are text here")

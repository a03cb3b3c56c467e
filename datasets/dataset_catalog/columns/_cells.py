"""Cells read as strings, numbers and dates, whatever dtype their column came with."""

from __future__ import annotations

import numpy as np
import pandas as pd

MISSING_MARKS = frozenset({"", "?", "na", "n/a", "nan", "null", "<na>", "nat"})
"""Strings, lower case and stripped, that stand for a missing cell."""

_FLOAT32_MAX = float(np.finfo(np.float32).max)


def as_strings(cells: pd.Series) -> pd.Series:
    """Return cells as stripped strings, whole numbers without ``.0``, missing cells and their marks as ``None`` (object dtype)."""
    present = cells.notna().to_numpy()
    texts = np.empty(len(cells), dtype=object)
    texts[:] = None
    texts[present] = [_spell(cell) for cell in cells.to_numpy(dtype=object)[present]]
    marked = [text is None or text.casefold() in MISSING_MARKS for text in texts]
    texts[marked] = None
    return pd.Series(texts, index=cells.index, name=cells.name, dtype=object)


def as_numbers(cells: pd.Series, *, decimal_comma: bool = False) -> pd.Series:
    """Return cells as float64; what is no number, or none that 32 bits can hold, becomes ``nan``."""
    if decimal_comma:
        cells = as_strings(cells).str.replace(".", "", regex=False).str.replace(",", ".", regex=False)
    elif not pd.api.types.is_numeric_dtype(cells.dtype):
        cells = as_strings(cells).str.replace(r"[\s'_]", "", regex=True)
    numbers: pd.Series = pd.to_numeric(cells, errors="coerce").astype("float64")
    return numbers.where(numbers.abs() < _FLOAT32_MAX)


def as_dates(cells: pd.Series, *, day_first: bool = False) -> pd.Series:
    """Return cells as UTC timestamps without a zone; what is no date becomes missing."""
    if not pd.api.types.is_datetime64_any_dtype(cells.dtype):
        cells = as_strings(cells)
    return pd.to_datetime(cells, errors="coerce", format="mixed", dayfirst=day_first, utc=True).dt.tz_localize(None)


def _spell(cell: object) -> str:
    if isinstance(cell, float | np.floating) and float(cell).is_integer() and abs(float(cell)) < 2**53:
        return str(int(cell))
    return str(cell).strip()

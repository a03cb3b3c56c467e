"""Cells read as strings, numbers and dates, whatever dtype their column came with."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

MISSING_MARKS = frozenset({"", "?", "na", "n/a", "nan", "null", "<na>", "nat"})
"""Strings, lower case and stripped, that stand for a missing cell."""

_FLOAT32_MAX = float(np.finfo(np.float32).max)


def as_strings(cells: pd.Series) -> pd.Series:
    """Return cells as stripped strings, whole numbers without ``.0``, missing cells and their marks as ``None`` (object dtype)."""
    present = cells.notna().to_numpy()
    plain = isinstance(cells.dtype, np.dtype) and (cells.dtype.kind in "iub" or cells.dtype == np.float64)
    values = (cells.to_numpy() if plain else cells.to_numpy(dtype=object))[present]
    if cells.dtype != object or pd.api.types.infer_dtype(values) == "string":  # then equal values are spelt alike: each is spelt once
        codes, distinct = pd.factorize(values)
        spelt = np.array([*(_spell(value) for value in distinct), None], dtype=object)[:-1][codes]
    else:
        spelt = np.array([*(_spell(value) for value in values), None], dtype=object)[:-1]
    texts = np.empty(len(cells), dtype=object)
    texts[:] = None
    texts[present] = spelt
    return pd.Series(texts, index=cells.index, name=cells.name, dtype=object)


def as_numbers(cells: pd.Series, *, decimal_comma: bool = False) -> pd.Series:
    """Return cells as float64; what is no number, or none that 32 bits can hold, becomes ``nan``."""
    if decimal_comma:
        cells = _each(as_strings(cells), lambda texts: texts.str.replace(".", "", regex=False).str.replace(",", ".", regex=False))
    elif not pd.api.types.is_numeric_dtype(cells.dtype):
        cells = _each(as_strings(cells), lambda texts: texts.str.replace(r"[\s'_]", "", regex=True))
    numbers: pd.Series = _each(cells, lambda texts: pd.to_numeric(texts, errors="coerce")).astype("float64")
    return numbers.where(numbers.abs() < _FLOAT32_MAX)


def as_dates(cells: pd.Series, *, day_first: bool = False) -> pd.Series:
    """Return cells as UTC timestamps without a zone; what is no date becomes missing."""
    if not pd.api.types.is_datetime64_any_dtype(cells.dtype):
        cells = as_strings(cells)
    read = _each(cells, lambda texts: pd.to_datetime(texts, errors="coerce", format="mixed", dayfirst=day_first, utc=True))
    dates: pd.Series = read.dt.tz_localize(None)
    return dates


def _each(cells: pd.Series, change: Callable[[pd.Series], pd.Series]) -> pd.Series:
    """Change strings one by one, equal ones once; columns of other dtypes are quicker changed as they are."""
    if cells.dtype != object:
        return change(cells)
    codes, distinct = pd.factorize(cells, use_na_sentinel=False)
    changed = change(pd.Series(distinct, dtype=object))
    answer = changed.take(codes).set_axis(cells.index)
    answer.name = cells.name
    return answer


def _spell(cell: object) -> str | None:
    """Spell a cell; a mark of a missing one becomes ``None``."""
    if isinstance(cell, float | np.floating) and float(cell).is_integer() and abs(float(cell)) < 2**53:
        return str(int(cell))
    text = str(cell).strip()
    return None if text.casefold() in MISSING_MARKS else text

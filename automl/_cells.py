"""Cells as Ludwig reads them: a column's recipe, and the conversion that training and prediction share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np
import pandas as pd
from pydantic import BaseModel, ConfigDict

from automl._trial import FeatureType

MISSING_MARKS = frozenset({"", "?", "na", "n/a", "nan", "null", "<na>", "nat"})
"""Strings, lower case and stripped, that stand for a missing cell."""

DatePart = Literal["", "days", "month", "weekday", "hour"]
_FIRST_DAY = pd.Timestamp("2000-01-01")
_FLOAT32_MAX = float(np.finfo(np.float32).max)


class Column(BaseModel):
    """How one column of a user's table becomes a feature: saved beside the model, so that ``predict`` does the same.

    ``name`` is the user's; ``feature`` is the safe name that Ludwig sees. ``decimal_comma`` counts for numbers. A date is read in parts, a
    feature each: Ludwig's own date encoder multiplies the bare year, 2,000 times what its other inputs are.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str
    feature: str
    type: FeatureType
    reason: str
    part: DatePart = ""
    day_first: bool = False
    decimal_comma: bool = False


def convert(frame: pd.DataFrame, columns: Iterable[Column]) -> pd.DataFrame:
    """Return ``frame``'s columns under their feature names, each cell as its type asks; what cannot be read becomes missing."""
    return pd.DataFrame({column.feature: _convert(frame[column.name], column) for column in columns}, index=frame.index)


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
    numbers = pd.to_numeric(cells, errors="coerce").astype("float64")
    return numbers.where(numbers.abs() < _FLOAT32_MAX)


def as_dates(cells: pd.Series, *, day_first: bool = False) -> pd.Series:
    """Return cells as UTC timestamps without a zone; what is no date becomes missing."""
    if not pd.api.types.is_datetime64_any_dtype(cells.dtype):
        cells = as_strings(cells)
    return pd.to_datetime(cells, errors="coerce", format="mixed", dayfirst=day_first, utc=True).dt.tz_localize(None)


def date_part(stamps: pd.Series, part: DatePart) -> pd.Series:
    """Return one part of dates: ``days`` since 2000 as a number (with the time of day as a fraction), the others as strings."""
    if part == "days":
        days: pd.Series = (stamps - _FIRST_DAY) / pd.Timedelta(days=1)
        return days.astype("float64")
    found = {"month": stamps.dt.month, "weekday": stamps.dt.dayofweek, "hour": stamps.dt.hour}[part]
    return as_strings(found)


def _convert(cells: pd.Series, column: Column) -> pd.Series:
    if column.part:
        return date_part(as_dates(cells, day_first=column.day_first), column.part)
    if column.type == "number":
        return as_numbers(cells, decimal_comma=column.decimal_comma)
    return as_strings(cells)


def _spell(cell: object) -> str:
    if isinstance(cell, float | np.floating) and float(cell).is_integer() and abs(float(cell)) < 2**53:
        return str(int(cell))
    return str(cell).strip()

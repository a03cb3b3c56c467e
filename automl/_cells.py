"""Cells as Ludwig reads them: a column's recipe, and the conversion that training and prediction share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import pandas as pd
from pydantic import BaseModel, ConfigDict

from automl._trial import FeatureType
from dataset_catalog.columns import as_dates, as_numbers, as_strings

DatePart = Literal["", "days", "month", "weekday", "hour"]
_FIRST_DAY = pd.Timestamp("2000-01-01")


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

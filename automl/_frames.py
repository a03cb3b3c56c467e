"""A table's cells in the form in which Ludwig reads each feature type without guessing."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import pandas as pd

from automl._trial import Feature, Task, TaskTable

MISSING_LEVEL = "<missing>"
"""A missing category is a level of its own."""
MISSING_DATE = "1970-01-01"
"""Ludwig's own choice for a missing date is the moment of training, which no second run repeats."""
_LARGEST = 1e18
"""Ludwig reckons deviations in 32-bit floats, which overflow on the square of anything larger."""


def ludwig_frame(frame: pd.DataFrame, features: Sequence[Feature], target: str | None = None, task: Task | None = None) -> pd.DataFrame:
    """Return the features' columns of ``frame`` (and the target, where named) as Ludwig is to read them, rows in their order.

    Numbers become 64-bit floats (what is no number: missing), categories, binaries and texts strings (missing ones a fixed level or an
    empty text), dates ISO strings. Training and prediction use this one function. The index becomes 0, 1, 2 …
    """
    columns: dict[str, pd.Series] = {feature.name: _column(frame[feature.name], feature) for feature in features}
    if target is not None:
        columns[target] = _numbers(frame[target]) if task == "regression" else class_labels(frame[target])
    return pd.DataFrame({name: column.to_numpy() for name, column in columns.items()}, index=pd.RangeIndex(len(frame)))


def table_frame(table: TaskTable) -> pd.DataFrame:
    """All rows of ``table`` for Ludwig. A number that no training row has counts as 0, so that its mean is defined."""
    ready = ludwig_frame(table.frame, table.features, table.target, table.task)
    training = table.split == 0
    for feature in table.features:
        if feature.type == "number" and not ready.loc[training, feature.name].notna().any():
            ready.loc[training, feature.name] = 0.0
    return ready


def class_labels(column: pd.Series) -> pd.Series:
    """Return class labels as Ludwig and the scorer compare them: strings without blanks around them."""
    return _strings(column, "")


def _column(column: pd.Series, feature: Feature) -> pd.Series:
    if feature.type == "number":
        return _numbers(column)
    if feature.type == "date":
        return _dates(column)
    return _strings(column, "" if feature.type == "text" else MISSING_LEVEL)


def _numbers(column: pd.Series) -> pd.Series:
    numbers = pd.to_numeric(column, errors="coerce").astype(np.float64)
    return numbers.where(np.isfinite(numbers)).clip(-_LARGEST, _LARGEST)


def _strings(column: pd.Series, missing: str) -> pd.Series:
    absent = column.isna()
    text = column.astype(object).map(_text, na_action="ignore")
    return text.where(~absent, missing).replace("", missing).astype(object)


def _text(value: object) -> str:
    """Write a whole number the same whether its column came as integers or, for a missing cell, as floats."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def _dates(column: pd.Series) -> pd.Series:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        moments = pd.to_datetime(column, errors="coerce", format=None if column.dtype.kind == "M" else "mixed", utc=True)
    return moments.dt.strftime("%Y-%m-%dT%H:%M:%S").astype(object).where(moments.notna(), MISSING_DATE)

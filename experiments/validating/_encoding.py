"""A task table as scikit-learn reads it: numbers, and categories whose levels come from the training rows alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from automl import TaskTable

MAX_LEVELS = 254
"""HistGradientBoosting bins at most 255 values a column; one is left for "missing or unseen"."""


@dataclass(frozen=True, eq=False)
class Encoded:
    """The features of a table, row for row: ``frame`` holds float64 and categorical columns; ``left_out`` names unusable columns."""

    frame: pd.DataFrame
    numbers: tuple[str, ...]
    categories: tuple[str, ...]
    left_out: tuple[str, ...]


def encode(table: TaskTable) -> Encoded:
    """Turn the features of ``table`` into columns that scikit-learn's estimators take; free text is left out, and named.

    A category keeps its ``MAX_LEVELS`` commonest training levels; rarer and unseen ones become missing.
    """
    training = table.split == 0
    columns: dict[str, pd.Series] = {}
    numbers, categories, left_out = [], [], []
    for position, feature in enumerate(table.features):
        name = f"c{position}"
        values = table.frame[feature.name]
        if feature.type == "text":
            left_out.append(feature.name)
        elif feature.type in {"number", "date"}:
            columns[name] = _as_number(values, is_date=feature.type == "date")
            numbers.append(name)
        else:
            columns[name] = _as_category(values, training)
            categories.append(name)
    if not columns:  # scikit-learn wants a column; one that says nothing makes every estimator the constant predictor
        columns["nothing"] = pd.Series(0.0, index=table.frame.index)
        numbers.append("nothing")
    return Encoded(pd.DataFrame(columns, index=table.frame.index), tuple(numbers), tuple(categories), tuple(left_out))


def _as_number(values: pd.Series, *, is_date: bool) -> pd.Series:
    if is_date:
        moments = pd.to_datetime(values, errors="coerce", utc=True)
        return (moments - pd.Timestamp("1970-01-01", tz="UTC")).dt.total_seconds()
    numbers = pd.to_numeric(values, errors="coerce").astype("float64")
    return numbers.where(np.isfinite(numbers))


def _as_category(values: pd.Series, training: np.ndarray) -> pd.Series:
    levels = values.astype("object").where(values.notna(), None).map(lambda value: None if value is None else str(value))
    counts = levels[training].value_counts()
    kept = sorted(sorted(counts.index, key=lambda level: (-counts[level], level))[:MAX_LEVELS])
    return pd.Series(pd.Categorical(levels, categories=kept), index=values.index)

"""What each column of a table is: a number, a category, text, a date, or of no use."""

from __future__ import annotations

import pandas as pd

from automl._cells import Column, DatePart, date_part
from automl._columns import safe_names
from automl._errors import AutoMLError
from automl._trial import Feature
from dataset_catalog.columns import as_dates, column_kind


def infer_features(frame: pd.DataFrame, target: str) -> tuple[tuple[Feature, ...], dict[str, str]]:
    """Say what each column but ``target`` is.

    Returns the features, under the names that Ludwig sees, in the table's order, and the dropped columns with the reason, under the
    table's own names. Nothing is learnt from the target.
    """
    columns, dropped = infer_columns(frame, target)
    return tuple(Feature(column.feature, column.type, column.reason) for column in columns), dropped


def infer_columns(frame: pd.DataFrame, target: str) -> tuple[tuple[Column, ...], dict[str, str]]:
    """Do what ``infer_features`` does, with each column's recipe for reading its cells."""
    if not frame.columns.is_unique:
        raise AutoMLError(f"the table has two columns called {frame.columns[frame.columns.duplicated()][0]!r}; give each a name of its own")
    frame = frame.reset_index(drop=True)
    safe = safe_names([str(name) for name in frame.columns])
    columns: list[Column] = []
    dropped: dict[str, str] = {}
    for name in frame.columns:
        if name == target:
            continue
        found = column_kind(str(name), frame[name])
        if not found.useful:
            dropped[str(name)] = found.reason
            continue
        reading = {"day_first": found.day_first, "decimal_comma": found.decimal_comma}
        whole = Column.model_validate({"name": str(name), "feature": safe[str(name)], "type": found.kind, "reason": found.reason} | reading)
        columns += _date_columns(whole, frame[name], set(safe.values())) if whole.type == "date" else [whole]
    return tuple(columns), dropped


def _date_columns(whole: Column, cells: pd.Series, taken: set[str]) -> list[Column]:
    """Part a date: its days are a number; month, weekday and hour are categories where they differ from row to row."""
    stamps = as_dates(cells, day_first=whole.day_first)
    parts: dict[DatePart, str] = {"days": "days since 2000", "month": "the month", "weekday": "the weekday", "hour": "the hour"}
    found = []
    for part, said in parts.items():
        if part != "days" and date_part(stamps, part).nunique() < 2:
            continue
        feature = whole.feature if part == "days" else f"{whole.feature}_{part}"
        while part != "days" and feature in taken:
            feature += "_"
        taken.add(feature)
        changes = {
            "feature": feature,
            "part": part,
            "type": "number" if part == "days" else "category",
            "reason": f"{whole.reason}: {said}",
        }
        found.append(whole.model_copy(update=changes))
    return found

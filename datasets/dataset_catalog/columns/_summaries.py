"""A column in a line: its type, how many values it has, where they lie, and a small histogram."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from dataset_catalog.columns._cells import as_dates, as_numbers, as_strings
from dataset_catalog.columns._kinds import ColumnKind, column_kind

ColumnType = Literal["numeric", "binary", "category", "date", "text", "id", "constant", "unusable"]
BINS = 10
_TOP_LEVELS = 3
_TYPES: dict[str, ColumnType] = {"number": "numeric", "identifier": "id", "category": "category", "date": "date", "text": "text"}


@dataclass(frozen=True)
class ColumnSummary:
    """What people want to know of a column at a glance.

    ``low``, ``middle`` and ``high`` are the least, the median and the greatest number, date (ISO 8601) or count of words; ``top`` has the
    most frequent levels of a category with their shares of the cells that are there. ``histogram`` counts cells as :func:`histogram` does,
    or, for categories, those of the ten most frequent levels.
    """

    name: str
    type: ColumnType
    reason: str
    distinct: int
    missing_share: float
    low: float | str | None = None
    middle: float | str | None = None
    high: float | str | None = None
    top: tuple[tuple[str, float], ...] = ()
    histogram: tuple[int, ...] = ()


def summarise_column(name: str, cells: pd.Series, kind: ColumnKind | None = None) -> ColumnSummary:
    """Summarise the column ``name`` with these ``cells``, read as :func:`column_kind` reads them (``kind``, when it is known already)."""
    kind = kind or column_kind(name, cells)
    texts = as_strings(cells)
    present = texts.dropna()
    distinct = int(present.nunique())
    type_: ColumnType = "binary" if kind.useful and kind.kind != "text" and distinct == 2 else _TYPES.get(kind.kind, _other(kind))
    found = ColumnSummary(name, type_, kind.reason, distinct, float(texts.isna().mean()) if len(texts) else 0.0)
    if type_ in ("category", "binary"):
        return _of_levels(found, present)
    if type_ == "numeric":
        return _of_numbers(found, as_numbers(cells, decimal_comma=kind.decimal_comma).dropna())
    if type_ == "date":
        return _of_dates(found, as_dates(cells, day_first=kind.day_first).dropna())
    if type_ == "text":
        return _of_numbers(found, present.str.count(r"\S+").astype("float64"))
    return found


def histogram(values: np.ndarray) -> tuple[int, ...]:
    """Count ``values`` in at most ten bins of equal width from the first to the last percentile; what lies beyond counts in the outermost.

    Whole numbers are counted one by one where ten or fewer differ, and else in bins as wide as a whole number: other bins would hold now
    more and now fewer of them, or none, and look like gaps.
    """
    if not len(values):
        return ()
    whole = bool((values == np.floor(values)).all())
    if whole and len(each := np.unique(values, return_counts=True)[1]) <= BINS:
        return tuple(int(count) for count in each)
    low, high = (float(edge) for edge in np.quantile(values, [0.01, 0.99]))
    if not low < high:
        low, high = float(values.min()), float(values.max())
    if not low < high:
        return (len(values),)
    bins = BINS
    if whole:
        low, high = np.floor(low), np.ceil(high)
        width = np.ceil((high - low + 1) / BINS)
        bins = int(np.ceil((high - low + 1) / width))
        low, high = low - 0.5, low - 0.5 + bins * width
    return tuple(int(count) for count in np.histogram(np.clip(values, low, high), bins=bins, range=(low, high))[0])


def _other(kind: ColumnKind) -> ColumnType:
    return "constant" if kind.kind == "constant" else "unusable"


def _of_levels(found: ColumnSummary, present: pd.Series) -> ColumnSummary:
    counts = present.value_counts()
    counts = counts.iloc[np.lexsort((counts.index.astype(str), -counts.to_numpy()))]
    top = tuple((str(level), float(count / len(present))) for level, count in counts.head(_TOP_LEVELS).items())
    return _with(found, top=top, histogram=tuple(int(count) for count in counts.head(BINS)))


def _of_numbers(found: ColumnSummary, numbers: pd.Series) -> ColumnSummary:
    values = numbers.to_numpy(dtype=np.float64)
    low, middle, high = (float(value) for value in (values.min(), np.median(values), values.max()))
    return _with(found, low=low, middle=middle, high=high, histogram=histogram(values))


def _of_dates(found: ColumnSummary, dates: pd.Series) -> ColumnSummary:
    ordered = dates.sort_values()
    whole = bool((ordered == ordered.dt.normalize()).all())
    low, middle, high = (ordered.iloc[position].isoformat()[: 10 if whole else 19] for position in (0, len(ordered) // 2, -1))
    moments = ordered.to_numpy(dtype="datetime64[s]").astype(np.float64)
    return _with(found, low=low, middle=middle, high=high, histogram=histogram(moments))


def _with(found: ColumnSummary, **changes: object) -> ColumnSummary:
    return dataclasses.replace(found, **changes)  # type: ignore[arg-type]

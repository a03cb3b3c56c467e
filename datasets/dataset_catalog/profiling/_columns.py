"""What is told of one column at a time, over all of its rows, and the sample of its cells that all columns are then compared on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from dataset_catalog.profiling._cells import Cells, read_cells
from dataset_catalog.profiling._figures import Floats, Whole, moments
from dataset_catalog.profiling._texts import character_counts, prose_tokens

ColumnKind = Literal["number", "category", "text", "date", "empty"]


@dataclass(frozen=True, eq=False)
class ColumnFacts:
    """One column: ``present`` cells are not missing, ``infinite`` of them infinite; ``tokens`` and ``characters`` of each cell of prose.

    The sample: ``numbers`` of a number or date (``nan`` where missing or infinite), ``codes`` of a category numbered from 0 as they come
    (-1 missing), ``strings`` of prose (empty where missing).
    """

    name: str
    kind: ColumnKind
    distinct: int
    present: int
    missing: npt.NDArray[np.bool_]
    infinite: int = 0
    shape: tuple[float, float] | None = None
    outliers: bool = False
    tokens: Whole | None = None
    characters: Whole | None = None
    numbers: Floats | None = None
    codes: Whole | None = None
    strings: npt.NDArray[np.object_] | None = None


def facts(name: str, column: pd.Series, sample: Whole, *, of_text: bool) -> ColumnFacts:
    """Look at ``column``, and keep its cells at the positions of ``sample``; ``of_text``: the task is one of text."""
    cells = read_cells(column)
    missing = cells.missing
    present = len(missing) - int(missing.sum())
    if cells.kind == "empty":
        return ColumnFacts(name, "empty", 0, 0, missing)
    if cells.kind in ("number", "date"):
        return _of_numbers(name, cells, missing, sample)
    counts = np.bincount(cells.codes[~missing])
    counts = counts[counts > 0]  # codes of mixed columns skip the missing value's
    tokens = prose_tokens(cells.strings, counts, of_text=of_text) if cells.kind == "string" else None
    if tokens is not None:
        tokens, characters = (np.repeat(each, counts) for each in (tokens, character_counts(cells.strings)))
        strings = np.append(cells.strings, "")[cells.codes[sample]]
        return ColumnFacts(name, "text", len(counts), present, missing, tokens=tokens, characters=characters, strings=strings)
    codes, _ = pd.factorize(np.where(missing[sample], -1, cells.codes[sample]))
    codes = np.where(missing[sample], -1, codes).astype(np.int64)
    return ColumnFacts(name, "category", len(counts), present, missing, codes=codes)


def _of_numbers(name: str, cells: Cells, missing: npt.NDArray[np.bool_], sample: Whole) -> ColumnFacts:
    ordered = np.sort(cells.numbers[~missing])
    distinct = 1 + int((ordered[1:] != ordered[:-1]).sum())
    finite = ordered[np.isfinite(ordered)]
    head = cells.numbers[sample]
    numbers = np.where(np.isfinite(head), head, np.nan)
    if cells.kind == "date":
        return ColumnFacts(name, "date", distinct, len(ordered), missing, numbers=numbers)
    return ColumnFacts(
        name,
        "number",
        distinct,
        len(ordered),
        missing,
        infinite=len(ordered) - len(finite),
        shape=moments(finite),
        outliers=_has_outliers(finite),
        numbers=numbers,
    )


def _has_outliers(ordered: Floats) -> bool:
    """Say whether ascending numbers go beyond Tukey's fences, 1.5 interquartile ranges from the quartiles."""
    if len(ordered) == 0:
        return False
    low, high = _quantile(ordered, 0.25), _quantile(ordered, 0.75)
    reach = 1.5 * (high / 2 - low / 2) * 2
    return bool(ordered[0] < low - reach or ordered[-1] > high + reach)


def _quantile(ordered: Floats, level: float) -> float:
    """By linear interpolation, from numbers that are sorted already."""
    place = level * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    weight = place - below
    return float(ordered[below] * (1 - weight) + ordered[above] * weight)

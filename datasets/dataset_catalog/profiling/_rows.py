"""Which rows a profile is of, and an order of them that follows from content alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from dataset_catalog._errors import CatalogError
from dataset_catalog.content import Hashes, row_hashes
from dataset_catalog.profiling._cells import Cells, read_cells
from dataset_catalog.profiling._figures import Floats, Whole

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Target:
    """What is predicted: ``numbers`` of a regression, else the ``classes`` numbered from 0, one a row that has a target."""

    numbers: Floats | None
    classes: Whole | None

    def at(self, rows: Whole) -> Target:
        """Return the target of some rows."""
        return Target(
            numbers=None if self.numbers is None else self.numbers[rows],
            classes=None if self.classes is None else self.classes[rows],
        )


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a table that have a target.

    ``kept`` are their positions in the table, ``order`` sorts them (positions among the kept) so that each beginning is a fair sample, and
    ``distinct`` counts those whose features differ.
    """

    kept: Whole
    order: Whole
    distinct: int


def rows_of(features: pd.DataFrame, targets: pd.Series, task: str) -> tuple[Rows, Target]:
    """Return the rows of ``features`` that have a target, and the target of each, in the order in which they stand.

    Raises :class:`CatalogError` when no row has one.
    """
    cells = read_cells(targets)
    values = _numbers_of(cells) if task == "regression" else None
    kept = np.flatnonzero(~cells.missing if values is None else np.isfinite(values))
    if len(kept) == 0:
        what = "a finite number" if task == "regression" else "a value"
        raise CatalogError(f"no row has {what} in {targets.name!r}; there is nothing to profile it against")
    hashes = row_hashes(features)[kept]
    order, distinct = _spread_order(hashes, row_hashes(targets.to_frame())[kept, 0])
    if values is not None:
        return Rows(kept, order, distinct), Target(values[kept], None)
    codes = cells.codes if cells.kind in ("string", "other") else cells.numbers
    classes = np.unique(codes[kept], return_inverse=True)[1].astype(np.int64)
    return Rows(kept, order, distinct), Target(None, _canonical(classes, order))


def _numbers_of(cells: Cells) -> Floats:
    """Numbers as they are, text that spells numbers as those, ``nan`` for what is none."""
    if cells.kind in ("number", "date"):
        return cells.numbers
    if cells.kind != "string":
        return np.full(len(cells.codes), np.nan)
    spelled = pd.to_numeric(pd.Series(cells.strings, dtype=object), errors="coerce").to_numpy(dtype=np.float64)
    return np.append(spelled, np.nan)[cells.codes]


def _spread_order(hashes: Hashes, ties: Hashes) -> tuple[Whole, int]:
    """Order rows by their hashes, repeats of a row spread evenly: a table of few kinds of rows shows all of them early."""
    sorted_rows = np.lexsort((ties, hashes[:, 1], hashes[:, 0]))
    ordered = hashes[sorted_rows]
    first = np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))
    starts = np.maximum.accumulate(np.where(first, np.arange(len(first)), 0))
    repeat = (np.arange(len(first)) - starts).astype(np.uint64)
    with np.errstate(over="ignore"):
        keys = ordered[:, 0] + repeat * _GOLDEN
    return sorted_rows[np.argsort(keys, kind="stable")].astype(np.int64), int(first.sum())


def _canonical(classes: Whole, order: Whole) -> Whole:
    """Renumber classes by their first row in order, so that the numbers follow from content too."""
    first = np.full(int(classes.max()) + 1, len(classes), dtype=np.int64)
    np.minimum.at(first, classes[order], np.arange(len(order)))
    numbers = np.empty_like(first)
    numbers[np.argsort(first)] = np.arange(len(first))
    return numbers[classes]

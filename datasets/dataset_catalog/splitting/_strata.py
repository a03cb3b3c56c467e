"""Strata of rows, and the drawing of shares from each: what every split and every row cap stands on."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from dataset_catalog._errors import CatalogError

TRAINING, VALIDATION, TEST = 0, 1, 2
PART_NAMES = ("training", "validation", "test")
_REGRESSION_STRATA = 10

Parts = npt.NDArray[np.int8]
Numbers = npt.NDArray[np.int64]


def strata_of(frame: pd.DataFrame, target: str, task: str) -> Numbers:
    """Give each row the number of its stratum: its class, or the tenth of the target that it lies in."""
    if target not in frame.columns:
        raise CatalogError(f"there is no column {target!r} to split by; the columns are {', '.join(map(str, frame.columns[:20]))}")
    values = frame[target]
    if values.isna().any():
        raise CatalogError(f"target {target!r} is missing in {int(values.isna().sum())} rows; leave those rows out first")
    if task != "regression":
        return np.unique(values.astype(str).to_numpy(dtype=object), return_inverse=True)[1].astype(np.int64)
    try:
        ranks = pd.to_numeric(values).rank(method="min").to_numpy()
    except (ValueError, TypeError):
        raise CatalogError(f"target {target!r} of a regression holds text; give numbers, or another task") from None
    strata = np.minimum((ranks - 1) * min(_REGRESSION_STRATA, max(len(frame) // 10, 1)) // max(len(frame), 1), _REGRESSION_STRATA - 1)
    return np.unique(strata, return_inverse=True)[1].astype(np.int64)


def check_shares(validation_share: float, test_share: float) -> None:
    """Raise :class:`CatalogError` when the shares leave nothing to train on."""
    if validation_share < 0 or test_share < 0 or validation_share + test_share >= 1:
        raise CatalogError(
            f"shares of {validation_share} validation and {test_share} test leave no training rows; they must sum to less than 1"
        )


def shuffled_by_stratum(strata: Numbers, seed: int) -> Numbers:
    """Positions of all rows, stratum after stratum, shuffled within each."""
    shuffled = np.random.default_rng(seed).permutation(len(strata))
    return shuffled[np.argsort(strata[shuffled], kind="stable")]


def assign(parts: Parts, ranks: Numbers, strata: Numbers, shares: dict[int, float]) -> None:
    """Give each part its share of every stratum, from the front of the stratum's shuffle; the last row of a stratum stays in training."""
    sizes = np.bincount(strata) if len(strata) else np.zeros(0, dtype=np.int64)
    start = np.cumsum(sizes) - sizes
    free = np.maximum(sizes - 1, 0)
    used = np.zeros_like(sizes)
    for part, share in shares.items():
        counts = np.minimum(_rounded(sizes * share), free - used)
        for stratum in np.flatnonzero(counts):
            first = start[stratum] + used[stratum]
            parts[ranks[first : first + counts[stratum]]] = part
        used += counts


def drawn(strata: Numbers, rows: int, seed: int) -> Numbers:
    """Draw ``rows`` of the rows, each stratum its share, at least one of each as long as ``rows`` allows it; positions, in no order."""
    ranks = shuffled_by_stratum(strata, seed)
    sizes = np.bincount(strata)
    shares = _rounded(sizes * (rows / len(strata)))
    if rows >= np.count_nonzero(sizes):
        while (empty := np.flatnonzero((shares == 0) & (sizes > 0))).size:
            shares[empty[0]] += 1
            shares[np.argmax(shares)] -= 1
    within = np.arange(len(ranks)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return ranks[within < np.repeat(shares, sizes)]


def _rounded(exact: npt.NDArray[np.floating]) -> Numbers:
    """Round so that every running total is the rounded running total: no share drifts, however many small strata there are."""
    totals = np.floor(np.cumsum(exact) + 0.5 + 1e-9).astype(np.int64)
    return np.diff(totals, prepend=0)

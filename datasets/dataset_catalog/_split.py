"""Repeatable splits and row caps: stratified, and decided by content rather than by the order of rows."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from dataset_catalog._errors import CatalogError
from dataset_catalog.content import canonical_positions, order_of, row_hashes

SPLIT_VERSION = 2
TRAINING, VALIDATION, TEST = 0, 1, 2
_REGRESSION_STRATA = 10


@dataclass(frozen=True, eq=False)
class Split:
    """Which part each row belongs to: 0 training, 1 validation, 2 test (int8, one a row of the frame that was split).

    ``split_id`` names the rows and their parts in canonical order: two orders of the same rows share it, other rows never do.
    """

    parts: npt.NDArray[np.int8]
    split_id: str


def make_split(
    frame: pd.DataFrame,
    target: str,
    task: str,
    *,
    seed: int = 0,
    validation_share: float = 0.1,
    test_share: float = 0.2,
    fixed: npt.NDArray[np.integer] | None = None,
) -> Split:
    """Split the rows of ``frame`` into training, validation and test parts.

    Shares hold within every class (regression: within tenths of the target's range of ranks); each class keeps a row in the training
    part, so a class of one row goes there whole. ``fixed`` gives the part of each row instead; where it names no validation row,
    ``validation_share`` of all rows is taken from its training part. Raises :class:`CatalogError` when the target is not there or has
    missing values, when shares leave nothing to train on, or when a part would be empty.
    """
    if validation_share < 0 or test_share < 0 or validation_share + test_share >= 1:
        raise CatalogError(
            f"shares of {validation_share} validation and {test_share} test leave no training rows; they must sum to less than 1"
        )
    hashes = row_hashes(frame)
    order = order_of(hashes)
    strata = _strata(frame, target, task)[order]
    if fixed is None:
        ordered = np.full(len(frame), TRAINING, dtype=np.int8)
        ranks = _shuffled_by_stratum(strata, seed)
        _assign(ordered, ranks, strata[ranks], {TEST: test_share, VALIDATION: validation_share})
    else:
        ordered = _fixed_parts(fixed, len(frame))[order]
        if not (ordered == VALIDATION).any() and validation_share:
            rows = np.flatnonzero(ordered == TRAINING)
            ranks = rows[_shuffled_by_stratum(strata[rows], seed)]
            _assign(ordered, ranks, strata[ranks], {VALIDATION: min(validation_share * len(frame) / max(len(rows), 1), 0.5)})
    for part, name, share in ((TRAINING, "training", 1.0), (VALIDATION, "validation", validation_share), (TEST, "test", test_share)):
        if share and not (ordered == part).any():
            raise CatalogError(f"{len(frame)} rows with target {target!r} are too few to split: the {name} part would be empty")
    parts = np.empty_like(ordered)
    parts[order] = ordered
    content = ordered.tobytes() + hashes[order].astype("<u8").tobytes()
    identity = hashlib.blake2b(f"{SPLIT_VERSION}|{target}|".encode() + content, digest_size=8, person=b"split")
    return Split(parts=parts, split_id=f"s{SPLIT_VERSION}-{identity.hexdigest()}")


def cap_rows(frame: pd.DataFrame, target: str, task: str, rows: int | None, *, seed: int = 0) -> pd.DataFrame:
    """Return ``rows`` rows of ``frame`` (all of them when ``None`` or when there are fewer), stratified, in the order in which they stood.

    Every class keeps at least one row as long as ``rows`` allows it. A smaller cap under the same seed draws from the same shuffle.
    Raises :class:`CatalogError` for a cap below 1 or a target that is not there or has missing values.
    """
    if rows is None or rows >= len(frame):
        return frame
    if rows < 1:
        raise CatalogError(f"a row cap must be at least 1, not {rows}")
    order = canonical_positions(frame)
    strata = _strata(frame, target, task)[order]
    ranks = _shuffled_by_stratum(strata, seed)
    sizes = np.bincount(strata)
    shares = _rounded(sizes * (rows / len(frame)))
    if rows >= len(sizes):
        while (empty := np.flatnonzero(shares == 0)).size:
            shares[empty[0]] += 1
            shares[np.argmax(shares)] -= 1
    within = np.arange(len(ranks)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    kept = order[ranks[within < np.repeat(shares, sizes)]]
    return frame.iloc[np.sort(kept)].reset_index(drop=True)


def _strata(frame: pd.DataFrame, target: str, task: str) -> npt.NDArray[np.int64]:
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


def _shuffled_by_stratum(strata: npt.NDArray[np.int64], seed: int) -> npt.NDArray[np.int64]:
    """Positions of all rows, stratum after stratum, shuffled within each."""
    shuffled = np.random.default_rng(seed).permutation(len(strata))
    return shuffled[np.argsort(strata[shuffled], kind="stable")]


def _assign(parts: npt.NDArray[np.int8], ranks: npt.NDArray[np.int64], strata: npt.NDArray[np.int64], shares: dict[int, float]) -> None:
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


def _rounded(exact: npt.NDArray[np.floating]) -> npt.NDArray[np.int64]:
    """Round so that every running total is the rounded running total: no share drifts, however many small strata there are."""
    totals = np.floor(np.cumsum(exact) + 0.5 + 1e-9).astype(np.int64)
    return np.diff(totals, prepend=0)


def _fixed_parts(fixed: npt.NDArray[np.integer], rows: int) -> npt.NDArray[np.int8]:
    parts = np.asarray(fixed)
    if parts.shape != (rows,) or not np.isin(parts, (TRAINING, VALIDATION, TEST)).all():
        raise CatalogError(f"a fixed split needs one of 0 (training), 1 (validation), 2 (test) for each of the {rows} rows")
    return parts.astype(np.int8)

"""The stratified split, the split under parts that stand already, and the row cap that goes with both."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from dataset_catalog._errors import CatalogError
from dataset_catalog.content import canonical_positions, order_of, row_hashes
from dataset_catalog.splitting._strata import (
    PART_NAMES,
    TEST,
    TRAINING,
    VALIDATION,
    Parts,
    assign,
    check_shares,
    drawn,
    shuffled_by_stratum,
    strata_of,
)

SPLIT_VERSION = 2


@dataclass(frozen=True, eq=False)
class Split:
    """Which part each row belongs to: 0 training, 1 validation, 2 test (int8, one a row of the frame that was split).

    ``split_id`` names the rows and their parts in canonical order: two orders of the same rows share it, other rows never do.
    """

    parts: Parts
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

    Shares hold within every class (regression: within tenths of the target's range of ranks), and over all rows to the row: what rounding
    takes from one class it gives to the next, so that of many small classes as many reach the test part as its share allows. Each class
    keeps a row in the training part, so a class of one row goes there whole. ``fixed`` gives the part of each row instead; where it names
    no validation row, ``validation_share`` of all rows is taken from its training part. Raises :class:`CatalogError` when the target is
    not there or has missing values, when shares leave nothing to train on, or when a part would be empty.
    """
    check_shares(validation_share, test_share)
    hashes = row_hashes(frame)
    given = None if fixed is None else _fixed_parts(fixed, len(frame))
    order = order_of(hashes) if given is None else np.lexsort((given, hashes[:, 1], hashes[:, 0])).astype(np.int64)
    strata = strata_of(frame, target, task)[order]
    if given is None:
        ordered = np.full(len(frame), TRAINING, dtype=np.int8)
        ranks = shuffled_by_stratum(strata, seed)
        assign(ordered, ranks, strata[ranks], {TEST: test_share, VALIDATION: validation_share})
    else:
        ordered = given[order]
        if not (ordered == VALIDATION).any() and validation_share:
            rows = np.flatnonzero(ordered == TRAINING)
            ranks = rows[shuffled_by_stratum(strata[rows], seed)]
            assign(ordered, ranks, strata[ranks], {VALIDATION: min(validation_share * len(frame) / max(len(rows), 1), 0.5)})
    for part, share in ((TRAINING, 1.0), (VALIDATION, validation_share), (TEST, test_share)):
        if share and not (ordered == part).any():
            raise CatalogError(f"{len(frame)} rows with target {target!r} are too few to split: the {PART_NAMES[part]} part would be empty")
    parts = np.empty_like(ordered)
    parts[order] = ordered
    content = ordered.tobytes() + hashes[order].astype("<u8").tobytes()
    identity = hashlib.blake2b(f"{SPLIT_VERSION}|{target}|".encode() + content, digest_size=8, person=b"split")
    return Split(parts=parts, split_id=f"s{SPLIT_VERSION}-{identity.hexdigest()}")


def cap_rows(frame: pd.DataFrame, target: str, task: str, rows: int | None, *, seed: int = 0, parts: Parts | None = None) -> pd.DataFrame:
    """Return ``rows`` rows of ``frame`` (all of them when ``None`` or when there are fewer), stratified, in the order in which they stood.

    Every class keeps at least one row as long as ``rows`` allows it; with ``parts``, every class in every part. A smaller cap under the
    same seed draws from the same shuffle. The index is new, and counts the rows. Raises :class:`CatalogError` for a cap below 1 or a
    target that is not there or has missing values.
    """
    kept = capped_positions(frame, target, task, rows, seed=seed, parts=parts)
    return frame if kept is None else frame.iloc[kept].reset_index(drop=True)


def capped_positions(
    frame: pd.DataFrame, target: str, task: str, rows: int | None, *, seed: int, parts: Parts | None
) -> npt.NDArray[np.int64] | None:
    """Return the positions that :func:`cap_rows` keeps, rising; ``None`` for all of them."""
    if rows is None or rows >= len(frame):
        return None
    if rows < 1:
        raise CatalogError(f"a row cap must be at least 1, not {rows}")
    order = canonical_positions(frame)
    strata = strata_of(frame, target, task)
    if parts is not None:
        strata = np.unique(strata * len(PART_NAMES) + parts, return_inverse=True)[1].astype(np.int64)
    return np.sort(order[drawn(strata[order], rows, seed)])


def _fixed_parts(fixed: npt.NDArray[np.integer], rows: int) -> Parts:
    parts = np.asarray(fixed)
    if parts.shape != (rows,) or not np.isin(parts, (TRAINING, VALIDATION, TEST)).all():
        raise CatalogError(f"a fixed split needs one of 0 (training), 1 (validation), 2 (test) for each of the {rows} rows")
    return parts.astype(np.int8)

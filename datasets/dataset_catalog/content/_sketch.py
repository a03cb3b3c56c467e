"""Row sketches: some five hundred small numbers that tell whether two tables share content, without keeping either table.

Found: other names, orders and dtypes, numbers at three significant digits, many rows or some columns gone, columns added, another target,
categories recoded or one-hot. Missed, so that roles, families and listed relatives have to hold it: numbers rescaled, standardised or in
other units (19 of 36 datasets); numbers rounded to one decimal place where that leaves one or two digits; half of the columns gone from a
narrow table, or very many random ones added to it; a part below about 1/40 of a table; mixtures in which under a fifth of the rows are
shared. The figures stand in docs/how-to/datasets.md; benchmarks/near_duplicates.py measures them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from dataset_catalog._errors import CatalogError
from dataset_catalog.content._shingles import KINDS, Shingles, table_shingles

SKETCH_VERSION = 2
PERMUTATIONS = 128
SKETCH_SIZE = 1 + len(KINDS) * (1 + PERMUTATIONS)
NEAR_DUPLICATE = 0.2
"""Two tables at least this similar count as near-duplicates; benchmarks/near_duplicates.py measures what that finds and misses."""

_SEED = 1
_KEPT_BITS = 0xFFFF
_BATCH = 1 << 14
_FEW_SHINGLES = 200
_FEW_EQUALS = 3


def sketch(frame: pd.DataFrame, *, ignore: Collection[str] = ()) -> tuple[int, ...]:
    """Sketch the content of ``frame`` without the columns ``ignore``: the same numbers on every machine.

    Features and target count alike, so that the same table with another target is found; a column that parts the rows says nothing of
    them and should be ignored. The answer holds the version, and for each kind of shingle how many distinct ones there are and, of
    128 MinHash values (Broder, 1997), the low 16 bits (Li and König, 2010).
    """
    found = table_shingles(frame[[name for name in frame.columns if name not in ignore]] if ignore else frame)
    return (SKETCH_VERSION, *map(len, found), *(value for shingles in found for value in _least(shingles)))


def similarity(a: Sequence[int], b: Sequence[int]) -> float:
    """Estimate which share of the smaller table's content stands in the other: 0 for none, 1 for all, from two sketches.

    The largest over the kinds of shingles. The share of equal numbers estimates the shared part of all shingles (Jaccard), the counts
    turn it into a share of the smaller table. Precise to about a tenth; a part of less than a fortieth of a table is not seen in it.
    Fewer than three equal numbers, or fewer than 200 shingles unless all are alike, count as nothing. Raises :class:`CatalogError` for
    sketches of another version or size.
    """
    for each in (a, b):
        if len(each) != SKETCH_SIZE or each[0] != SKETCH_VERSION:
            told = "no sketch" if not each else f"a sketch of {len(each)} numbers, of version {each[0] if len(each) == SKETCH_SIZE else 1}"
            raise CatalogError(
                f"row sketches cannot be compared: {told}, where one of version {SKETCH_VERSION} with {SKETCH_SIZE} numbers is needed; "
                "lock the dataset anew with this version of the project"
            )
    counts = len(KINDS)
    shares = []
    for kind in range(counts):
        start = 1 + counts + kind * PERMUTATIONS
        one, other = a[start : start + PERMUTATIONS], b[start : start + PERMUTATIONS]
        equal = sum(x == y for x, y in zip(one, other, strict=True))
        shares.append(_share(equal / PERMUTATIONS, a[1 + kind], b[1 + kind]))
    return max(shares)


def _share(jaccard: float, size: int, other_size: int) -> float:
    smaller, larger = sorted((size, other_size))
    if smaller == 0 or jaccard * PERMUTATIONS < _FEW_EQUALS:
        return 0.0
    if smaller < _FEW_SHINGLES:
        return 1.0 if jaccard == 1 and smaller == larger else 0.0
    return min(1.0, jaccard / (1 + jaccard) * (smaller + larger) / smaller)


def _least(shingles: Shingles) -> list[int]:
    from datasketch import MinHash  # late: it loads much of SciPy, which commands that sketch nothing start without

    # shingles are hashes already: a batch of them is handed over as one array, which datasketch spreads over its permutations
    least = MinHash(num_perm=PERMUTATIONS, seed=_SEED, scheme="affine32", hashfunc=np.asarray)
    for start in range(0, len(shingles), _BATCH):
        least.update_batch([shingles[start : start + _BATCH]])
    return [int(value) & _KEPT_BITS for value in least.hashvalues]

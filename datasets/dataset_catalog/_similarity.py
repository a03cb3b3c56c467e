"""How much two tables share, told from their row sketches alone: plain numbers, so that the role book is read without pandas."""

from __future__ import annotations

from collections.abc import Sequence

from dataset_catalog._errors import CatalogError

KINDS = ("pieces", "rows", "neighbours", "figures")
"""What a table is cut into, each kind for another disguise:

- ``pieces``: cells in the order of their hashes, in runs of 26 bits, numbers to three digits; and runs of words of long texts. Survive
  renaming, reordering, rounding to three digits, and, as far as runs stay whole, dropped and added columns.
- ``rows``: all cells of a row, in no order. Survive renaming and reordering where cells are too poor for runs.
- ``neighbours``: cells in the order of columns, in runs of 40 bits. Survive dropped columns in tables of letters and small numbers.
- ``figures``: numbers to seven digits, in short runs of 22 bits. Survive recoded texts, and many dropped columns.
"""

SKETCH_VERSION = 2
PERMUTATIONS = 128
SKETCH_SIZE = 1 + len(KINDS) * (1 + PERMUTATIONS)
NEAR_DUPLICATE = 0.2
"""Two tables at least this similar count as near-duplicates; benchmarks/near_duplicates.py measures what that finds and misses."""

_FEW_SHINGLES = 200
_FEW_EQUALS = 3


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

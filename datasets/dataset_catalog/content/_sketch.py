"""Row sketches: some five hundred small numbers that tell whether two tables share content, without keeping either table.

Found: other names, orders and dtypes, numbers at three significant digits, many rows or some columns gone, columns added, another target,
categories recoded or one-hot. Missed, so that roles, families and listed relatives have to hold it: numbers rescaled, standardised or in
other units (19 of 36 datasets); numbers rounded to one decimal place where that leaves one or two digits; half of the columns gone from a
narrow table, or very many random ones added to it; a part below about 1/40 of a table; mixtures in which under a fifth of the rows are
shared. The figures stand in docs/how-to/datasets.md; benchmarks/near_duplicates.py measures them.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pandas as pd

from dataset_catalog._similarity import PERMUTATIONS, SKETCH_VERSION
from dataset_catalog.content._shingles import Shingles, table_shingles

_SEED = 1
_KEPT_BITS = 0xFFFF
_BATCH = 1 << 14


def sketch(frame: pd.DataFrame, *, ignore: Collection[str] = ()) -> tuple[int, ...]:
    """Sketch the content of ``frame`` without the columns ``ignore``: the same numbers on every machine.

    Features and target count alike, so that the same table with another target is found; a column that parts the rows says nothing of
    them and should be ignored. The answer holds the version, and for each kind of shingle how many distinct ones there are and, of
    128 MinHash values (Broder, 1997), the low 16 bits (Li and König, 2010).
    """
    found = table_shingles(frame[[name for name in frame.columns if name not in ignore]] if ignore else frame)
    return (SKETCH_VERSION, *map(len, found), *(value for shingles in found for value in _least(shingles)))


def _least(shingles: Shingles) -> list[int]:
    from datasketch import MinHash  # late: it loads much of SciPy, which commands that sketch nothing start without

    # shingles are hashes already: a batch of them is handed over as one array, which datasketch spreads over its permutations
    least = MinHash(num_perm=PERMUTATIONS, seed=_SEED, scheme="affine32", hashfunc=np.asarray)
    for start in range(0, len(shingles), _BATCH):
        least.update_batch([shingles[start : start + _BATCH]])
    return [int(value) & _KEPT_BITS for value in least.hashvalues]

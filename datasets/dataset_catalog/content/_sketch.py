"""Row sketches: 64 numbers that tell whether two tables share rows, without keeping either table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from dataset_catalog.content._encoding import Hashes, cell_hashes, mix

SKETCH_SIZE = 64
NEAR_DUPLICATE = 0.3
"""Two tables at least this similar count as near-duplicates: unrelated tables come to 0, apart from chance."""

_BITS = 53
_EMPTY = np.uint64(2**_BITS)


def sketch(frame: pd.DataFrame) -> tuple[int, ...]:
    """Sketch the rows of ``frame``: 64 whole numbers below 2**53, the least row hash of each of 64 bins.

    One-permutation MinHash (Li, Owen and Zhang, 2012), empty bins filled from their right neighbours (Shrivastava and Li, 2014). Column
    names, the order of rows and columns, repeated rows and the seventh digit of numbers do not matter, and ``"1"`` is ``1``.
    """
    hashes = np.unique(_nameless_rows(frame))
    bins = (hashes >> np.uint64(58)).astype(np.int64)
    least = np.full(SKETCH_SIZE, _EMPTY, dtype=np.uint64)
    np.minimum.at(least, bins, (hashes << np.uint64(6)) >> np.uint64(64 - _BITS))
    if (least == _EMPTY).all():
        return (0,) * SKETCH_SIZE
    answer = []
    for position in range(SKETCH_SIZE):
        step = 0
        while least[(position + step) % SKETCH_SIZE] == _EMPTY:
            step += 1
        answer.append((int(least[(position + step) % SKETCH_SIZE]) + step * 0x9E3779B97F4A7) % 2**_BITS)
    return tuple(answer)


def similarity(a: Sequence[int], b: Sequence[int]) -> float:
    """Estimate which share of the rows of the smaller table stands in the other: 0 for none, 1 for all, from two sketches.

    The share of equal numbers estimates the shared part of all rows (Jaccard); the sizes of the numbers tell how many distinct rows
    each table has, and so the share of the smaller one. Precise to about a tenth, less when one table is a small part of the other.
    """
    if len(a) != len(b) or not a:
        return 0.0
    jaccard = sum(one == other for one, other in zip(a, b, strict=True)) / len(a)
    if jaccard in (0.0, 1.0):
        return jaccard
    sizes = sorted(1 / max(sum(values), 1) for values in (a, b))
    return min(1.0, jaccard / (1 + jaccard) * (sizes[0] + sizes[1]) / sizes[0])


def _nameless_rows(frame: pd.DataFrame) -> Hashes:
    total = np.zeros(len(frame), dtype=np.uint64)
    for position in range(frame.shape[1]):
        total += mix(cell_hashes(_coarse(frame.iloc[:, position]))[:, 0])
    return mix(total)


def _coarse(column: pd.Series) -> pd.Series:
    """Numbers, and text that spells numbers, to seven digits or so; all else as text."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object)
    if pd.api.types.is_bool_dtype(column.dtype) or pd.api.types.is_datetime64_any_dtype(column.dtype):
        return column.astype(str)
    if pd.api.types.is_numeric_dtype(column.dtype):
        return pd.Series(_coarse_numbers(column.to_numpy(dtype=np.float64, na_value=np.nan)))
    codes, values = pd.factorize(column.astype(object))
    texts = [str(value) for value in values]
    numbers = np.array([_number(text) for text in texts], dtype=np.float64)
    cells = [text if np.isnan(number) else number for text, number in zip(texts, _coarse_numbers(numbers).tolist(), strict=True)]
    return pd.Series(np.array([*cells, None], dtype=object)[codes], dtype=object)


def _coarse_numbers(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    with np.errstate(over="ignore"):
        narrow = values.astype(np.float32)
        bits = (narrow.view(np.uint32) + np.uint32(8)) & np.uint32(0xFFFFFFF0)
    return np.where(np.isfinite(narrow), bits.view(np.float32), narrow).astype(np.float64)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return np.nan

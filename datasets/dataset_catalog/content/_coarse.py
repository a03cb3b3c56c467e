"""Cells as a row sketch sees them: without names, coarse enough to survive rewriting, each with the bits that it tells at most."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from dataset_catalog.content._encoding import Hashes, digest, mix

Counts = npt.NDArray[np.int64]

LONG_TEXT = 25
"""A text of so many bytes of letters and digits, or more, is told by its words rather than as one cell."""

_COARSE_DIGITS = 3
_FINE_DIGITS = 7
_COARSE_BITS = np.array([0, 1, 4, 9])
_FINE_BITS = np.array([0, 0, 3, 7, 13, 16, 19, 23])
_TEXT_BITS = 12
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_PUNCTUATION = re.compile(r"[\W_]+")
_SAYS_NOTHING = frozenset({"", "na", "nan", "null", "none", "missing", "true", "false"})
_TENS = np.array([float(f"1e{power}") for power in range(309)])
_SMALL, _LARGE = 1e-200, 1e200


@dataclass(frozen=True, eq=False)
class CoarseColumn:
    """One column: ``codes`` say which value stands in a row (-1 for none), the rest is about the values, the last one being none.

    ``coarse`` are hashes of numbers to three significant digits and of short texts by their letters and digits; ``fine`` those of
    numbers to seven digits, and of nothing else. Bits are 0 for what tells nothing: none, 0, 1, and numbers of one digit where ``fine``.
    """

    codes: npt.NDArray[np.int32]
    coarse: Hashes
    coarse_bits: Counts
    fine: Hashes
    fine_bits: Counts
    long_texts: tuple[str, ...]


def coarse_column(column: pd.Series) -> CoarseColumn:
    """Return the cells of ``column``: ``1``, ``1.0``, ``"1"`` and a category ``1`` are one value."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object)
    if pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_complex_dtype(column.dtype):
        codes, values = pd.factorize(column.to_numpy(dtype=np.float64, na_value=np.nan))
        return _column(codes.astype(np.int32), np.asarray(values, dtype=np.float64), [])
    cells = column.astype(object).to_numpy()
    missing = column.isna().to_numpy(dtype=bool)
    told = [None if gone else str(cell).removesuffix(" 00:00:00").strip() for cell, gone in zip(cells, missing, strict=True)]
    codes, distinct = pd.factorize(np.array(told, dtype=object))
    texts = [cast("str", text) for text in distinct]
    numbers = np.array([float(text) if _NUMBER.fullmatch(text) else np.nan for text in texts], dtype=np.float64)
    return _column(codes.astype(np.int32), numbers, texts)


def _column(codes: npt.NDArray[np.int32], numbers: npt.NDArray[np.float64], texts: list[str]) -> CoarseColumn:
    numbers = np.append(numbers, np.nan)  # the value none, which the code -1 points at
    coarse, digits = _rounded(numbers, _COARSE_DIGITS)
    coarse_bits = _COARSE_BITS[digits]
    fine, digits = _rounded(numbers, _FINE_DIGITS)
    long_texts = []
    for position, text in enumerate(texts):
        if not np.isnan(numbers[position]):
            continue
        folded = text.casefold()
        plain = _PUNCTUATION.sub("", folded)
        encoded = plain.encode("utf-8", "surrogatepass")
        if len(encoded) >= LONG_TEXT:
            long_texts.append(folded)
        elif plain not in _SAYS_NOTHING:
            coarse[position] = digest(b"word", encoded)[0]
            coarse_bits[position] = min(2 * len(encoded), _TEXT_BITS)
    return CoarseColumn(codes, coarse, coarse_bits, fine, _FINE_BITS[digits], tuple(long_texts))


def _rounded(values: npt.NDArray[np.float64], digits: int) -> tuple[Hashes, Counts]:
    """Hash numbers rounded to so many significant digits, and count what is left without trailing zeros; 0 for what tells nothing."""
    sizes = np.abs(values)
    telling = (sizes > _SMALL) & (sizes < _LARGE) & (values != 1)
    sizes = np.where(telling, sizes, 1.0)
    powers = np.floor(np.log10(sizes)).astype(np.int64) - (digits - 1)
    # a logarithm may err in its last bit, and rounding may carry: both are mended by looking at what came out
    powers -= _scaled(sizes, powers) < 10 ** (digits - 1)
    powers += _scaled(sizes, powers) >= 10**digits
    whole = _scaled(sizes, powers).astype(np.int64)
    left = np.full(len(values), digits, dtype=np.int64)
    for _ in range(digits - 1):
        even = whole % 10 == 0
        whole, powers, left = np.where(even, whole // 10, whole), powers + even, left - even
    keys = ((whole * 1024 + powers + 512) * 2 + (values < 0)).astype(np.uint64)
    return mix(mix(keys) + np.uint64(digits)), np.where(telling, left, 0)


def _scaled(sizes: npt.NDArray[np.float64], powers: Counts) -> npt.NDArray[np.float64]:
    up, down = _TENS[np.maximum(powers, 0)], _TENS[np.maximum(-powers, 0)]
    return cast("npt.NDArray[np.float64]", np.rint(np.where(powers >= 0, sizes / up, sizes * down)))

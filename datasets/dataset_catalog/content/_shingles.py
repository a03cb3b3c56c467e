"""Shingles of a table: small pieces of its rows that survive when the table is renamed, reordered, rounded, thinned or cut."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from dataset_catalog._similarity import KINDS
from dataset_catalog.content._coarse import CoarseColumn, Counts, coarse_column
from dataset_catalog.content._encoding import Hashes, digest, mix

Shingles = npt.NDArray[np.uint32]

_PIECE_BITS, _ROW_BITS, _NEIGHBOUR_BITS, _FIGURE_BITS = 26, 14, 40, 22
_IN_ORDER_BITS = np.array([0, 3, 3, 3, 7, 7, 7, 7, 8, 10, 10, 11, 12])
"""What a cell of so many bits tells where the order of columns counts, too."""
_WORD_BITS, _TEXT_BITS, _RUNS_A_TEXT = 9, 40, 8
_CHUNK, _TEXTS = 1 << 15, 4000
# scripts without spaces go by characters, the others by words
_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORDS = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")


def table_shingles(frame: pd.DataFrame) -> tuple[Shingles, ...]:
    """Cut ``frame`` into distinct shingles, sorted: one array for each of :data:`KINDS`."""
    columns = [coarse_column(frame.iloc[:, position]) for position in range(frame.shape[1])]
    found: dict[str, list[Shingles]] = {kind: [] for kind in KINDS}
    for column in columns:
        for start in range(0, len(column.long_texts), _TEXTS):
            found["pieces"].append(_distinct(_text_runs(column.long_texts[start : start + _TEXTS])))
    for start in range(0, len(frame), _CHUNK):
        cells, bits, rows = _telling(columns, start, fine=False)
        if len(cells):
            found["neighbours"].append(_distinct(_runs(cells, _IN_ORDER_BITS[bits], rows, _NEIGHBOUR_BITS)[0]))
            once = _by_hash(cells, bits, rows)
            found["pieces"].append(_distinct(_runs(*once, _PIECE_BITS)[0]))
            found["rows"].append(_distinct(_whole_rows(cells, rows, np.bincount(once[2], once[1]))))
        cells, bits, rows = _telling(columns, start, fine=True)
        if len(cells):
            found["figures"].append(_distinct(_runs(*_by_hash(cells, bits, rows), _FIGURE_BITS)[0]))
    return tuple(_merged(found[kind]) for kind in KINDS)


def _telling(columns: Iterable[CoarseColumn], start: int, *, fine: bool) -> tuple[Hashes, Counts, Counts]:
    """Return the cells of a chunk of rows that tell something, row by row: hashes, bits, and the row of each."""
    parts = []
    for place, column in enumerate(columns):
        codes = column.codes[start : start + _CHUNK]
        hashes, bits = (column.fine, column.fine_bits) if fine else (column.coarse, column.coarse_bits)
        if not bits.any():
            continue
        rows = np.flatnonzero(bits[codes])
        parts.append((hashes[codes[rows]], bits[codes[rows]], rows, np.full(len(rows), place)))
    if not parts:
        return np.zeros(0, np.uint64), np.zeros(0, np.int64), np.zeros(0, np.int64)
    cells, bits, rows, places = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.argsort(rows * (places.max(initial=0) + 1) + places)
    return cells[order], bits[order], rows[order]


def _by_hash(cells: Hashes, bits: Counts, rows: Counts) -> tuple[Hashes, Counts, Counts]:
    """Order the cells of each row by their hashes, each kept once."""
    order = np.lexsort((cells, rows))
    cells, bits, rows = cells[order], bits[order], rows[order]
    first = np.append(True, (cells[1:] != cells[:-1]) | (rows[1:] != rows[:-1]))
    return cells[first], bits[first], rows[first]


def _whole_rows(cells: Hashes, rows: Counts, told: npt.NDArray[np.float64]) -> Hashes:
    """Hash the cells of each row together, repeated ones too, where its different cells tell enough: ``told`` are their bits by row."""
    first = np.flatnonzero(np.append(True, rows[1:] != rows[:-1]))
    return mix(np.add.reduceat(mix(cells), first)[told[rows[first]] >= _ROW_BITS])


def _runs(cells: Hashes, bits: Counts, groups: Counts, needed: int) -> tuple[Hashes, Counts, Hashes, Counts]:
    """From each cell on, take neighbours of its group until they tell ``needed`` bits together.

    Returns the hashes of those runs and where they start; then the same of runs that the end of their group cut short.
    """
    counts = np.bincount(groups)
    ends = np.repeat(np.cumsum(counts), counts)
    starts = np.arange(len(cells))
    so_far, told = np.zeros(len(cells), np.uint64), np.zeros(len(cells), np.int64)
    whole: list[tuple[Hashes, Counts]] = [(so_far[:0], starts[:0])]
    short: list[tuple[Hashes, Counts]] = [(so_far[:0], starts[:0])]
    length = 0
    while len(starts):
        inside = starts + length < ends
        short.append((so_far[~inside], starts[~inside]))
        starts, so_far, told, ends = starts[inside], so_far[inside], told[inside], ends[inside]
        so_far = mix(so_far * np.uint64(3) + cells[starts + length])
        told = told + bits[starts + length]
        done = told >= needed
        whole.append((so_far[done], starts[done]))
        starts, so_far, told, ends = starts[~done], so_far[~done], told[~done], ends[~done]
        length += 1
    (whole_hashes, whole_starts), (short_hashes, short_starts) = (
        tuple(np.concatenate(part) for part in zip(*runs, strict=True)) for runs in (whole, short)
    )
    return whole_hashes, whole_starts, short_hashes, short_starts


def _text_runs(texts: Sequence[str]) -> Hashes:
    """Return runs of words, of each text the eight of least hash, so that long and short texts count alike (Broder, 1997)."""
    found = [_WORDS.findall(text) for text in texts]
    counts = np.array([len(words) for words in found])
    codes, distinct = pd.factorize(np.array([word for words in found for word in words], dtype=object))
    if not len(codes):
        return np.zeros(0, np.uint64)
    encoded = [str(word).encode("utf-8", "surrogatepass") for word in distinct]
    hashes = np.array([digest(b"word", word)[0] for word in encoded], dtype=np.uint64)[codes]
    bits = np.array([min(len(word) * 3 // 2, _WORD_BITS) for word in encoded])[codes]
    texts_of = np.repeat(np.arange(len(texts)), counts)
    whole, starts, short, short_starts = _runs(hashes, bits, texts_of, _TEXT_BITS)
    opening = short_starts == (np.cumsum(counts) - counts)[texts_of[short_starts]]  # a text too short for a run counts as a whole
    runs = np.concatenate([whole, short[opening]])
    runs, _, owners = _by_hash(runs, np.zeros(len(runs), np.int64), texts_of[np.concatenate([starts, short_starts[opening]])])
    rank = np.arange(len(owners)) - np.searchsorted(owners, owners)
    return runs[rank < _RUNS_A_TEXT]


def _distinct(hashes: Hashes) -> Shingles:
    return _sorted_once((hashes >> np.uint64(32)).astype(np.uint32))


def _merged(parts: Sequence[Shingles]) -> Shingles:
    return _sorted_once(np.concatenate(parts)) if parts else np.zeros(0, np.uint32)


def _sorted_once(values: Shingles) -> Shingles:
    values = np.sort(values)
    return values[np.append(True, values[1:] != values[:-1])] if len(values) else values

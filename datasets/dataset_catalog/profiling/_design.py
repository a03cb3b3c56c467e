"""A sample of a table as one matrix of numbers, which simple models can be fitted to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from dataset_catalog.profiling._columns import ColumnFacts
from dataset_catalog.profiling._figures import Floats, Whole
from dataset_catalog.profiling._relations import drawn_by_name, standardised

_CLIP = 5.0
_MOST_LEVELS = 20
_MOST_INDICATORS = 1000
_HASHED = 2**13
_CHARACTERS = 5000
_WORD = r"[぀-ヿ㐀-䶿一-鿿]|[^\W_぀-ヿ㐀-䶿一-鿿]+"


def design(columns: Sequence[ColumnFacts], rows: Whole) -> Any:
    """Return the matrix of ``rows`` of the sample: dense, or sparse where there is prose; ``None`` when nothing varies.

    Numbers and dates are standardised (missing ones at the mean, cut at five deviations), of categories the twenty most frequent values
    have a 0/1 column each, prose is hashed into 8,192 words weighted by TF-IDF. Of more than 500 columns, 500 drawn by name count.
    """
    texts = [column.strings[rows] for column in columns if column.strings is not None]
    chosen = drawn_by_name([column for column in columns if column.kind in ("number", "date", "category")])
    levels = min(max(_MOST_INDICATORS // max(len(chosen), 1), 2), _MOST_LEVELS)
    parts: list[Floats] = []
    for column in chosen:
        if column.numbers is not None:
            scaled = standardised(column.numbers[rows])
            parts += [] if scaled is None else [np.clip(scaled, -_CLIP, _CLIP)[:, None]]
        elif column.codes is not None:
            parts.append(_indicators(column.codes[rows], levels))
    table = np.hstack(parts) if parts else np.empty((len(rows), 0))
    if texts:
        return _with_words(table, texts)
    return table if table.shape[1] else None


def _indicators(codes: Whole, levels: int) -> Floats:
    """One column of 0 and 1 for each of the most frequent codes, missing ones too; of equally frequent codes the first to come count."""
    numbered, distinct = pd.factorize(codes)
    if len(distinct) < 2:
        return np.empty((len(codes), 0))
    frequent = np.argsort(-np.bincount(numbered), kind="stable")[:levels]
    return np.asarray(numbered[:, None] == frequent[None, :], dtype=np.float64)


def _with_words(table: Floats, texts: list[Any]) -> Any:
    from scipy.sparse import csr_matrix, hstack
    from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer

    documents = [" ".join(str(cell)[:_CHARACTERS] for cell in cells) for cells in zip(*texts, strict=True)]
    documents = [document.encode("utf-8", "replace").decode() for document in documents]
    counter = HashingVectorizer(n_features=_HASHED, alternate_sign=False, norm=None, token_pattern=_WORD)
    weighted = TfidfTransformer(sublinear_tf=True).fit_transform(counter.transform(documents))
    return csr_matrix(hstack([csr_matrix(table), weighted]))

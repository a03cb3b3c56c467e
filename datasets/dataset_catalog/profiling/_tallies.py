"""What is counted over the columns of a table: types, distinct and missing cells, shapes of numbers, lengths of texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dataset_catalog.profiling._columns import ColumnFacts
from dataset_catalog.profiling._figures import lengths, ratio, share, summary
from dataset_catalog.profiling._languages import languages


def types(columns: Sequence[ColumnFacts]) -> dict[str, Any]:
    """Return the figures on the types of ``columns`` and on their distinct values."""
    kinds = [column.kind for column in columns]
    counts = {
        "nr_num": kinds.count("number"),
        "nr_cat": kinds.count("category"),
        "nr_bin": sum(column.distinct == 2 for column in columns),
        "nr_text": kinds.count("text"),
        "nr_date": kinds.count("date"),
        "nr_empty": kinds.count("empty"),
    }
    named = {"numeric": "nr_num", "categorical": "nr_cat", "binary": "nr_bin", "text": "nr_text", "date": "nr_date"}
    constant = sum(column.distinct + (column.present < len(column.missing)) < 2 for column in columns)
    return {
        **counts,
        **{f"{name}_share": share(counts[count], len(columns)) for name, count in named.items()},
        "constant_share": share(constant, len(columns)),
        "cat_to_num": ratio(counts["nr_cat"], counts["nr_num"]),
        "num_to_cat": ratio(counts["nr_num"], counts["nr_cat"]),
        "cardinality": summary([column.distinct for column in columns if column.kind == "category"]),
        "distinct_share": summary([column.distinct / column.present for column in columns if column.kind == "number"]),
    }


def missingness(columns: Sequence[ColumnFacts], rows: int) -> dict[str, Any]:
    """Return the figures on missing and infinite cells, of ``rows`` rows."""
    gone = [rows - column.present for column in columns]
    anywhere = np.zeros(rows, dtype=bool)
    for column in columns:
        anywhere |= column.missing
    numbers = sum(column.present for column in columns if column.kind == "number")
    return {
        "missing_share": share(sum(gone), rows * len(columns)),
        "missing_row_share": share(int(anywhere.sum()), rows),
        "missing_column_share": share(sum(count > 0 for count in gone), len(columns)),
        "attr_missing": summary([count / rows for count in gone]),
        "infinite_share": ratio(sum(column.infinite for column in columns), numbers),
    }


def shapes(columns: Sequence[ColumnFacts]) -> dict[str, Any]:
    """Return the figures on how the numbers of each column are distributed."""
    numbers = [column for column in columns if column.kind == "number"]
    found = [column.shape for column in numbers if column.shape is not None]
    return {
        "skewness": summary([skewness for skewness, _ in found]),
        "kurtosis": summary([kurtosis for _, kurtosis in found]),
        "nr_outliers": sum(column.outliers for column in numbers) if numbers else None,
    }


def text_figures(columns: Sequence[ColumnFacts]) -> dict[str, Any]:
    """Return the figures on prose: lengths of all of its cells, languages of the sample's."""
    texts = [column for column in columns if column.kind == "text"]
    nothing = np.empty(0, dtype=np.int64)
    cells = zip(*(column.strings for column in texts if column.strings is not None), strict=True)
    return {
        "text_tokens": lengths(np.concatenate([nothing, *(column.tokens for column in texts if column.tokens is not None)])),
        "text_chars": lengths(np.concatenate([nothing, *(column.characters for column in texts if column.characters is not None)])),
        "languages": languages(text for row in cells for text in row if text) if texts else None,
    }

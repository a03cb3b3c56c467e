"""Profiles: the meta-features of a table, which neighbours are found by and models of time and memory are fitted to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pydantic import BaseModel, ConfigDict

from dataset_catalog._errors import CatalogError
from dataset_catalog.content import row_hashes

PROFILE_VERSION = 1
_TEXT_TOKENS = 4.0
_TEXT_DISTINCT = 0.3
_DIGITS = 6


class Profile(BaseModel):
    """What a table is like. Shares lie between 0 and 1; columns and cells are those of the features, without the target.

    ``class_entropy`` is divided by its greatest possible value; ``imbalance`` is the largest class's rows over the smallest's;
    ``target_skew`` is the third standardised moment of a regression's target. ``None`` where a figure has no meaning.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    version: int = PROFILE_VERSION
    rows: int
    columns: int
    numeric_share: float
    categorical_share: float
    text_share: float
    constant_share: float
    missing_share: float
    missing_row_share: float
    repeated_row_share: float
    max_cardinality: int
    mean_cardinality: float | None
    mean_numeric_skew: float | None
    mean_text_tokens: float | None
    classes: int | None
    class_entropy: float | None
    imbalance: float | None
    target_skew: float | None


def profile(frame: pd.DataFrame, target: str, task: str) -> Profile:
    """Profile ``frame`` as a table to predict ``target`` from; the order of rows and columns does not matter.

    A column of text is one of more than four words a cell on average, most cells distinct; other text is a category. Raises
    :class:`CatalogError` when there is no such target, or no row or column beside it.
    """
    if target not in frame.columns:
        raise CatalogError(f"there is no column {target!r} to profile against; the columns are {', '.join(map(str, frame.columns[:20]))}")
    features = frame.drop(columns=target)
    if features.shape[1] == 0 or len(frame) == 0:
        raise CatalogError(f"a profile needs a row and a column beside {target!r}")
    columns = [features.iloc[:, position] for position in range(features.shape[1])]
    numeric = [column for column in columns if pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(column.dtype)]
    words = [(column, _mean_words(column)) for column in columns if not pd.api.types.is_numeric_dtype(column.dtype)]
    texts = [(column, count) for column, count in words if count > _TEXT_TOKENS and column.nunique() > _TEXT_DISTINCT * column.count()]
    others = [*numeric, *(text for text, _ in texts)]
    cardinalities = [column.nunique() for column in columns if not any(column is other for other in others)]
    missing = features.isna().to_numpy()
    return Profile(
        rows=len(frame),
        columns=len(columns),
        numeric_share=_rounded(len(numeric) / len(columns)),
        categorical_share=_rounded(len(cardinalities) / len(columns)),
        text_share=_rounded(len(texts) / len(columns)),
        constant_share=_rounded(sum(column.nunique(dropna=False) < 2 for column in columns) / len(columns)),
        missing_share=_rounded(missing.mean()),
        missing_row_share=_rounded(missing.any(axis=1).mean()),
        repeated_row_share=_rounded(1 - len(np.unique(row_hashes(features)[:, 0])) / len(frame)),
        max_cardinality=max(cardinalities, default=0),
        mean_cardinality=_mean(cardinalities),
        mean_numeric_skew=_mean([abs(_skew(column)) for column in numeric]),
        mean_text_tokens=_mean([count for _, count in texts]),
        **_of_target(frame[target].dropna(), task),
    )


def _of_target(values: pd.Series, task: str) -> dict[str, Any]:
    if task == "regression":
        numbers = pd.to_numeric(values, errors="coerce").dropna()
        return {"classes": None, "class_entropy": None, "imbalance": None, "target_skew": _rounded(_skew(numbers))}
    counts = values.value_counts().to_numpy(dtype=float)
    shares = counts / counts.sum()
    entropy = float(-(shares * np.log(shares)).sum() / np.log(len(shares))) if len(shares) > 1 else 0.0
    imbalance = _rounded(counts.max() / counts.min()) if len(counts) else None
    return {"classes": len(counts), "class_entropy": _rounded(entropy), "imbalance": imbalance, "target_skew": None}


def _mean_words(column: pd.Series) -> float:
    counts = column.value_counts()
    words = np.array([len(str(cell).split()) for cell in counts.index], dtype=float)
    return float((words * counts.to_numpy()).sum() / max(counts.sum(), 1))


def _skew(column: pd.Series) -> float:
    values = column.to_numpy(dtype=float, na_value=np.nan)
    values = values[np.isfinite(values)]
    spread = values.std() if len(values) else 0.0
    return float((((values - values.mean()) / spread) ** 3).mean()) if spread > 0 else 0.0


def _mean(values: list[Any]) -> float | None:
    return _rounded(float(np.mean(values))) if values else None


def _rounded(value: float) -> float:
    """To six significant digits: sums in another order agree that far."""
    return float(f"{float(value):.{_DIGITS}g}")

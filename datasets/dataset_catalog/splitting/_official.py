"""Official splits: a column that says which part each row belongs to."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dataset_catalog._errors import CatalogError
from dataset_catalog.splitting._strata import TEST, TRAINING, VALIDATION, Parts

_NAMES = {
    "training": TRAINING,
    "train": TRAINING,
    "validation": VALIDATION,
    "valid": VALIDATION,
    "val": VALIDATION,
    "dev": VALIDATION,
    "test": TEST,
    "testing": TEST,
    "0": TRAINING,
    "1": VALIDATION,
    "2": TEST,
}
"""What people call the three parts; 0, 1 and 2 are Ludwig's own."""


def official_parts(column: pd.Series) -> Parts:
    """Return the part that each cell of ``column`` names: training, validation or test, by any of their usual names, in any case.

    Raises :class:`CatalogError` for a cell that names none, a missing one included, and when there is no training or no test row.
    """
    parts = _named(column)
    if parts.isna().any():
        stray = column[parts.isna()].iloc[0]
        told = "nothing" if pd.isna(stray) else repr(stray)
        raise CatalogError(
            f"{column.name!r} holds {told} in {int(parts.isna().sum())} rows; it parts rows by training, validation and test alone"
        )
    for part, name in ((TRAINING, "training"), (TEST, "test")):
        if not (parts == part).any():
            raise CatalogError(f"{column.name!r} names no {name} row; an official split needs training and test rows")
    return parts.to_numpy(dtype=np.int8)


def names_parts(column: pd.Series) -> bool:
    """Whether ``column`` looks like an official split: every cell a part's name in words, training and test rows among them."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        return False
    parts = _named(column)
    return bool(parts.notna().all()) and {TRAINING, TEST} <= set(parts.unique())


def _named(column: pd.Series) -> pd.Series:
    spelt = {value: str(value).strip().casefold().removesuffix(".0") for value in column.dropna().unique()}
    return column.map({value: _NAMES[name] for value, name in spelt.items() if name in _NAMES}).astype("float64")

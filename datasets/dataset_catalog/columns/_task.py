"""The task that a target poses: two classes, several, or a quantity."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Literal

import numpy as np
import pandas as pd

from dataset_catalog._errors import CatalogError
from dataset_catalog.columns._cells import as_numbers, as_strings

FEWEST_ROWS = 20
_MOST_CLASSES = 1000
_LEVELS_OF_WHOLE_NUMBERS = 20
_MOSTLY = 0.9
_POSITIVE = ("1", "true", "yes", "y", "t", "positive", "pos", "bad", "default", "churn", "fraud")


def check_target(columns: Iterable[object], target: str) -> None:
    """Raise :class:`CatalogError`, naming what comes nearest, when none of ``columns`` is called ``target``."""
    names = [str(column) for column in columns]
    if target not in names:
        folded = {name.casefold(): name for name in names}
        near = [folded[name] for name in difflib.get_close_matches(target.strip().casefold(), list(folded), n=1, cutoff=0.6)]
        meant = f"; did you mean {near[0]!r}?" if near else f"; it has {', '.join(map(repr, names[:8]))}{' …' if len(names) > 8 else ''}"
        raise CatalogError(f"the table has no column {target!r}{meant}")


def infer_task(frame: pd.DataFrame, target: str) -> Literal["binary", "multiclass", "regression"]:
    """Say what kind of task ``target`` is.

    Two different values are ``binary``. Numbers are ``regression``, unless they are at most 20 different whole numbers that come up five
    times each on average. All else is ``multiclass``.

    Raises :class:`CatalogError` when the target is absent, missing everywhere, constant, or names its rows.
    """
    check_target(frame.columns, target)
    cells = frame[target]
    texts = as_strings(cells).dropna()
    levels = texts.nunique()
    check_levels(levels, len(texts), target)
    if levels == 2:
        return "binary"
    numbers = as_numbers(cells).dropna()
    if len(numbers) >= _MOSTLY * len(texts):
        whole = bool((numbers == np.floor(numbers)).all())
        few = numbers.nunique() <= _LEVELS_OF_WHOLE_NUMBERS and numbers.nunique() * 5 <= len(numbers)
        return "multiclass" if whole and few else "regression"
    if levels > _MOST_CLASSES or levels * 2 > len(texts):
        raise CatalogError(f"target {target!r} holds {levels} different strings in {len(texts)} rows: neither classes nor numbers")
    return "multiclass"


def check_levels(levels: int, count: int, target: str) -> None:
    """Raise :class:`CatalogError` when ``levels`` different values in ``count`` rows are nothing to learn."""
    if count == 0:
        raise CatalogError(f"target {target!r} is missing in every row")
    if levels == 1:
        raise CatalogError(f"target {target!r} is constant: there is nothing to learn")
    if count < FEWEST_ROWS:
        raise CatalogError(f"only {count} rows have a target {target!r}; at least {FEWEST_ROWS} are needed")


def likely_positive(truth: pd.Series) -> str:
    """Choose the class that says yes; without one the rarer, the later in the alphabet among equals."""
    counts = truth.value_counts()
    for label in counts.index:
        if str(label).casefold() in _POSITIVE:
            return str(label)
    return str(min(counts.index, key=lambda label: (counts[label], [-ord(letter) for letter in str(label)])))

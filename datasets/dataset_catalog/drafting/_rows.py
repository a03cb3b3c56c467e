"""Rows that repeat, across the parts of a split above all, and classes too rare to be judged."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dataset_catalog.content import row_hashes
from dataset_catalog.drafting._findings import Finding
from dataset_catalog.splitting import TEST, TRAINING, PartedRows

_TELLING = 0.01
_SERIOUS = 0.1
_SHOWN = 3


def find_repeats(parted: PartedRows, target: str) -> list[Finding]:
    """Find rows that repeat others, feature by feature, and how many test rows stand in the training part, too."""
    features = parted.frame.drop(columns=target)
    if features.shape[1] == 0:
        return []
    keys = row_hashes(features)[:, 0]
    rows = len(keys)
    repeated = rows - len(np.unique(keys))
    if not repeated:
        return []
    parts = parted.split.parts
    test = keys[parts == TEST]
    seen = float(np.isin(test, keys[parts == TRAINING]).mean()) if len(test) else 0.0
    labels = parted.frame[target].astype(str).groupby(keys).transform("nunique")
    torn = int((labels > 1).sum())
    text = (
        f"{repeated:,} of {rows:,} rows ({repeated / rows:.1%}) repeat the features of another; "
        f"{seen:.1%} of the test rows stand in the training part, too"
    )
    text += f"; {torn:,} rows are alike and differ in the target" if torn else ""
    if max(repeated / rows, seen) < _TELLING:
        return [Finding("repeated_rows", text, figure=round(seen, 4))]
    remedy = "leave repetitions out of the file if they are one observation, or keep them together with --split group:COLUMN"
    return [Finding("repeated_rows", text, remedy, figure=round(seen, 4), serious=seen >= _SERIOUS)]


def find_rare_classes(parted: PartedRows, target: str, task: str) -> list[Finding]:
    """Find classes that have no row in the test part."""
    if task == "regression":
        return []
    truth = parted.frame[target].astype(str)
    counts = truth.value_counts()
    absent = counts[~counts.index.isin(truth[parted.split.parts == TEST].unique())]
    if absent.empty:
        return []
    named = ", ".join(f"{level!r} ({count})" for level, count in absent.head(_SHOWN).items())
    more = f" and {len(absent) - _SHOWN} more" if len(absent) > _SHOWN else ""
    text = f"{len(absent)} of {len(counts)} classes are too rare to reach the test part: {named}{more}"
    return [Finding("rare_class", text, "join rare classes, or bring more rows", figure=float(absent.sum() / len(truth)))]


def find_missing_targets(frame: pd.DataFrame, target: str, truth: pd.Series) -> list[Finding]:
    """Find rows without a target, which no trial learns from."""
    missing = int(truth.isna().sum())
    if not missing:
        return []
    text = f"{missing:,} of {len(frame):,} rows have no {target!r}"
    return [Finding("missing_target", text, "no trial learns from them", (target,), round(missing / len(frame), 4))]

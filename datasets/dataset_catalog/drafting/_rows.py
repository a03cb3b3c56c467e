"""Rows that repeat, across the parts of a split above all, and classes too rare to be judged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from dataset_catalog.content import row_hashes
from dataset_catalog.drafting._findings import Finding
from dataset_catalog.drafting._splits import SplitIdea
from dataset_catalog.splitting import TEST, TRAINING, PartedRows

_SERIOUS = 0.01
"""From this share of test rows on that stand in the training part, too, scores are told better than they are."""

_SHOWN = 3


def find_repeats(parted: PartedRows, target: str, ideas: Sequence[SplitIdea]) -> list[Finding]:
    """Find rows that are copies of others, above all across the parts of the split, and rows alike in all but the target.

    Of ``ideas`` the first group is named that would keep copies together.
    """
    features = parted.frame.drop(columns=target)
    if features.shape[1] == 0:
        return []
    keys, copies = row_hashes(features)[:, 0], row_hashes(parted.frame)[:, 0]
    return [*_copies(copies, parted.split.parts, ideas), *_contradictions(keys, parted.frame[target])]


def _copies(keys: npt.NDArray[np.uint64], parts: npt.NDArray[np.int8], ideas: Sequence[SplitIdea]) -> list[Finding]:
    rows = len(keys)
    repeated = rows - len(np.unique(keys))
    if not repeated:
        return []
    test = keys[parts == TEST]
    seen = int(np.isin(test, keys[parts == TRAINING]).sum())
    share = seen / max(len(test), 1)
    text = f"{repeated:,} of {rows:,} rows ({repeated / rows:.1%}) are copies of another, target and all; "
    remedy = "leave copies out of the file if they are one observation"
    if not seen:
        text += "no test row stands in the training part"
    else:
        text += f"{seen:,} of {len(test):,} test rows ({share:.1%}) stand in the training part, too"
        group = next((f"{idea.option} keeps them together" for idea in ideas if idea.kind == "group"), None)
        remedy += f", else {group or 'keep them together with --split group:COLUMN, a column that says whose they are'}"
    return [Finding("repeated_rows", text, remedy, figure=round(share, 4), serious=share >= _SERIOUS)]


def _contradictions(keys: npt.NDArray[np.uint64], truth: pd.Series) -> list[Finding]:
    torn = int((truth.astype(str).groupby(keys).transform("nunique") > 1).sum())
    if not torn:
        return []
    text = f"{torn:,} of {len(keys):,} rows ({torn / len(keys):.1%}) are like another in every feature, and have another target"
    return [Finding("contradicting_rows", text, "no model tells them apart", figure=round(torn / len(keys), 4))]


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

"""Which trials are mined, and what is left out, counted."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from heuristics_db import Modality, SearchSpace
from mining._errors import MiningError
from mining._trial import PARAMETER_PREFIX

_NEEDED = (
    *("trial_id", "sweep_id", "dataset", "fingerprint", "family", "role", "task", "rows", "columns", "model_type", "seed", "fidelity"),
    *("epochs_run", "status", "metric", "direction", "validation_score", "curve", "train_seconds", "peak_memory_bytes"),
)


@dataclass(frozen=True, eq=False)
class Selection:
    """The trials that count, in the order of their ids, and how many were left out for which reason."""

    trials: pd.DataFrame
    left_out: Mapping[str, int]
    hash: str


def select(trials: pd.DataFrame, wide: Mapping[str, SearchSpace]) -> Selection:
    """Leave out preempted trials, and those of less than their dataset's full fidelity.

    Raises:
        MiningError: a column is missing, a trial stands twice or is of a model type without a wide space, or nothing is left.

    """
    missing = [name for name in _NEEDED if name not in trials.columns]
    if missing:
        raise MiningError(f"the trial table lacks the column {missing[0]}")
    ordered = trials.sort_values("trial_id", kind="stable").reset_index(drop=True)
    twice = ordered.loc[ordered["trial_id"].duplicated(), "trial_id"]
    if len(twice):
        raise MiningError(f"trial {twice.iloc[0]} stands twice in the trial table")
    strange = sorted({str(each) for each in ordered["model_type"]} - set(wide))
    if strange:
        raise MiningError(f"there is no wide search space for the model type {strange[0]}; known are {', '.join(sorted(wide))}")
    preempted = ordered["status"] == "preempted"
    lower = ~preempted & (ordered["fidelity"] < ordered.groupby("dataset")["fidelity"].transform("max"))
    kept = ordered[~preempted & ~lower].reset_index(drop=True)
    if kept.empty:
        raise MiningError("there are no trials to mine; run a sweep over training datasets first")
    return Selection(kept, {"preempted": int(preempted.sum()), "lower_fidelity": int(lower.sum())}, _hash(kept))


def modality_of(task: str) -> Modality:
    """Return the modality that a task belongs to."""
    return "text" if task.startswith("text") else "tabular"


def _hash(trials: pd.DataFrame) -> str:
    """Hash what was mined: each trial's id (which stands for its configuration, dataset and seed), state and score."""
    lines = [f"{row.trial_id} {row.status} {row.validation_score}" for row in trials.itertuples(index=False)]
    names = sorted(str(name) for name in trials.columns if str(name).startswith(PARAMETER_PREFIX))
    return hashlib.sha256("\n".join([*names, *lines]).encode()).hexdigest()

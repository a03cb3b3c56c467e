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
    *("row_cap", "split_id", "versions"),
)
ALIKE = ("engine", "ludwig", "torch")
"""Versions that a trial's score depends on: scores of different ones are not compared."""


@dataclass(frozen=True, eq=False)
class Selection:
    """The trials that count, in the order of their ids, and how many were left out for which reason."""

    trials: pd.DataFrame
    left_out: Mapping[str, int]
    versions: Mapping[str, str]
    hash: str


def check_columns(trials: pd.DataFrame) -> None:
    """Raise :class:`MiningError` for a trial table that lacks a column."""
    missing = [name for name in _NEEDED if name not in trials.columns]
    if missing:
        raise MiningError(f"the trial table lacks the column {missing[0]}")


def select(trials: pd.DataFrame, wide: Mapping[str, SearchSpace]) -> Selection:
    """Leave out preempted trials, and those of less than their dataset's full fidelity.

    What is left can be compared: the trials of a dataset ran on the same rows and the same parts, all of them on the same engine, Ludwig
    and torch, which ``versions`` tells.

    Raises:
        MiningError: a trial stands twice or is of a model type without a wide space, nothing is left, or what is left cannot be compared.

    """
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
    for name, group in kept.groupby("dataset", sort=True):
        _one_of(group, group["row_cap"].map(_cap), f"{name}: its trials ran on")
        _one_of(group, group["split_id"].map(lambda each: f"split {each}"), f"{name}: its trials ran on")
    versions = {name: _one_of(kept, kept["versions"].map(lambda each, name=name: _version(each, name)), "trials ran on") for name in ALIKE}
    return Selection(
        kept,
        {"preempted": int(preempted.sum()), "lower_fidelity": int(lower.sum())},
        {name: told.removeprefix(f"{name} ") for name, told in versions.items() if told != _version({}, name)},
        _hash(kept),
    )


def modality_of(task: str) -> Modality:
    """Return the modality that a task belongs to."""
    return "text" if task.startswith("text") else "tabular"


def _one_of(trials: pd.DataFrame, told: pd.Series[str], what: str) -> str:
    """Return the one value of ``told``; raise an error that names the sweeps of each where there are several."""
    sweeps = {str(value): sorted({str(each) for each in trials.loc[told == value, "sweep_id"]}) for value in sorted(set(told))}
    if len(sweeps) > 1:
        each = " and on ".join(f"{value} ({', '.join(names)})" for value, names in sweeps.items())
        raise MiningError(f"{what} {each}; their scores cannot be compared: mine sweeps that agree")
    return next(iter(sweeps))


def _cap(value: object) -> str:
    return "all rows" if value is None or value != value else f"at most {int(value)} rows"  # type: ignore[call-overload]


def _version(versions: object, name: str) -> str:
    found = versions.get(name) if isinstance(versions, Mapping) else None
    return f"{name} {found or 'of no known version'}"


def _hash(trials: pd.DataFrame) -> str:
    """Hash what was mined: each trial's id (which stands for its configuration, dataset and seed), state and score."""
    lines = [f"{row.trial_id} {row.status} {row.validation_score}" for row in trials.itertuples(index=False)]
    names = sorted(str(name) for name in trials.columns if str(name).startswith(PARAMETER_PREFIX))
    return hashlib.sha256("\n".join([*names, *lines]).encode()).hexdigest()

"""What is asked of the trial engine, and what it answers: plain values that cross process borders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

import numpy as np
import pandas as pd

from heuristics_db import Scalar

Task = Literal["binary", "multiclass", "regression", "text_classification"]
Status = Literal["completed", "stopped_early", "out_of_memory", "diverged", "timed_out", "failed", "preempted"]
FeatureType = Literal["number", "binary", "category", "text", "date"]


@dataclass(frozen=True)
class Feature:
    """One input column and the Ludwig feature type that it is given; ``reason`` says why, for people."""

    name: str
    type: FeatureType
    reason: str = ""


@dataclass(frozen=True, eq=False)
class TaskTable:
    """A table made ready to learn from: rows in canonical order, target present in each, features typed, split fixed.

    ``split`` holds one int8 a row: 0 training, 1 validation, 2 test. ``frame`` holds the feature columns and the target only.
    ``positive`` is the positive class of a binary task (as a string, like all class labels of ``frame[target]``).
    """

    name: str
    fingerprint: str
    frame: pd.DataFrame
    target: str
    task: Task
    features: tuple[Feature, ...]
    split: np.ndarray
    split_id: str
    row_cap: int | None = None
    positive: str | None = None


@dataclass(frozen=True)
class Scorer:
    """One scikit-learn metric: its name (``auc``, ``log_loss``, ``rmse``) and whether more is better."""

    metric: str
    direction: Literal["maximize", "minimize"]


@dataclass(frozen=True, eq=False)
class TrialRequest:
    """One trial to run. ``labels`` are handed to the recorder untouched (sweep_id, dataset, family, role …).

    ``epochs`` is the fidelity; ``time_limit`` (seconds of training) ends a trial as ``timed_out``; ``memory_limit`` (bytes of main memory
    that the trial's process may hold) as ``out_of_memory``; ``save_model_to`` is the folder that the Ludwig model is saved to;
    ``keep_best_in`` (absolute) is a folder that holds the model of the best trial of all that name it (:func:`kept_model`). A result in
    one of the states of ``again`` is not recorded, since whoever asks will run the trial once more (see ``TrialResult.refused``).
    """

    trial_id: str
    table: TaskTable
    model_type: str
    hyperparameters: Mapping[str, Scalar]
    seed: int
    epochs: int
    time_limit: float | None = None
    save_model_to: Path | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    memory_limit: int | None = None
    again: tuple[Status, ...] = ()
    keep_best_in: Path | None = None


@dataclass(frozen=True)
class EpochReport:
    """One evaluation of the validation part after an epoch, ``seconds`` of training into the trial.

    ``score`` is scikit-learn's, in the trial's metric; ``None`` when it is not finite.
    """

    epoch: int
    step: int
    seconds: float
    score: float | None
    train_loss: float | None = None


@dataclass(frozen=True)
class TrialResult:
    """What came of a trial. Scores are at the epoch with the best validation score; ``None`` when none was reached.

    ``refused``: the trial failed before its first step through no want of disk, memory or device, and would fail again.
    """

    trial_id: str
    model_type: str
    hyperparameters: Mapping[str, Scalar]
    status: Status
    metric: str
    direction: Literal["maximize", "minimize"]
    validation_score: float | None
    test_score: float | None
    extra_scores: Mapping[str, float]
    curve: tuple[EpochReport, ...]
    train_seconds: float
    prepare_seconds: float
    wall_seconds: float
    peak_memory_bytes: int
    n_parameters: int | None
    config: str
    device: str
    node_type: str
    versions: Mapping[str, str]
    started_at: datetime
    model_path: Path | None = None
    error: str | None = None
    refused: bool = False


class TrialRecorder(Protocol):
    """Where a worker writes a trial's record before it reports anywhere else. Pickled into the worker; must be idempotent."""

    def record(self, request: TrialRequest, result: TrialResult) -> None:
        """Make the record durable; raise when it could not be."""


@runtime_checkable
class TrialArchive(TrialRecorder, Protocol):
    """A recorder that remembers: a search does not run again what stands there."""

    def lookup(self, request: TrialRequest) -> tuple[TrialResult, ...]:
        """Return what was recorded of the trial, whoever asked for it: run to its end, or stopped early. Empty when it is unknown."""


@runtime_checkable
class TrialClaimer(Protocol):
    """A recorder that knows who runs which trial now, so that two who want the same one at the same time run it once."""

    def claim(self, request: TrialRequest, until: float | None = None) -> Callable[[], None]:
        """Wait until nobody else runs the trial, or until that moment (seconds since 1970); return what gives the claim back."""

"""The trial record: one configuration trained on one dataset with one seed up to one fidelity."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Literal

import pandas as pd
from pydantic import BaseModel, ConfigDict

Status = Literal["completed", "stopped_early", "out_of_memory", "diverged", "timed_out", "failed", "preempted"]
Direction = Literal["maximize", "minimize"]
FAILURES = frozenset({"out_of_memory", "diverged", "timed_out", "failed"})
"""States that count as the worst score. A preempted trial is none of them: it says nothing of its configuration."""
PARAMETER_PREFIX = "param."


class CurvePoint(BaseModel):
    """One evaluation of the validation part: after ``epoch`` epochs and ``seconds`` of training, ``score`` in the trial's metric."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    epoch: int
    step: int
    seconds: float
    score: float | None
    train_loss: float | None = None


class TrialRecord(BaseModel):
    """What the journal keeps of a trial. Written once, by the worker that ran it; never changed.

    ``hyperparameters`` maps dotted Ludwig paths to values; ``config`` is the whole rendered Ludwig configuration as JSON.
    Scores are scikit-learn's, at the best validation epoch; ``seconds`` and bytes are the worker's own measurements. ``time_limit`` is
    the seconds of training that the trial was given, ``None`` for as many as it needs; ``memory_limit`` the bytes of main memory.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    trial_id: str
    sweep_id: str
    dataset: str
    fingerprint: str
    family: str
    role: Literal["training", "held_out", "user"]
    task: str
    target: str
    row_cap: int | None
    rows: int
    columns: int
    split_id: str
    model_type: str
    hyperparameters: Mapping[str, bool | int | float | str | None]
    config: str
    seed: int
    fidelity: int
    time_limit: float | None = None
    memory_limit: int | None = None
    epochs_run: int
    status: Status
    metric: str
    direction: Direction
    validation_score: float | None
    test_score: float | None
    extra_scores: Mapping[str, float] = {}
    curve: tuple[CurvePoint, ...] = ()
    train_seconds: float
    prepare_seconds: float
    wall_seconds: float
    peak_memory_bytes: int
    n_parameters: int | None
    device: str
    node_type: str
    versions: Mapping[str, str]
    started_at: datetime
    error: str | None = None


def trial_table(records: Iterable[TrialRecord], *, test_scores: bool = False) -> pd.DataFrame:
    """Lay records out as one row a trial, ordered by trial id.

    The columns are the scalar fields, ``curve`` (a list of dicts), ``versions`` and one ``param.*`` column a hyperparameter.

    Values of hyperparameters stay as they are (object columns): a choice of ``None``, ``True`` and ``1`` is three choices, and a whole
    number stays one. A hyperparameter that a trial does not have is NaN there. ``test_score`` is a column only where it is asked for: what
    is mined never sees one.
    """
    ordered = sorted(records, key=lambda each: each.trial_id)
    left_out = {"hyperparameters", "extra_scores"} | (set() if test_scores else {"test_score"})
    dumped = [each.model_dump(exclude=left_out) for each in ordered]
    table = pd.DataFrame(dumped) if dumped else pd.DataFrame(columns=[name for name in TrialRecord.model_fields if name not in left_out])
    names = sorted({name for each in ordered for name in each.hyperparameters})
    parameters = {
        PARAMETER_PREFIX + name: pd.Series([each.hyperparameters.get(name, math.nan) for each in ordered], dtype=object) for name in names
    }
    return pd.concat([table, pd.DataFrame(parameters, index=table.index)], axis=1)

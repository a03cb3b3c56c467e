"""A trial from elsewhere beside what the journal holds of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from experiments.importing._rows import shown
from experiments.journaling import is_censored
from mining import TrialRecord

_RESULT = (
    *(
        "fingerprint",
        "task",
        "target",
        "row_cap",
        "rows",
        "columns",
        "split_id",
        "model_type",
        "hyperparameters",
        "config",
        "seed",
        "fidelity",
    ),
    *("status", "metric", "direction", "epochs_run", "validation_score", "test_score", "extra_scores", "n_parameters"),
)
"""What a trial's id stands for, and what came of it; when, where and how fast it ran may differ."""
_LABELS = ("dataset", "family", "role")


@dataclass(frozen=True)
class Verdict:
    """``new``: to be taken. ``known``: the journal answers for it, ``owner`` being the sweep that does. ``contradicts``: and ``why``."""

    what: Literal["new", "known", "contradicts"]
    owner: str = ""
    why: str = ""


def judge(record: TrialRecord, held: Iterable[TrialRecord]) -> Verdict:
    """Compare ``record`` with all that the journal holds of its trial.

    A settled record is known when a sweep holds it under its labels with the same result; one of other labels (a user's own run of the same
    table) is taken beside it. A censored one is known where the trial is settled, or where its sweep holds it.
    """
    held = list(held)
    rivals = [each for each in held if not is_censored(each)]
    if is_censored(record):
        if owner := _owner(record, rivals):
            return Verdict("known", owner)
        rivals = [each for each in held if _place(each) == _place(record)]
    for each in rivals:
        if why := _difference(record, each):
            return Verdict("contradicts", why=f"the journal holds another result of this trial ({each.sweep_id}): {why}")
    owner = _owner(record, rivals)
    return Verdict("known", owner) if owner else Verdict("new")


def _owner(record: TrialRecord, held: Iterable[TrialRecord]) -> str:
    """Return a sweep that answers for ``record``: its own, or one that holds the trial under the same labels."""
    answering = [each for each in held if each.sweep_id == record.sweep_id or _labels(each) == _labels(record)]
    return min(answering, key=lambda each: each.sweep_id != record.sweep_id).sweep_id if answering else ""


def _place(record: TrialRecord) -> tuple[object, ...]:
    """Return what the file of a censored record is named after: where two of them are the same, there is room for one."""
    time = record.time_limit if record.status == "timed_out" else None
    return record.sweep_id, record.epochs_run, time, record.memory_limit if record.status == "out_of_memory" else None


def _labels(record: TrialRecord) -> tuple[str, ...]:
    return record.dataset, record.family, record.role


def _difference(record: TrialRecord, held: TrialRecord) -> str:
    names = (*_RESULT, *_LABELS) if held.sweep_id == record.sweep_id else _RESULT
    for name in names:
        there, here = getattr(held, name), getattr(record, name)
        if there != here:
            return shown(f"{name} {there} there, {here} in the row") if len(f"{there}{here}") < 100 else f"another {name}"
    return "" if _scores(record) == _scores(held) else "another curve"


def _scores(record: TrialRecord) -> list[tuple[object, ...]]:
    return [(point.epoch, point.step, point.score, point.train_loss) for point in record.curve]

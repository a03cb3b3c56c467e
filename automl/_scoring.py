"""One scorer for every arm and every reference: scikit-learn's metrics on predictions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from automl._errors import AutoMLError
from automl._trial import Scorer, Task

PROBABILITY_FLOOR = 1e-7
"""No probability counts as less: a class that a model never saw must not decide a log loss by itself."""

_SCORERS: dict[str, Scorer] = {
    "binary": Scorer("auc", "maximize"),
    "multiclass": Scorer("log_loss", "minimize"),
    "text_classification": Scorer("log_loss", "minimize"),
    "regression": Scorer("rmse", "minimize"),
}


@dataclass(frozen=True)
class Scores:
    """The task's own metric (``None`` where it is not defined or not finite) and others beside it, for people."""

    score: float | None
    extra: Mapping[str, float] = field(default_factory=dict)


def scorer_for(task: Task) -> Scorer:
    """Return the metric that trials of ``task`` are compared by: AUC, log loss (multiclass and text) or RMSE.

    Raises:
        AutoMLError: no such task.

    """
    if task not in _SCORERS:
        raise AutoMLError(f"no such task: {task!r}; one of {', '.join(_SCORERS)}")
    return _SCORERS[task]


def score(
    task: Task, truth: Any, predictions: Any, *, classes: Sequence[str] = (), positive: str | None = None, extras: bool = True
) -> Scores:
    """Score predictions with scikit-learn, the same way for Ludwig's models and for references.

    Args:
        task: what is predicted.
        truth: one value a row: numbers for regression, else class labels (compared as strings).
        predictions: regression: one number a row; else probabilities, one row a row and one column a class.
        classes: the class label of each column of ``predictions``. A label of ``truth`` that is not among them counts as given
            probability ``PROBABILITY_FLOOR``.
        positive: the positive class of a binary task; without it the last of the sorted labels.
        extras: whether to work out the other metrics too.

    Raises:
        AutoMLError: shapes that do not fit each other.

    """
    scorer_for(task)
    values = np.asarray(predictions, dtype=np.float64)
    if len(values) != len(truth):
        raise AutoMLError(f"{len(values)} predictions for {len(truth)} rows: one is needed for each")
    if len(values) == 0 or not np.isfinite(values).all():
        return Scores(None)
    if task == "regression":
        return _regression(np.asarray(truth, dtype=np.float64), values, extras)
    if values.ndim != 2 or values.shape[1] != len(classes):
        raise AutoMLError(f"probabilities of shape {values.shape} for {len(classes)} classes: one column a class is needed")
    known = np.asarray([str(value) for value in truth], dtype=object)
    labels, probabilities = _align(known, values, classes)
    if task == "binary":
        return _binary(known, probabilities, labels, positive if positive is not None else labels[-1], extras)
    return _multiclass(known, probabilities, labels, extras)


def _align(truth: np.ndarray, values: np.ndarray, classes: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """One column a label seen by the model or in the truth, in sorted order."""
    labels = sorted({str(name) for name in classes} | set(truth.tolist()))
    place = {label: column for column, label in enumerate(labels)}
    probabilities = np.zeros((len(values), len(labels)))
    for column, name in enumerate(classes):
        probabilities[:, place[str(name)]] += values[:, column]
    return labels, probabilities


def _binary(truth: np.ndarray, probabilities: np.ndarray, labels: list[str], positive: str, extras: bool) -> Scores:
    from sklearn import metrics

    actual = truth == positive
    share = probabilities[:, labels.index(positive)] if positive in labels else np.zeros(len(truth))
    extra = {}
    if extras:
        extra = {"accuracy": float(metrics.accuracy_score(actual, share >= 0.5)), "log_loss": _log_loss(truth, probabilities, labels)}
    if actual.all() or not actual.any():
        return Scores(None, extra)
    return Scores(float(metrics.roc_auc_score(actual, share)), extra)


def _multiclass(truth: np.ndarray, probabilities: np.ndarray, labels: list[str], extras: bool) -> Scores:
    from sklearn import metrics

    if not extras:
        return Scores(_log_loss(truth, probabilities, labels))
    chosen = np.asarray(labels, dtype=object)[probabilities.argmax(axis=1)]
    extra = {
        "accuracy": float(np.mean(chosen == truth)),
        "macro_f1": float(metrics.f1_score(truth.tolist(), chosen.tolist(), average="macro", zero_division=0.0)),
    }
    return Scores(_log_loss(truth, probabilities, labels), extra)


def _log_loss(truth: np.ndarray, probabilities: np.ndarray, labels: list[str]) -> float:
    from sklearn import metrics

    if len(labels) < 2:
        return 0.0
    floored = np.clip(probabilities, PROBABILITY_FLOOR, 1.0)
    return float(metrics.log_loss(truth.tolist(), floored / floored.sum(axis=1, keepdims=True), labels=labels))


def _regression(truth: np.ndarray, values: np.ndarray, extras: bool) -> Scores:
    from sklearn import metrics

    values = values.reshape(len(truth), -1)[:, 0]
    rmse = float(metrics.root_mean_squared_error(truth, values))
    if not extras:
        return Scores(rmse if math.isfinite(rmse) else None)
    extra = {"mae": float(metrics.mean_absolute_error(truth, values))}
    if len(truth) > 1 and float(np.var(truth)) > 0:
        extra["r2"] = float(metrics.r2_score(truth, values))
    return Scores(rmse if math.isfinite(rmse) else None, {name: value for name, value in extra.items() if math.isfinite(value)})

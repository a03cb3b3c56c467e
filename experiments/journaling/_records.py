"""From what the trial engine answers to the record that is kept."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal, cast, get_args

from automl import EpochReport, TrialRequest, TrialResult
from experiments._errors import ExperimentError
from mining import CurvePoint, TrialRecord

Role = Literal["training", "held_out", "user"]
_ROLES = get_args(Role)


def build_record(request: TrialRequest, result: TrialResult) -> TrialRecord:
    """Join a trial's request, result and labels into its record.

    ``request.labels`` must give ``sweep_id`` and ``role``; ``dataset`` falls back on the table's name, ``family`` on the dataset.
    Raises :class:`ExperimentError` when a label is missing or the role is unknown.
    """
    labels, table = _checked_labels(request), request.table
    dataset = labels.get("dataset") or table.name
    return TrialRecord(
        trial_id=request.trial_id,
        sweep_id=labels["sweep_id"],
        dataset=dataset,
        fingerprint=table.fingerprint,
        family=labels.get("family") or dataset,
        role=cast("Role", labels["role"]),
        task=table.task,
        target=table.target,
        row_cap=table.row_cap,
        rows=len(table.frame),
        columns=len(table.features),
        split_id=table.split_id,
        model_type=request.model_type,
        hyperparameters=dict(request.hyperparameters),
        config=result.config,
        seed=request.seed,
        fidelity=request.epochs,
        time_limit=request.time_limit,
        memory_limit=request.memory_limit,
        epochs_run=max((point.epoch for point in result.curve), default=0),
        status=result.status,
        metric=result.metric,
        direction=result.direction,
        validation_score=_finite(result.validation_score),
        test_score=_finite(result.test_score),
        extra_scores={name: value for name, value in result.extra_scores.items() if math.isfinite(value)},
        curve=tuple(_point(each) for each in result.curve),
        train_seconds=result.train_seconds,
        prepare_seconds=result.prepare_seconds,
        wall_seconds=result.wall_seconds,
        peak_memory_bytes=result.peak_memory_bytes,
        n_parameters=result.n_parameters,
        device=result.device,
        node_type=result.node_type,
        versions=dict(result.versions),
        started_at=result.started_at,
        error=result.error,
    )


def _checked_labels(request: TrialRequest) -> Mapping[str, str]:
    labels, refused = request.labels, f"trial {request.trial_id} cannot be journaled"
    if missing := [name for name in ("sweep_id", "role") if not labels.get(name)]:
        raise ExperimentError(f"{refused}: its labels lack {', '.join(missing)}")
    if labels["role"] not in _ROLES:
        raise ExperimentError(f"{refused}: its role is {labels['role']!r}, not one of {', '.join(_ROLES)}")
    return labels


def _point(report: EpochReport) -> CurvePoint:
    return CurvePoint(
        epoch=report.epoch, step=report.step, seconds=report.seconds, score=_finite(report.score), train_loss=_finite(report.train_loss)
    )


def read_result(record: TrialRecord) -> TrialResult:
    """Return what the engine answered when ``record`` was written; no model was kept."""
    return TrialResult(
        trial_id=record.trial_id,
        model_type=record.model_type,
        hyperparameters=dict(record.hyperparameters),
        status=record.status,
        metric=record.metric,
        direction=record.direction,
        validation_score=record.validation_score,
        test_score=record.test_score,
        extra_scores=dict(record.extra_scores),
        curve=tuple(EpochReport(point.epoch, point.step, point.seconds, point.score, point.train_loss) for point in record.curve),
        train_seconds=record.train_seconds,
        prepare_seconds=record.prepare_seconds,
        wall_seconds=record.wall_seconds,
        peak_memory_bytes=record.peak_memory_bytes,
        n_parameters=record.n_parameters,
        config=record.config,
        device=record.device,
        node_type=record.node_type,
        versions=dict(record.versions),
        started_at=record.started_at,
        error=record.error,
    )


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None

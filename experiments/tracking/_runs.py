"""A trial's record as MLflow's parameters, metrics and tags."""

from __future__ import annotations

from dataclasses import dataclass

from mining import FAILURES, TrialRecord

_TAG_LENGTH = 500


@dataclass(frozen=True)
class Point:
    """One value of a metric. ``moment`` is in milliseconds since 1970."""

    key: str
    value: float
    moment: int
    step: int


def run_name(record: TrialRecord) -> str:
    """Return the name that people see: dataset, model type, the id's beginning."""
    return f"{record.dataset} {record.model_type} {record.trial_id[:8]}"


def tags(record: TrialRecord, sweep_id: str, parent: str) -> dict[str, str]:
    """Return the tags of a trial's run; ``sweep_id`` is the sweep that it is shown under."""
    found = {
        "mlflow.parentRunId": parent,
        "mlflow.source.type": "LOCAL",
        "lode.kind": "trial",
        "lode.sweep_id": sweep_id,
        "lode.ran_by": record.sweep_id,
        "lode.trial_id": record.trial_id,
        "lode.dataset": record.dataset,
        "lode.family": record.family,
        "lode.role": record.role,
        "lode.task": record.task,
        "lode.model_type": record.model_type,
        "lode.status": record.status,
        "lode.metric": record.metric,
        "lode.fingerprint": record.fingerprint,
        "lode.device": record.device,
        "lode.node_type": record.node_type,
    }
    found |= {f"version.{name}": version for name, version in record.versions.items()}
    if record.error:
        found["lode.error"] = record.error
    return {name: value[:_TAG_LENGTH] for name, value in found.items()}


def parameters(record: TrialRecord) -> dict[str, str]:
    """Return hyperparameters and what else was chosen, as text."""
    chosen = {
        "dataset": record.dataset,
        "model_type": record.model_type,
        "seed": record.seed,
        "epochs": record.fidelity,
        "row_cap": record.row_cap,
        "rows": record.rows,
    }
    return {name: str(value) for name, value in (chosen | dict(record.hyperparameters)).items()}


def points(record: TrialRecord) -> list[Point]:
    """Return the learning curve an epoch at a time, and the trial's scores, durations and memory."""
    start = started(record)
    found = []
    for each in record.curve:
        moment = start + int(1000 * (record.prepare_seconds + each.seconds))
        for key, value in ((f"validation_{record.metric}", each.score), ("train_loss", each.train_loss)):
            if value is not None:
                found.append(Point(key, value, moment, each.epoch))
    end = ended(record)
    summary = {
        f"best_validation_{record.metric}": record.validation_score,
        f"test_{record.metric}": record.test_score,
        "train_seconds": record.train_seconds,
        "prepare_seconds": record.prepare_seconds,
        "wall_seconds": record.wall_seconds,
        "overhead_seconds": max(record.wall_seconds - record.train_seconds, 0.0),
        "peak_memory_mib": record.peak_memory_bytes / 2**20,
        "n_parameters": record.n_parameters,
        "epochs_run": record.epochs_run,
    } | {f"test_{name}": value for name, value in record.extra_scores.items()}
    found += [Point(key, float(value), end, record.epochs_run) for key, value in summary.items() if value is not None]
    return found


def outcome(record: TrialRecord) -> str:
    """Return MLflow's state of a run."""
    return "FAILED" if record.status in FAILURES else "KILLED" if record.status == "preempted" else "FINISHED"


def started(record: TrialRecord) -> int:
    """Return the moment at which the trial started, in milliseconds since 1970."""
    return int(record.started_at.timestamp() * 1000)


def ended(record: TrialRecord) -> int:
    """Return the moment at which the trial ended, in milliseconds since 1970."""
    return started(record) + int(record.wall_seconds * 1000)

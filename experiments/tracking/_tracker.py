"""Logs sweeps and trials with explicit run ids, in batches, each at most once."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from automl import kept_model
from experiments._home import Home
from experiments.tracking import _runs
from experiments.tracking._client import TrackingError, connect, first_line, shown
from experiments.tracking._figures import SweepFigures
from mining import TrialRecord

EXPERIMENT = "motherlode"
_METRICS_AT_ONCE = 800  # MLflow takes 1,000 entries a call: metrics, parameters and tags together
_PARAMETERS_AT_ONCE = 90
_PAGE = 1000
_MODEL_TAG = "lode.model"
_BEGUN_TAG = "lode.begun"


@dataclass(frozen=True)
class SweepRun:
    """The parent run of a sweep (or of a validation): its id, name, parameters, tags, and when it began (milliseconds since 1970).

    The same sweep begun in two homes has one id and two moments: by these their runs are told apart on a server that both log to.
    """

    sweep_id: str
    name: str
    kind: str = "sweep"
    parameters: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    started: int | None = None


@dataclass(frozen=True)
class TrackingReport:
    """What was logged now, what stood there already, what waits for ``lode sweep sync``, and why it waits."""

    sweep_id: str
    logged: int = 0
    already: int = 0
    waiting: int = 0
    error: str | None = None


class Tracker:
    """Logs one sweep's trials. Not for use from several threads or processes at once: who logs a sweep holds its lock.

    Which trials stand there already is read from the server once, so that a replay logs each trial exactly once; a run left half-written
    by a process that died is deleted and written anew. Runs of the same sweep in another home are left alone. Every method raises
    :class:`TrackingError` when the server fails.
    """

    def __init__(self, home: Home, run: SweepRun) -> None:
        self._home = home
        self._run = run
        try:
            self._client = connect(home)
            self._experiment = self._find_experiment()
            self._parent = self._find_parent()
            self._known = self._find_trials()
        except TrackingError:
            raise
        except Exception as error:
            raise self._failure(error) from error

    @property
    def known(self) -> frozenset[str]:
        """The ids of the trials that are logged."""
        return frozenset(self._known)

    def log(self, record: TrialRecord) -> bool:
        """Log a trial under this sweep; returns ``False`` when it stood there."""
        if record.trial_id in self._known:
            return False
        try:
            self._known[record.trial_id] = self._write(record)
        except Exception as error:
            raise self._failure(error) from error
        return True

    def finish(self, figures: SweepFigures, *, status: str = "FINISHED") -> None:
        """Write the sweep's own figures and end its run; may be called again after a resume, and changes nothing when nothing came."""
        try:
            points = (_runs.Point(key, value, figures.ended, 0) for key, value in figures.metrics().items())
            self._client.log_batch(self._parent, metrics=self._metrics(points))
            self._client.set_terminated(self._parent, status=status, end_time=figures.ended or None)
        except Exception as error:
            raise self._failure(error) from error

    def log_models(self, folder: Path) -> None:
        """Log the models that a sweep keeps in ``folder`` as artifacts (``model``) of their trials' runs, each once.

        A model that gave way to a better one of its dataset since it was logged is no longer tagged as the one that is kept.
        """
        try:
            tagged = self._own("trial", f" and tags.`{_MODEL_TAG}` = 'model'")
            for dataset in sorted(each for each in folder.glob("*") if each.is_dir()):
                self._log_models_of(dataset, [run for run in tagged if run.data.tags.get("lode.dataset") == dataset.name])
        except Exception as error:
            raise self._failure(error) from error

    def _log_models_of(self, dataset: Path, tagged: Iterable[Any]) -> None:
        best = kept_model(dataset)
        kept = [best[1]] if best is not None else sorted(each for each in dataset.glob("[!.]*") if each.is_dir())
        logged = {run.info.run_id for run in tagged}
        ours = {run_id: model for model in kept if (run_id := self._known.get(model.name)) is not None}
        for run_id in ours.keys() - logged:
            self._client.log_artifacts(run_id, str(ours[run_id]), artifact_path="model")
            self._client.set_tag(run_id, _MODEL_TAG, "model")
        if best is not None and ours:
            for run_id in logged - ours.keys():
                self._client.delete_tag(run_id, _MODEL_TAG)

    def _write(self, record: TrialRecord) -> str:
        tags = _runs.tags(record, self._run.sweep_id, self._parent) | self._mark
        run = self._client.create_run(self._experiment, start_time=_runs.started(record), tags=tags, run_name=_runs.run_name(record))
        run_id = str(run.info.run_id)
        metrics = self._metrics(_runs.points(record))
        parameters = self._parameters(_runs.parameters(record))
        while metrics or parameters:
            self._client.log_batch(run_id, metrics=metrics[:_METRICS_AT_ONCE], params=parameters[:_PARAMETERS_AT_ONCE])
            metrics, parameters = metrics[_METRICS_AT_ONCE:], parameters[_PARAMETERS_AT_ONCE:]
        self._client.set_terminated(run_id, status=_runs.outcome(record), end_time=_runs.ended(record))
        return run_id

    def _find_experiment(self) -> str:
        found = self._client.get_experiment_by_name(EXPERIMENT)
        if found is None:
            ours = self._home.tracking_uri.startswith("sqlite")
            try:
                return str(self._client.create_experiment(EXPERIMENT, artifact_location=self._home.artifacts.as_uri() if ours else None))
            except Exception:  # the name is there: another process was quicker (each store wraps that differently)
                found = self._client.get_experiment_by_name(EXPERIMENT)
                if found is None:
                    raise
        if found.lifecycle_stage == "deleted":
            self._client.restore_experiment(found.experiment_id)
        return str(found.experiment_id)

    def _find_parent(self) -> str:
        if runs := self._own(self._run.kind):
            parent = str(min(runs, key=lambda run: (run.info.start_time, run.info.run_id)).info.run_id)
            self._client.update_run(parent, status="RUNNING")
            return parent
        tags = {"lode.kind": self._run.kind, "lode.sweep_id": self._run.sweep_id, **self._run.tags, **self._mark}
        created = self._client.create_run(self._experiment, start_time=self._run.started or _now(), tags=tags, run_name=self._run.name)
        parent = str(created.info.run_id)
        self._client.log_batch(parent, params=self._parameters(self._run.parameters))
        return parent

    def _find_trials(self) -> dict[str, str]:
        known: dict[str, str] = {}
        for run in self._own("trial"):
            if run.info.status == "RUNNING":
                self._client.delete_run(run.info.run_id)
            else:
                known[run.data.tags["lode.trial_id"]] = str(run.info.run_id)
        return known

    @property
    def _mark(self) -> dict[str, str]:
        """What our runs are known by."""
        return {_BEGUN_TAG: str(self._run.started) if self._run.started is not None else "no plan"}

    def _own(self, kind: str, besides: str = "") -> list[Any]:
        """Return this sweep's runs of ``kind`` but for those that another home logs; a run without the mark is of an earlier version."""
        ours = self._mark[_BEGUN_TAG]
        found = self._search(f"tags.`lode.sweep_id` = '{self._run.sweep_id}' and tags.`lode.kind` = '{kind}'{besides}")
        return [run for run in found if run.data.tags.get(_BEGUN_TAG, ours) == ours]

    def _search(self, condition: str) -> list[Any]:
        found: list[Any] = []
        token = None
        while True:
            page = self._client.search_runs([self._experiment], condition, max_results=_PAGE, page_token=token)
            found += page
            token = page.token
            if not token:
                return found

    def _failure(self, error: Exception) -> TrackingError:
        return TrackingError(f"MLflow at {shown(self._home.tracking_uri)} failed: {first_line(error)}")

    @staticmethod
    def _metrics(points: Iterable[_runs.Point]) -> list[Any]:
        from mlflow.entities import Metric

        return [Metric(each.key, each.value, each.moment, each.step) for each in points]

    @staticmethod
    def _parameters(values: Mapping[str, str]) -> list[Any]:
        from mlflow.entities import Param

        return [Param(name, value) for name, value in values.items()]


def _now() -> int:
    return int(time.time() * 1000)

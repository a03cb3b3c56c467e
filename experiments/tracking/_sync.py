"""Replays the journal into MLflow: what is there already stays, what is missing is logged, nothing is logged twice."""

from __future__ import annotations

from collections.abc import Callable

from filelock import FileLock, Timeout

from experiments._home import Home
from experiments.journaling import Journal
from experiments.tracking._background import tracking_lock
from experiments.tracking._client import LoggedElsewhereError
from experiments.tracking._figures import SweepFigures
from experiments.tracking._tracker import SweepRun, Tracker, TrackingReport

_LOCK_SECONDS = 5.0


def sync(home: Home, run: SweepRun, *, progress: Callable[[int, int], None] | None = None) -> TrackingReport:
    """Log the journal's trials of ``run.sweep_id`` that MLflow lacks; ``progress`` is told how many of how many are done.

    Raises :class:`TrackingError` when the server fails, :class:`LoggedElsewhereError` when another process is logging this sweep.
    """
    try:
        with FileLock(tracking_lock(home, run.sweep_id), timeout=_LOCK_SECONDS):
            return _replay(home, run, progress)
    except Timeout as error:
        raise LoggedElsewhereError(f"another process is logging {run.sweep_id}; try again when it has ended") from error


def _replay(home: Home, run: SweepRun, progress: Callable[[int, int], None] | None) -> TrackingReport:
    journal, tracker = Journal(home.journal), Tracker(home, run)
    records = journal.records(run.sweep_id)
    logged = 0
    for done, record in enumerate(records, start=1):
        logged += tracker.log(record)
        if progress is not None:
            progress(done, len(records))
    planned = journal.summary(run.sweep_id).planned
    whole = planned is None or len(records) >= planned
    tracker.finish(SweepFigures.of(run.sweep_id, records), status="FINISHED" if whole else "KILLED")
    tracker.log_models(home.models / run.sweep_id)
    return TrackingReport(run.sweep_id, logged, len(records) - logged)

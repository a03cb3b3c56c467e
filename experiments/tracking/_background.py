"""Logs trials in a thread of its own, so that neither trials nor their driver wait for the tracking server."""

from __future__ import annotations

import threading
from collections import deque
from pathlib import Path

from filelock import FileLock, Timeout

from experiments._home import Home
from experiments.tracking._client import TrackingError, first_line, shown
from experiments.tracking._figures import SweepFigures
from experiments.tracking._tracker import SweepRun, Tracker, TrackingReport
from mining import TrialRecord

_FIRST_PAUSE = 5.0
_LONGEST_PAUSE = 300.0
_MOST_WAITING = 2000
"""Records kept in memory while the server is away; what comes after them waits in the journal for ``sync``."""


class BackgroundTracker:
    """Takes records as they come and logs them in order; keeps no record that the journal does not hold.

    When the server fails, the thread tries again after a pause that doubles, up to five minutes, and a last time when the sweep ends;
    what is not logged by then, ``sync`` replays. ``put`` never blocks and never raises.

    Args:
        home: where the journal is, and which server to log to.
        run: the sweep.
        first_pause: seconds before a server that failed is tried again.

    """

    def __init__(self, home: Home, run: SweepRun, *, first_pause: float = _FIRST_PAUSE) -> None:
        self._home, self._run, self._first_pause = home, run, first_pause
        self._waiting: deque[TrialRecord] = deque()
        self._changed = threading.Condition()
        self._closing = False
        self._figures = SweepFigures(run.sweep_id)
        self._status, self._models = "FINISHED", True
        self._logged = self._already = self._taken = self._dropped = 0
        self._error: str | None = None
        self._thread = threading.Thread(target=self._work, name="lode-tracking", daemon=True)

    def start(self) -> None:
        """Begin connecting."""
        self._thread.start()

    def put(self, record: TrialRecord) -> None:
        """Hand over a record that the journal holds."""
        with self._changed:
            self._taken += 1
            self._figures.add(record)
            if self._error is None or len(self._waiting) < _MOST_WAITING:
                self._waiting.append(record)
            else:
                self._dropped += 1
            self._changed.notify()

    def close(self, *, patience: float, status: str = "FINISHED", models: bool = True) -> TrackingReport:
        """Wait at most ``patience`` seconds for what was handed over, end the sweep's run with its figures, and report.

        ``models`` says whether those that the sweep keeps are logged, too.
        """
        with self._changed:
            self._status, self._models, self._closing = status, models, True
            self._changed.notify()
        self._thread.join(timeout=patience)
        error = self._error
        if self._thread.is_alive():
            error = f"MLflow at {shown(self._home.tracking_uri)} did not take everything within {patience:.0f} seconds"
        return TrackingReport(self._run.sweep_id, self._logged, self._already, self._taken - self._logged - self._already, error)

    def _work(self) -> None:
        try:
            with FileLock(tracking_lock(self._home, self._run.sweep_id), timeout=0):
                self._keep_logging()
        except Timeout:
            self._error = "another process is logging this sweep"
        except Exception as error:  # whatever fails here must not end the sweep; the journal holds every trial
            self._error = f"tracking failed: {type(error).__name__}: {first_line(error)}"

    def _keep_logging(self) -> None:
        pause = self._first_pause
        while True:
            last, before = self._closing, self._logged
            try:
                self._log_all()
            except TrackingError as error:
                self._error = str(error)
            else:
                return
            if last:
                return
            if self._logged > before:
                pause = self._first_pause
            with self._changed:
                self._changed.wait_for(lambda: self._closing, timeout=pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _log_all(self) -> None:
        tracker = Tracker(self._home, self._run)
        while (record := self._next()) is not None:
            if tracker.log(record):
                self._logged += 1
            else:
                self._already += 1
            self._waiting.popleft()  # only now: what fails half-way is logged anew by the next tracker
            self._error = None
        if self._dropped:
            self._error = f"MLflow at {shown(self._home.tracking_uri)} was away for long"
        else:
            tracker.finish(self._figures, status=self._status)
            if self._models:
                tracker.log_models(self._home.models / self._run.sweep_id)
            self._error = None

    def _next(self) -> TrialRecord | None:
        """Wait for a record; ``None`` when the sweep has ended and nothing is left."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._waiting) or self._closing)
            return self._waiting[0] if self._waiting else None


def tracking_lock(home: Home, sweep_id: str) -> Path:
    """Return the file that whoever logs ``sweep_id`` holds locked."""
    folder = home.journal / sweep_id
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "tracking.lock"

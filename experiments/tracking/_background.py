"""Logs trials in a thread of its own, so that neither trials nor their driver wait for the tracking server."""

from __future__ import annotations

import queue
import threading
from collections.abc import Mapping
from pathlib import Path

from filelock import FileLock, Timeout

from experiments._home import Home
from experiments.tracking._client import TrackingError, first_line, shown
from experiments.tracking._tracker import SweepRun, Tracker, TrackingReport
from mining import TrialRecord


class BackgroundTracker:
    """Takes records as they come and logs them in order; keeps no record that the journal does not hold.

    When the server fails, the thread stops trying and counts what waits: ``sync`` replays it. ``put`` never blocks and never raises.
    """

    def __init__(self, home: Home, run: SweepRun) -> None:
        self._home = home
        self._run = run
        self._records: queue.SimpleQueue[TrialRecord | None] = queue.SimpleQueue()
        self._logged = 0
        self._already = 0
        self._taken = 0
        self._error: str | None = None
        self._summary: Mapping[str, float] | None = None
        self._status = "FINISHED"
        self._thread = threading.Thread(target=self._work, name="lode-tracking", daemon=True)

    def start(self) -> None:
        """Begin connecting."""
        self._thread.start()

    def put(self, record: TrialRecord) -> None:
        """Hand over a record that the journal holds."""
        self._taken += 1
        self._records.put(record)

    def close(self, *, patience: float, summary: Mapping[str, float] | None = None, status: str = "FINISHED") -> TrackingReport:
        """Wait at most ``patience`` seconds for what was handed over, end the sweep's run with ``summary``, and report."""
        self._summary, self._status = summary, status
        self._records.put(None)
        self._thread.join(timeout=patience)
        error = self._error
        if self._thread.is_alive():
            error = f"MLflow at {shown(self._home.tracking_uri)} did not take everything within {patience:.0f} seconds"
        return TrackingReport(self._run.sweep_id, self._logged, self._already, self._taken - self._logged - self._already, error)

    def _work(self) -> None:
        try:
            with FileLock(tracking_lock(self._home, self._run.sweep_id), timeout=0):
                self._log_all()
        except Timeout:
            self._error = "another process is logging this sweep"
        except TrackingError as error:
            self._error = str(error)
        except Exception as error:  # whatever fails here must not end the sweep; the journal holds every trial
            self._error = f"tracking failed: {type(error).__name__}: {first_line(error)}"

    def _log_all(self) -> None:
        tracker = Tracker(self._home, self._run)
        while (record := self._records.get()) is not None:
            if tracker.log(record):
                self._logged += 1
            else:
                self._already += 1
        if self._summary is not None:
            tracker.finish(self._summary, status=self._status)


def tracking_lock(home: Home, sweep_id: str) -> Path:
    """Return the file that whoever logs ``sweep_id`` holds locked."""
    folder = home.journal / sweep_id
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "tracking.lock"

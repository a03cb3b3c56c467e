"""What a driver tells of its sweep while it works: a small file beside the journal's records, that other terminals read."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time
import warnings
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import psutil
from pydantic import AwareDatetime, Field, TypeAdapter, ValidationError

from experiments._errors import ExperimentWarning
from experiments._home import Home
from experiments.journaling import Journal
from experiments.sweeping._manifests import sweep_status
from experiments.sweeping._spending import Spent
from experiments.sweeping._tally import DatasetTally, SweepTally

State = Literal["starting", "running", "ended"]
_LEAST_SECONDS = 1.0
_RECENT_SECONDS = 10.0


@dataclass(frozen=True)
class SweepProgress:
    """One look at a sweep: who drives it, when it was written, and how far its datasets are. ``ended``: why before its last trial."""

    sweep_id: str
    state: State
    at: AwareDatetime
    pid: Annotated[int, Field(ge=0, lt=2**31)]
    host: str
    spent: Spent
    planned: int
    done: int
    datasets: tuple[DatasetTally, ...]
    statuses: dict[str, int] = field(default_factory=dict)
    reused: int = 0
    ended: str | None = None


_ADAPTER = TypeAdapter(SweepProgress)


class ProgressFile:
    """Writes a sweep's progress, once a second at most: whole or not at all, and never in the way of the sweep."""

    def __init__(self, home: Home, sweep_id: str) -> None:
        self._path = _path(home, sweep_id)
        self._written = 0.0

    def write(self, tally: SweepTally, spent: Spent, state: State, ended: str | None = None) -> None:
        """Write what ``tally`` says; a change of state is written at once."""
        if state == "running" and time.monotonic() < self._written + _LEAST_SECONDS:
            return
        self._written = time.monotonic()
        content = {
            "sweep_id": tally.sweep_id,
            "state": state,
            "at": datetime.now(UTC).isoformat(),
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "spent": asdict(spent),
            "planned": tally.planned,
            "done": tally.done,
            "reused": tally.reused,
            "statuses": dict(tally.statuses),
            "datasets": [asdict(each) for each in tally.datasets.values()],
            "ended": ended,
        }
        draft = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        with contextlib.suppress(OSError):  # a full disk: the journal, which matters, says so itself
            draft.write_text(json.dumps(content), encoding="utf-8")
            draft.replace(self._path)


def read_progress(home: Home, sweep_id: str) -> SweepProgress | None:
    """Return what the sweep's driver told last; ``None`` when none did, or in another version's words."""
    try:
        content: Any = json.loads(_path(home, sweep_id).read_bytes())
        return _ADAPTER.validate_python(content)
    except (OSError, ValueError, RecursionError, ValidationError):
        return None


def seconds_before(home: Home, sweep_id: str) -> float:
    """Return the seconds that earlier passes worked on a sweep. Warns where that was told, but cannot be read."""
    told, path = read_progress(home, sweep_id), _path(home, sweep_id)
    if told is None and path.exists():
        warnings.warn(f"{path} cannot be read: the sweep's hours and dollars count from now on", ExperimentWarning, stacklevel=2)
    return told.spent.seconds if told is not None else 0.0


def look(home: Home, sweep_id: str) -> tuple[SweepProgress, bool]:
    """Return how far a sweep is now, and whether a process works on it: from its driver's file while it does, else from the journal.

    Raises :class:`ExperimentError` when there is no such sweep.
    """
    told = read_progress(home, sweep_id)
    if told is not None and _at_work(told):
        return told, True
    status = sweep_status(home, sweep_id)
    if told is not None and told.state != "ended" and status.running:
        return told, True
    tally = status.tally
    return SweepProgress(
        sweep_id=sweep_id,
        state="starting" if status.running else "ended",
        at=datetime.now(UTC),
        pid=told.pid if told is not None else 0,
        host=told.host if told is not None else "",
        spent=told.spent if told is not None else Spent(),
        planned=tally.planned,
        done=tally.done,
        datasets=tuple(tally.datasets.values()),
        statuses=dict(tally.statuses),
        reused=tally.reused,
        ended=told.ended if told is not None and not status.running else None,
    ), status.running


def _at_work(told: SweepProgress) -> bool:
    """Whether the driver wrote a moment ago and lives: its lock need not be touched then."""
    recent = abs((datetime.now(UTC) - told.at).total_seconds()) < _RECENT_SECONDS
    return told.state != "ended" and recent and told.host == socket.gethostname() and psutil.pid_exists(told.pid)


def _path(home: Home, sweep_id: str) -> Path:
    return Journal(home.journal).folder(sweep_id) / "progress.json"

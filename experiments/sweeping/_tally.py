"""How far a sweep is, dataset by dataset, and how long what is left of it will take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice

from experiments.sweeping._plan import SweepManifest
from mining import FAILURES, TrialRecord


@dataclass
class DatasetTally:
    """Trials of one dataset: planned, done (settled, however), of those stopped early and failed, and the best validation score so far.

    ``running`` are with the workers now; ``seconds_left`` is what the others will take at the pace of those that are done.
    """

    dataset: str
    metric: str
    direction: str
    planned: int = 0
    done: int = 0
    running: int = 0
    stopped: int = 0
    failed: int = 0
    best: float | None = None
    best_model_type: str | None = None
    train_seconds: float = 0.0
    wall_seconds: float = 0.0
    seconds_left: float | None = None


@dataclass
class SweepTally:
    """The trials of a sweep, counted as their records come; a record that the plan does not know, or knows already, changes nothing."""

    sweep_id: str
    name: str
    datasets: dict[str, DatasetTally]
    settles: Callable[[TrialRecord], bool]
    statuses: Counter[str] = field(default_factory=Counter)
    reused: int = 0
    last: TrialRecord | None = None
    _open: set[str] = field(default_factory=set, repr=False)

    @classmethod
    def of(cls, manifest: SweepManifest, records: Iterable[TrialRecord] = ()) -> SweepTally:
        """Start from a plan, and count ``records``."""
        datasets = {each.name: DatasetTally(each.name, each.metric, each.direction) for each in manifest.datasets}
        for trial in manifest.trials:
            datasets[trial.dataset].planned += 1
        tally = cls(manifest.sweep_id, manifest.spec.name, datasets, manifest.settles)
        tally._open = {trial.trial_id for trial in manifest.trials}
        for record in records:
            tally.add(record)
        return tally

    @property
    def planned(self) -> int:
        """All trials of the plan."""
        return sum(each.planned for each in self.datasets.values())

    @property
    def done(self) -> int:
        """Trials that are settled, failures among them."""
        return self.planned - len(self._open)

    @property
    def failed(self) -> int:
        """Trials that failed, diverged, timed out or ran out of memory."""
        return sum(each.failed for each in self.datasets.values())

    @property
    def stopped(self) -> int:
        """Trials that the sweep's stopping policy ended."""
        return sum(each.stopped for each in self.datasets.values())

    @property
    def running(self) -> int:
        """Trials that are with the workers now."""
        return sum(each.running for each in self.datasets.values())

    @property
    def seconds_left(self) -> float | None:
        """What is left will take so long; ``None`` while no trial has ended, or nobody works on it."""
        known = [each.seconds_left for each in self.datasets.values()]
        return sum(each for each in known if each is not None) if any(each is not None for each in known) else None

    def now_running(self, datasets: Iterable[str], workers: int) -> None:
        """Say whose trials are running, on ``workers`` workers, and reckon what is left; a dataset not begun takes the others' pace."""
        running = Counter(islice(datasets, workers))  # the first ones: a pool is handed trials ahead, and those wait
        done = sum(each.done for each in self.datasets.values())
        pace = sum(each.wall_seconds for each in self.datasets.values()) / done if done else None
        for name, each in self.datasets.items():
            each.running = running[name]
            seconds = each.wall_seconds / each.done if each.done else pace
            each.seconds_left = None if seconds is None or workers < 1 else seconds * (each.planned - each.done) / workers

    def add(self, record: TrialRecord) -> None:
        """Count ``record``."""
        if record.trial_id not in self._open or not self.settles(record):
            return
        self._open.discard(record.trial_id)
        self.statuses[record.status] += 1
        self.reused += record.sweep_id != self.sweep_id
        self.last = record
        tally = self.datasets[record.dataset]
        tally.done += 1
        tally.failed += record.status in FAILURES
        tally.stopped += record.status == "stopped_early"
        tally.train_seconds += record.train_seconds
        tally.wall_seconds += record.wall_seconds
        score = record.validation_score
        if score is not None and (tally.best is None or (score > tally.best) == (tally.direction == "maximize")):
            tally.best, tally.best_model_type = score, record.model_type

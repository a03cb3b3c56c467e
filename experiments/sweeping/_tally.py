"""How far a sweep is, dataset by dataset."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from experiments.journaling import settles
from experiments.sweeping._plan import SweepManifest
from mining import FAILURES, TrialRecord


@dataclass
class DatasetTally:
    """Trials of one dataset: planned, done (settled, however), failed, and the best validation score so far."""

    dataset: str
    metric: str
    direction: str
    planned: int = 0
    done: int = 0
    failed: int = 0
    best: float | None = None
    best_model_type: str | None = None
    train_seconds: float = 0.0


@dataclass
class SweepTally:
    """The trials of a sweep, counted as their records come; a record that the plan does not know, or knows already, changes nothing."""

    sweep_id: str
    name: str
    datasets: dict[str, DatasetTally]
    time_limit: float | None = None
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
        tally = cls(manifest.sweep_id, manifest.spec.name, datasets, manifest.spec.time_limit)
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

    def add(self, record: TrialRecord) -> None:
        """Count ``record``."""
        if record.trial_id not in self._open or not settles(record, self.time_limit):
            return
        self._open.discard(record.trial_id)
        self.statuses[record.status] += 1
        self.reused += record.sweep_id != self.sweep_id
        self.last = record
        tally = self.datasets[record.dataset]
        tally.done += 1
        tally.failed += record.status in FAILURES
        tally.train_seconds += record.train_seconds
        score = record.validation_score
        if score is not None and (tally.best is None or (score > tally.best) == (tally.direction == "maximize")):
            tally.best, tally.best_model_type = score, record.model_type

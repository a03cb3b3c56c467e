"""A sweep's own figures, made of its records alone, so that a replay of the journal comes to the same."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from experiments.tracking import _runs
from mining import FAILURES, TrialRecord

_NOT_IN_NAMES = re.compile(r"[^\w./: -]", re.ASCII)
"""What MLflow does not take in a metric's name."""


@dataclass
class SweepFigures:
    """Counts and sums over the trials of a sweep, each taken once; ``sweep_id`` tells those that it ran from those it took over."""

    sweep_id: str
    failed: int = 0
    reused: int = 0
    ended: int = 0
    _best: dict[str, float] = field(default_factory=dict)
    _seconds: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, sweep_id: str, records: Iterable[TrialRecord]) -> SweepFigures:
        """Return the figures of ``records``."""
        figures = cls(sweep_id)
        for record in records:
            figures.add(record)
        return figures

    def add(self, record: TrialRecord) -> None:
        """Take a trial into account."""
        if record.trial_id in self._seconds:
            return
        self._seconds[record.trial_id] = record.train_seconds
        self.failed += record.status in FAILURES
        self.reused += record.sweep_id != self.sweep_id
        self.ended = max(self.ended, _runs.ended(record))
        score = record.validation_score
        if score is not None:
            key = f"best_{record.metric}.{_NOT_IN_NAMES.sub('_', record.dataset)}"
            best = self._best.get(key)
            if best is None or (score > best if record.direction == "maximize" else score < best):
                self._best[key] = score

    def metrics(self) -> dict[str, float]:
        """Return trials, failed, reused, seconds of training in all, and each dataset's best validation score."""
        seconds = sum(self._seconds[trial_id] for trial_id in sorted(self._seconds))  # the order decides the last digit of a sum
        counts = {"trials": float(len(self._seconds)), "failed": float(self.failed), "reused": float(self.reused)}
        return counts | {"train_seconds": seconds} | self._best

"""Which trials of a sweep are stopped early, where its file asks for that."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable

from automl import EpochReport
from experiments.sweeping._settings import Stopping
from heuristics_db import EarlyStoppingPolicy
from mining import TrialRecord
from mining.policies import Rungs


class Halving:
    """Judges the trials of each dataset against each other, as they come. Safe to use from many threads.

    What earlier passes journaled is judged against too, so that a sweep which goes on is as strict as it was.
    """

    def __init__(self, stopping: Stopping, epochs: int, earlier: Iterable[TrialRecord] = ()) -> None:
        self._policy = EarlyStoppingPolicy(
            grace_period=min(stopping.grace_period, epochs),
            reduction_factor=stopping.reduction_factor,
            max_epochs=epochs,
            reason="the sweep's file",
        )
        self._rungs: dict[str, Rungs] = {}
        self._lock = threading.Lock()
        for record in earlier:
            for point in record.curve:
                self.goes_on(record.dataset, record.direction, point.epoch, point.score)

    def goes_on(self, dataset: str, direction: str, epoch: int, score: float | None) -> bool:
        """Take note of a trial's score after ``epoch``, and say whether it goes on."""
        reward = -math.inf if score is None or not math.isfinite(score) else score if direction == "maximize" else -score
        with self._lock:
            return self._rungs.setdefault(dataset, Rungs(self._policy)).goes_on(epoch, reward)

    def heard(self, dataset: str, direction: str, report: EpochReport) -> bool:
        """As :meth:`goes_on`, for a report of the engine's."""
        return self.goes_on(dataset, direction, report.epoch, report.score)

"""The light Ray Tune trainable: it borrows a warm worker for each trial and passes its epochs on. Imported only where Tune runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ray
from ray import tune
from ray.tune.schedulers import AsyncHyperBandScheduler, FIFOScheduler, TrialScheduler

from automl._identity import trial_id
from automl._lease import Lease
from automl._pool import WorkerPool
from automl._replay import Replay
from automl._trial import EpochReport, TaskTable, TrialRequest, TrialResult
from heuristics_db import EarlyStoppingPolicy

NAME = "lode-leased-trial"
EPOCH, SCORE, RESULT, FAULT = "epoch", "score", "trial_result", "fault"


@dataclass(frozen=True, eq=False)
class Common:
    """What all trials of a search share. ``deadline`` is in seconds since the epoch."""

    table: TaskTable
    pool: WorkerPool
    seed: int
    epochs: int
    device_class: str
    labels: Mapping[str, str]
    models: Path | None
    deadline: float | None


class LeasedTrial(tune.Trainable):
    """One ``step`` is one epoch on the borrowed worker; the last one carries the trial's whole result.

    What the pool's recorder remembers of the trial is told instead, as far as it goes; a worker is borrowed for the rest alone. One that
    somebody else runs now is waited for, and then remembered. Where a model is to be kept, the trial runs in any case: the recorder holds
    none.

    Tune does not tell a trainable that its trial was stopped before it is given the next one. So a scheduler that stops a trial calls
    ``give_up`` and lets it go on: the next step then ends the trial, scores it and hands its result over.
    """

    @classmethod
    def default_resource_request(cls, config: dict[str, Any]) -> tune.PlacementGroupFactory:
        """Ask for next to nothing: the worker that a trial borrows holds the processor, and Tune insists on a resource."""
        return tune.PlacementGroupFactory([{"memory": 1.0}])

    def setup(self, config: dict[str, Any]) -> None:
        """Take the first trial. ``config["common"]`` refers to what all trials of the search share."""
        self._common: Common = ray.get(config["common"])
        self._lease: Lease | None = None
        self._release: Callable[[], None] = _nothing
        self.reset_config(config)

    def reset_config(self, new_config: dict[str, Any]) -> bool:
        """Take another trial; this actor is used again and again."""
        self._close()
        self._given_up = False
        self._last: EpochReport | None = None
        self._epochs = 0
        self._request: TrialRequest | None = None
        self._replay = Replay()
        return True

    def give_up(self) -> None:
        """End the trial with the next step."""
        self._given_up = True

    def step(self) -> dict[str, Any]:
        """Train one epoch more, or end."""
        try:
            if self._request is None:
                self._request = self._make_request()
                if self._common.models is None:
                    self._release = self._common.pool.claim(self._request, self._common.deadline)
                    self._replay = Replay(self._common.pool.recall(self._request))
            report = None if self._given_up else self._next_report(self._request)
            if report is None:
                result = self._end(self._request)
                self._close()
                return self._told() | {RESULT: result, "done": True}
        except Exception as fault:  # a fault of the engine's or the recorder's ends the search: the driver raises it there
            self._close()
            return self._told() | {FAULT: fault, "done": True}
        self._last = report
        self._epochs += 1
        return self._told()

    def cleanup(self) -> None:
        """Give the worker back."""
        self._close()

    def _next_report(self, request: TrialRequest) -> EpochReport | None:
        if self._lease is None:
            report = self._replay.report(self._epochs)
            if report is not None or self._replay.whole is not None:
                return report
        return self._borrowed(request).next_report()

    def _end(self, request: TrialRequest) -> TrialResult:
        if self._lease is None:
            result = self._replay.stopped(self._epochs) if self._given_up else self._replay.whole
            if result is not None:
                self._common.pool.keep(request, result)
                return result
        return self._borrowed(request).finish(stop=self._given_up)

    def _borrowed(self, request: TrialRequest) -> Lease:
        """Return the worker that trains the trial, brought to where its replay stands."""
        if self._lease is None:
            self._lease = self._common.pool.lease()
            self._lease.start(request)
            for _ in range(self._epochs):
                self._lease.next_report()
        return self._lease

    def _make_request(self) -> TrialRequest:
        common, model_type, hyperparameters = self._common, self.config["model_type"], self.config["hyperparameters"]
        name = trial_id(common.table, model_type, hyperparameters, seed=common.seed, epochs=common.epochs, device_class=common.device_class)
        return TrialRequest(
            trial_id=name,
            table=common.table,
            model_type=model_type,
            hyperparameters=hyperparameters,
            seed=common.seed,
            epochs=common.epochs,
            time_limit=None if common.deadline is None else max(1.0, common.deadline - time.time()),
            save_model_to=None if common.models is None else common.models / name,
            labels=common.labels,
        )

    def _told(self) -> dict[str, Any]:
        if self._last is None:
            return {EPOCH: 0}
        return {EPOCH: self._last.epoch} | ({} if self._last.score is None else {SCORE: self._last.score})

    def _close(self) -> None:
        lease, self._lease = self._lease, None
        if lease is not None:
            lease.close()
        release, self._release = self._release, _nothing
        release()


def _nothing() -> None:
    """Give back no claim."""


_registering = threading.Lock()


def register() -> None:
    """Make the trainable known to Tune under ``NAME``; Tune's registry is no place for two threads at a time."""
    with _registering:
        tune.register_trainable(NAME, LeasedTrial)


def scheduler(policy: EarlyStoppingPolicy, epochs: int, mode: str, deadline: float | None) -> TrialScheduler:
    """Return Tune's scheduler for ``policy``, over trials of at most ``epochs`` epochs, that also ends trials at the deadline."""
    if policy.reduction_factor is None or policy.grace_period >= epochs:
        return _ToTheEnd(deadline)
    return _Halving(
        deadline,
        time_attr=EPOCH,
        metric=SCORE,
        mode=mode,
        max_t=epochs,
        grace_period=policy.grace_period,
        reduction_factor=policy.reduction_factor,
    )


class _GivesUp(TrialScheduler):
    """Turns a decision to stop into ``give_up``."""

    def __init__(self, deadline: float | None, **options: Any) -> None:
        super().__init__(**options)
        self._deadline = deadline

    def on_trial_result(self, tune_controller: Any, trial: Any, result: dict[str, Any]) -> str:
        """Decide, as the scheduler below does or when time is up; let the trial end by itself."""
        decision = super().on_trial_result(tune_controller, trial, result)
        late = self._deadline is not None and time.time() > self._deadline
        if decision == TrialScheduler.STOP or late:
            trial.temporary_state.ray_actor.give_up.remote()
            return str(TrialScheduler.CONTINUE)
        return str(decision)


class _Halving(_GivesUp, AsyncHyperBandScheduler):
    """Asynchronous successive halving (Li et al., 2020)."""


class _ToTheEnd(_GivesUp, FIFOScheduler):
    """Each trial trains to its last epoch."""

"""Keeps the workers busy with a sweep's open trials: claims, tries, budget and limits."""

from __future__ import annotations

import heapq
import time
from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from automl import EpochReport, OnEpoch, TrialRequest, TrialResult
from experiments._claims import Claims
from experiments.journaling import Journal, build_record
from experiments.sweeping._halving import Halving
from experiments.sweeping._plan import PlannedTrial, SweepPlan
from experiments.sweeping._spending import Spending
from mining import FAILURES, TrialRecord

_TICK_SECONDS = 0.5
_LOOK_ELSEWHERE_SECONDS = 2.0


class TrialPool(Protocol):
    """What a sweep asks of ``automl.WorkerPool``."""

    @property
    def workers(self) -> int:
        """How many trials run at a time."""

    def wait_ready(self, *, at_least: int | None = None) -> list[int]:
        """Wait until ``at_least`` workers are warm (by default all); return the process ids of those that are."""

    def submit(self, request: TrialRequest, on_epoch: OnEpoch | None = None) -> Future[TrialResult]:
        """Run a trial, journaled by the worker that ran it; ``on_epoch`` is asked after each epoch whether it goes on."""


@dataclass(frozen=True)
class Ended:
    """Why a sweep ended before its last trial: a part of its budget is spent, or too many trials failed. ``text`` says it to people."""

    why: Literal["budget", "failures"]
    text: str


@dataclass(frozen=True)
class _Attempt:
    """A trial to run. ``begun``: it was with workers that were lost before they could answer, and may be journaled."""

    trial: PlannedTrial
    tried: int = 0
    begun: bool = False


class Listener(Protocol):
    """Who is told of what comes of a sweep's trials."""

    def ran(self, record: TrialRecord) -> None:
        """Hear of a trial that was run; its record is journaled."""

    def found(self, record: TrialRecord) -> None:
        """Hear of a trial that another sweep or search, at work at the same time, has settled."""

    def tick(self) -> None:
        """Hear, about twice a second, that the work goes on."""


class Driver:
    """The open trials of a plan, and where each of them stands. Goes on with another pool when one was lost."""

    def __init__(
        self,
        plan: SweepPlan,
        todo: Iterable[PlannedTrial],
        *,
        journal: Journal,
        claims: Claims,
        spending: Spending,
        halving: Halving | None,
        listener: Listener,
    ) -> None:
        self._plan, self._journal, self._claims = plan, journal, claims
        self._spending, self._halving, self._listener = spending, halving, listener
        self._ready = deque(_Attempt(trial) for trial in todo)
        self._later: list[tuple[float, int, _Attempt]] = []
        self._elsewhere: dict[str, _Attempt] = {}
        self._flying: dict[Future[TrialResult], tuple[_Attempt, TrialRequest]] = {}
        self._looked_elsewhere = 0.0
        self._paused = 0
        self.failed = 0
        self.ended: Ended | None = None

    @property
    def open(self) -> int:
        """How many trials are left to run, or to hear of."""
        return len(self._ready) + len(self._later) + len(self._elsewhere) + len(self._flying)

    @property
    def running(self) -> Sequence[str]:
        """The datasets of the trials that are with the workers now."""
        return [attempt.trial.dataset for attempt, _ in self._flying.values()]

    def work(self, pool: TrialPool) -> None:
        """Run until nothing is open, or the sweep has ended before that. Raises what a worker's recorder or the pool raises."""
        try:
            while self.open:
                self._ripen()
                self._look_elsewhere()
                self._check_budget()
                self._submit(pool)
                if self.ended is not None and not self._flying:
                    break
                for future in self._wait():
                    self._land(future)
                self._spending.tick()
                self._listener.tick()
        finally:
            for future, (attempt, _) in self._flying.items():
                future.cancel()
                self._ready.append(replace(attempt, begun=True))
            self._flying.clear()

    def _wait(self) -> Iterable[Future[TrialResult]]:
        if self._flying:
            return wait(self._flying, timeout=_TICK_SECONDS, return_when=FIRST_COMPLETED).done
        if not self._ready:
            time.sleep(_TICK_SECONDS / 5)
        return ()

    def _ripen(self) -> None:
        """Let trials be run again whose pause is over."""
        while self._later and self._later[0][0] <= time.monotonic():
            self._ready.append(heapq.heappop(self._later)[2])

    def _look_elsewhere(self) -> None:
        """Take over what others ran, or gave up, of the trials that they were at work on."""
        if not self._elsewhere or time.monotonic() < self._looked_elsewhere + _LOOK_ELSEWHERE_SECONDS:
            return
        self._looked_elsewhere = time.monotonic()
        for trial_id, attempt in list(self._elsewhere.items()):
            if self._claims.take(trial_id):
                del self._elsewhere[trial_id]
                self._ready.append(attempt)

    def _check_budget(self) -> None:
        """End the sweep when nothing more may be begun: what others are at work on is not waited for."""
        spent = self._spending.exhausted()
        if spent is not None and self.ended is None and self.open > len(self._flying):
            self.ended = Ended("budget", f"its budget is spent: {spent}")

    def _submit(self, pool: TrialPool) -> None:
        """Hand out no more trials than keep the workers busy."""
        most = 2 * max(1, pool.workers)
        while self._ready and self.ended is None and len(self._flying) < most and self._spending.room(len(self._flying)):
            attempt = self._ready.popleft()
            if not self._claims.take(attempt.trial.trial_id):
                self._elsewhere[attempt.trial.trial_id] = attempt
            elif found := self._answers(attempt):
                self._take(attempt.trial, found)
            else:
                request = replace(self._plan.request(attempt.trial), again=self._plan.manifest.spec.retries.again(attempt.tried))
                self._flying[pool.submit(request, self._judge(attempt.trial))] = attempt, request

    def _answers(self, attempt: _Attempt) -> list[TrialRecord]:
        """Look again for a trial in the journal: when others were about since it was read, or workers of ours were lost."""
        if not (attempt.begun or self._claims.others):
            return []
        return [each for each in self._journal.recorded(attempt.trial.trial_id) if self._plan.manifest.settles(each)]

    def _take(self, trial: PlannedTrial, found: Sequence[TrialRecord]) -> None:
        """Take a trial from the journal: another's, or one of ours whose workers were lost before they could answer."""
        ours = any(each.sweep_id == self._plan.sweep_id for each in found)
        record = self._plan.take(self._journal, trial, found)
        self._claims.release(trial.trial_id)
        if ours:
            self._count(record)
        else:
            self._listener.found(record)

    def _judge(self, trial: PlannedTrial) -> OnEpoch | None:
        halving = self._halving
        if halving is None:
            return None
        direction = self._plan.manifest.dataset(trial.dataset).direction

        def goes_on(report: EpochReport) -> bool:
            return halving.heard(trial.dataset, direction, report)

        return goes_on

    def _land(self, future: Future[TrialResult]) -> None:
        attempt, request = self._flying[future]
        result = future.result()
        del self._flying[future]
        retries = self._plan.manifest.spec.retries
        if not result.refused and result.status in retries.again(attempt.tried):
            due = time.monotonic() + retries.pause(request.trial_id, attempt.tried)
            self._paused += 1
            heapq.heappush(self._later, (due, self._paused, replace(attempt, tried=attempt.tried + 1)))
            return
        record = build_record(request, result)
        settled = self._plan.manifest.settles(record)
        if settled:
            self._journal.append(record)  # the worker wrote it; one that died before it could is made good here
        self._claims.release(request.trial_id)
        if settled:  # else its workers died under it again and again: it stays open for a resume
            self._count(record)

    def _count(self, record: TrialRecord) -> None:
        """Count a trial that was run, and tell of it."""
        self._spending.ran()
        self._listener.ran(record)
        if record.status in FAILURES:
            self._count_failure(record)

    def _count_failure(self, record: TrialRecord) -> None:
        self.failed += 1
        limit = self._plan.manifest.spec.limits.failed_trials
        if limit is not None and self.failed > limit and self.ended is None:
            why = f" ({record.error})" if record.error else ""
            last = f"{record.trial_id[:12]}, {record.model_type} on {record.dataset}, {record.status}{why}"
            self.ended = Ended("failures", f"{self.failed} trials failed, and limits.failed_trials is {limit}; the last: {last}")

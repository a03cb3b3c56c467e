"""One worker, borrowed from the pool: whole trials or epoch by epoch, brought back to its place when the worker dies."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self

from automl._devices import DeviceClass, node_type
from automl._errors import AutoMLError, PoolLostError
from automl._identity import engine_versions
from automl._pool_line import PoolLine, get
from automl._scoring import scorer_for
from automl._trial import EpochReport, Status, TrialRequest, TrialResult

_RETRIES = 1
_STARVED = ("running low on memory", "OutOfMemoryError")
"""How Ray's memory monitor words its kills; the words for any other death name the kernel's OOM killer too, as one cause of many."""


class Lease:
    """One borrowed worker. Runs any number of trials, one at a time; give it back soon, others wait. Not for several threads."""

    def __init__(self, line: PoolLine, timeout: float | None) -> None:
        self._line = line
        self._request: TrialRequest | None = None
        self._reports = 0
        self._streaming = False
        self._left = _RETRIES
        self._ended: TrialResult | None = None
        self._place: tuple[int, int] | None = None
        self._worker: Any = None
        self._spoiled = False
        self._acquire(timeout)

    def __enter__(self) -> Self:
        """Return the lease itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None) -> None:
        """Give the worker back."""
        self.close()

    def run(self, request: TrialRequest) -> TrialResult:
        """Run a whole trial and return its result."""
        self._begin(request)
        result: TrialResult | None = self._call(lambda: self._worker.run.remote(self._line.order(_absolute(request))))
        return self._done(self._ended if result is None else result)

    def start(self, request: TrialRequest) -> None:
        """Begin a trial that trains one epoch for each ``next_report``."""
        self._begin(request)
        self._call(lambda: self._worker.start.remote(self._line.order(_absolute(request))))
        self._streaming = True

    def next_report(self) -> EpochReport | None:
        """Let the trial train one epoch more and return what came of it; ``None`` when it has ended (then call ``finish``)."""
        report: EpochReport | None = None if self._ended else self._call(lambda: self._worker.next_report.remote())
        if report is not None:
            self._reports += 1
        return report

    def finish(self, stop: bool = False) -> TrialResult:
        """End the trial and return its result, recorded already.

        Args:
            stop: give up now; the status is then ``stopped_early``, unless the trial has ended by itself. Else train on to the last epoch.

        Raises:
            AutoMLError: no trial was started.

        """
        if self._request is None:
            raise AutoMLError("no trial was started on this worker")
        result: TrialResult | None = self._ended or self._call(lambda: self._worker.finish.remote(stop))
        return self._done(self._ended if result is None else result)

    def apply(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function of an installed module on the worker, where Ludwig is imported already (predictions, say).

        Raises:
            AutoMLError: the function did, or the worker died.

        """
        from ray.exceptions import RayActorError

        if self._place is None:
            raise AutoMLError("this worker was given back already")
        try:
            return get(self._worker.apply.remote(function, arguments))
        except RayActorError:
            self._line.ask("lost", *self._place)
            self._place = None
            raise AutoMLError("a trial worker died") from None

    def close(self) -> None:
        """Give the worker back; a trial under way is abandoned without a record. Closing twice is fine."""
        if self._place is None:
            return
        place, self._place = self._place, None
        with contextlib.suppress(Exception):  # the pool may be closed: then nothing is left to give back
            if self._request is not None and self._ended is None:
                self._worker.abandon.remote()
            dispatcher = self._line.open_dispatcher()
            (dispatcher.retire if self._spoiled else dispatcher.release).remote(*place)

    def _done(self, result: TrialResult | None) -> TrialResult:
        request, self._request = self._request, None
        if result is None or request is None:
            raise AutoMLError("the trial ended without a result")
        # a process that was filled does not give all of it back, and its next trial would be ended for it
        self._spoiled = result.status == "out_of_memory" and request.memory_limit is not None and self._ended is None
        return result

    def _begin(self, request: TrialRequest) -> None:
        if self._place is None:
            raise AutoMLError("this worker was given back already")
        if self._spoiled:
            self._line.ask("retire", *self._place)
            self._place, self._spoiled = None, False
            self._acquire(None)
        self._request, self._reports, self._streaming, self._left, self._ended = request, 0, False, _RETRIES, None

    def _acquire(self, timeout: float | None) -> None:
        lent = self._line.ask("acquire", timeout)
        if lent is None:
            raise AutoMLError(f"no trial worker was free within {timeout:g} s")
        self._place = (lent[0], lent[1])
        self._worker = self._line.worker(*self._place)

    def _call(self, act: Callable[[], Any]) -> Any:
        """Do something with the worker; when that dies, get another and bring it to where the first one was, or give the trial up."""
        from ray.exceptions import RayActorError

        while True:
            try:
                return get(act())
            except RayActorError as death:
                if self._line.closed.is_set() or self._request is None:
                    raise PoolLostError("the worker pool was closed under a trial") from None
                self._replace(death)
                if self._ended is not None:
                    return None

    def _replace(self, death: Exception) -> None:
        request = self._request
        if request is None or self._place is None:
            raise AutoMLError("a trial worker died")
        self._line.ask("lost", *self._place)
        self._place = None
        starved = any(sign in str(death) for sign in _STARVED)
        self._left -= 1
        self._acquire(None)
        self._ended = self._recorded(request)
        if self._ended is not None:
            return
        if starved or self._left < 0:
            self._ended = _unfinished(request, "out_of_memory" if starved else "preempted", self._line.device)
            if starved and self._line.recorder is not None:
                self._line.recorder.record(request, self._ended)
        elif self._streaming:
            self._catch_up(request)

    def _catch_up(self, request: TrialRequest) -> None:
        """Bring a trial's new worker to where the dead one was."""
        self._call(lambda: self._worker.start.remote(self._line.order(_absolute(request))))
        for _ in range(self._reports):
            if self._ended is None:
                self._call(lambda: self._worker.next_report.remote())

    def _recorded(self, request: TrialRequest) -> TrialResult | None:
        """Return what the dead worker recorded of the trial before it could answer: its end by its memory limit, or a whole trial."""
        if request.save_model_to is not None:
            return None
        ends = ("out_of_memory",) if self._streaming else ("completed", "failed", "diverged", "out_of_memory")
        return next((each for each in self._line.recall(request) if each.status in ends), None)


def _absolute(request: TrialRequest) -> TrialRequest:
    """Workers have a working folder of their own."""
    return request if request.save_model_to is None else replace(request, save_model_to=request.save_model_to.expanduser().resolve())


def _unfinished(request: TrialRequest, status: Status, device: DeviceClass) -> TrialResult:
    scorer = scorer_for(request.table.task)
    return TrialResult(
        trial_id=request.trial_id,
        model_type=request.model_type,
        hyperparameters=dict(request.hyperparameters),
        status=status,
        metric=scorer.metric,
        direction=scorer.direction,
        validation_score=None,
        test_score=None,
        extra_scores={},
        curve=(),
        train_seconds=0.0,
        prepare_seconds=0.0,
        wall_seconds=0.0,
        peak_memory_bytes=0,
        n_parameters=None,
        config="{}",
        device=device,
        node_type=node_type(),
        versions=engine_versions(),
        started_at=datetime.now(UTC),
        error="the worker that ran it was killed for want of memory" if status == "out_of_memory" else "the workers that ran it died",
    )

"""A pool of warm workers, as the driver (and any process that is handed the pool) sees it."""

from __future__ import annotations

import contextlib
import json
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from automl._devices import DeviceClass, device_class, node_type
from automl._errors import AutoMLError
from automl._identity import engine_versions
from automl._scoring import scorer_for
from automl._trial import EpochReport, Status, TaskTable, TrialArchive, TrialRecorder, TrialRequest, TrialResult
from automl._workers import Dispatcher, Order, TrialWorker

_RETRIES = 1
_HANDLES = threading.Lock()
_STARVED = ("running low on memory", "OutOfMemoryError")
"""How Ray's memory monitor words its kills; the words for any other death name the kernel's OOM killer too, as one cause of many."""


class WorkerPool:
    """Warm Ray actors that run trials: Ludwig imported once each, one processor (or a share of the GPUs) and one torch thread each.

    Whole trials::

        start_ray()
        with WorkerPool(home.prepared, recorder, workers=2) as pool:
            for result in pool.run(requests):          # in the order in which they end
                ...
            future = pool.submit(request)              # a concurrent.futures.Future[TrialResult]

    Epoch by epoch, for searches that stop trials::

        with pool.lease() as worker:
            worker.start(request)
            while (report := worker.next_report()) is not None:   # lets the trial train one more epoch
                if give_up(report):
                    break
            result = worker.finish(stop=True)          # stop=False: train the remaining epochs first

    A worker that dies is replaced and its trial run once more (same seed, same result); when that dies too, the result's status is
    ``preempted``, which is not recorded. A worker killed for want of memory gives ``out_of_memory``, recorded, and is not retried.

    The pool may be used by many threads, and pickled into other processes of the same Ray (Tune's trainables, say): all share the same
    workers, each lent to one holder at a time. Only the process that made it closes it.

    Args:
        prepared_root: where memoised preprocessing lies; on every node the same.
        recorder: pickled into each worker, which calls it before a result is returned.
        workers: how many; by default as many as Ray has processors.
        device: what to train on; by default ``device_class()``.

    """

    def __init__(
        self, prepared_root: Path, recorder: TrialRecorder | None = None, *, workers: int | None = None, device: DeviceClass | None = None
    ) -> None:
        self._root = prepared_root.expanduser().resolve()
        self._recorder = recorder
        self._device: DeviceClass = device or device_class()
        self._workers = workers
        self._dispatcher: Any = None
        self._owner = True
        self._prepare_local()

    @property
    def workers(self) -> int:
        """How many workers the pool holds (known once it is open)."""
        return self._workers or 0

    def __enter__(self) -> Self:
        """Start the workers. They warm up in the background; the first trial waits for the first of them."""
        import ray

        if not ray.is_initialized():
            raise AutoMLError("Ray is not running: call start_ray() before opening a worker pool")
        if self._workers is None:
            self._workers = max(1, int(ray.cluster_resources().get("CPU", 1)))
        gpus = ray.cluster_resources().get("GPU", 0.0) / self._workers if self._device == "cuda" else 0
        make_worker = partial(_make_worker, str(self._root), self._recorder, self._device, min(1.0, gpus))
        self._dispatcher = ray.remote(Dispatcher).options(num_cpus=0, max_concurrency=1000).remote(make_worker, self._workers)
        ray.get(self._dispatcher.begin.remote())
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None) -> None:
        """Stop the workers; trials under way are lost, without a record."""
        self.close()

    def close(self) -> None:
        """Stop the workers, when this process made the pool. Closing twice is fine."""
        self._closed.set()
        self._executor.shutdown(wait=False, cancel_futures=True)
        if self._owner and self._dispatcher is not None:
            import ray

            with contextlib.suppress(Exception):  # Ray may be gone already
                ray.kill(self._dispatcher)
        self._dispatcher = None

    def wait_ready(self, timeout: float | None = None) -> list[int]:
        """Wait until every worker is warm; return their process ids.

        Raises:
            AutoMLError: the workers cannot be started.

        """
        return [int(pid) for pid in self._ask("wait_ready", timeout=timeout)]

    def submit(self, request: TrialRequest) -> Future[TrialResult]:
        """Run a whole trial on the next free worker; returns at once. What the recorder raises, the future raises."""
        self._open()
        return self._executor.submit(self._run, request)

    def run(self, requests: Iterable[TrialRequest]) -> Iterator[TrialResult]:
        """Run trials and yield their results as they end, with no more in flight than keeps the workers busy."""
        waiting: set[Future[TrialResult]] = set()
        pending = iter(requests)
        try:
            while True:
                while len(waiting) < 2 * max(1, self.workers) and (request := next(pending, None)) is not None:
                    waiting.add(self.submit(request))
                if not waiting:
                    return
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        finally:
            for future in waiting:
                future.cancel()

    def lease(self, timeout: float | None = None) -> Lease:
        """Borrow a worker, waiting for one up to ``timeout`` seconds; use it in a ``with`` block or ``close`` it.

        Raises:
            AutoMLError: none was free in time, or the workers cannot be started.

        """
        return Lease(self, timeout)

    def recall(self, request: TrialRequest) -> tuple[TrialResult, ...]:
        """Return what the pool's recorder remembers of the trial; nothing when it only records."""
        return self._recorder.lookup(request) if isinstance(self._recorder, TrialArchive) else ()

    def keep(self, request: TrialRequest, result: TrialResult) -> None:
        """Have ``result``, recalled rather than run, recorded under the labels of ``request``. What the recorder raises is raised here."""
        if self._recorder is not None:
            self._recorder.record(request, result)

    def _run(self, request: TrialRequest) -> TrialResult:
        with self.lease() as worker:
            return worker.run(request)

    def _open(self) -> Any:
        if self._dispatcher is None:
            raise AutoMLError("the worker pool is not open: use it in a with block")
        return self._dispatcher

    def _ask(self, what: str, *arguments: Any, timeout: float | None = None) -> Any:
        """Ask the dispatcher for something."""
        from ray.exceptions import RayActorError

        try:
            return _get(getattr(self._open(), what).remote(*arguments), timeout)
        except RayActorError:
            raise AutoMLError("the worker pool was closed") from None

    def _handle(self, number: int, generation: int) -> Any:
        """Fetch a worker's handle, one thread at a time: Ray mixes up method signatures when two threads unpack handles at once."""
        with _HANDLES:
            if (number, generation) not in self._handles:
                self._handles[number, generation] = self._ask("handle", number)
            return self._handles[number, generation]

    def _order(self, request: TrialRequest) -> Order:
        """Take the table off the request; it crosses to a worker once, by reference."""
        import ray

        table = request.table
        with self._lock:
            if table not in self._references:
                self._references[table] = (_table_key(table), ray.put(table))
            key, reference = self._references[table]
        return Order(partial(_rejoin, {name: value for name, value in vars(request).items() if name != "table"}), key, (reference,))

    def _prepare_local(self) -> None:
        self._executor = ThreadPoolExecutor(max_workers=max(4, (self._workers or 8) * 2), thread_name_prefix="lode-pool")
        self._references: weakref.WeakKeyDictionary[TaskTable, tuple[str, Any]] = weakref.WeakKeyDictionary()
        self._lock = threading.Lock()
        self._handles: dict[tuple[int, int], Any] = {}
        self._closed = threading.Event()

    def __getstate__(self) -> dict[str, Any]:
        local = ("_executor", "_references", "_lock", "_handles", "_closed")
        return {name: value for name, value in vars(self).items() if name not in local} | {"_owner": False}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._prepare_local()


class Lease:
    """One borrowed worker. Runs any number of trials, one at a time; give it back soon, others wait. Not for several threads."""

    def __init__(self, pool: WorkerPool, timeout: float | None) -> None:
        self._pool = pool
        self._request: TrialRequest | None = None
        self._reports = 0
        self._streaming = False
        self._left = _RETRIES
        self._ended: TrialResult | None = None
        self._place: tuple[int, int] | None = None
        self._worker: Any = None
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
        result: TrialResult | None = self._call(lambda: self._worker.run.remote(self._pool._order(_absolute(request))))
        self._request = None
        return self._ended if result is None else result  # type: ignore[return-value]

    def start(self, request: TrialRequest) -> None:
        """Begin a trial that trains one epoch for each ``next_report``."""
        self._begin(request)
        self._call(lambda: self._worker.start.remote(self._pool._order(_absolute(request))))
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
        self._request = None
        return self._ended if result is None else result  # type: ignore[return-value]

    def apply(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function of an installed module on the worker, where Ludwig is imported already (predictions, say).

        Raises:
            AutoMLError: the function did, or the worker died.

        """
        from ray.exceptions import RayActorError

        if self._place is None:
            raise AutoMLError("this worker was given back already")
        try:
            return _get(self._worker.apply.remote(function, arguments))
        except RayActorError:
            self._pool._ask("lost", *self._place)
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
            self._pool._open().release.remote(*place)

    def _begin(self, request: TrialRequest) -> None:
        if self._place is None:
            raise AutoMLError("this worker was given back already")
        self._request, self._reports, self._streaming, self._left, self._ended = request, 0, False, _RETRIES, None

    def _acquire(self, timeout: float | None) -> None:
        lent = self._pool._ask("acquire", timeout)
        if lent is None:
            raise AutoMLError(f"no trial worker was free within {timeout:g} s")
        self._place = (lent[0], lent[1])
        self._worker = self._pool._handle(*self._place)

    def _call(self, act: Callable[[], Any]) -> Any:
        """Do something with the worker; when that dies, get another and bring it to where the first one was, or give the trial up."""
        from ray.exceptions import RayActorError

        while True:
            try:
                return _get(act())
            except RayActorError as death:
                if self._pool._closed.is_set() or self._request is None:
                    raise AutoMLError("the worker pool was closed under a trial") from None
                self._replace(death)
                if self._ended is not None:
                    return None

    def _replace(self, death: Exception) -> None:
        request = self._request
        if request is None or self._place is None:
            raise AutoMLError("a trial worker died")
        self._pool._ask("lost", *self._place)
        self._place = None
        starved = any(sign in str(death) for sign in _STARVED)
        self._left -= 1
        self._acquire(None)
        if starved or self._left < 0:
            self._ended = _unfinished(request, "out_of_memory" if starved else "preempted", self._pool._device)
            if starved and self._pool._recorder is not None:
                self._pool._recorder.record(request, self._ended)
        elif self._streaming:
            self._call(lambda: self._worker.start.remote(self._pool._order(_absolute(request))))
            for _ in range(self._reports):
                if self._ended is None:
                    self._call(lambda: self._worker.next_report.remote())


def _make_worker(prepared_root: str, recorder: TrialRecorder | None, device: DeviceClass, gpus: float) -> Any:
    import ray

    return ray.remote(TrialWorker).options(num_cpus=1, num_gpus=gpus).remote(prepared_root, recorder, device)


def _rejoin(fields: dict[str, Any], table: TaskTable) -> TrialRequest:
    return TrialRequest(table=table, **fields)


def _absolute(request: TrialRequest) -> TrialRequest:
    """Workers have a working folder of their own."""
    return request if request.save_model_to is None else replace(request, save_model_to=request.save_model_to.expanduser().resolve())


def _table_key(table: TaskTable) -> str:
    features = [asdict(feature) for feature in table.features]
    parts = (table.fingerprint, table.target, table.task, table.positive, table.row_cap, table.split_id, len(table.frame), features)
    return json.dumps(parts)


def _get(reference: Any, timeout: float | None = None) -> Any:
    """Wait for an answer; a user's error comes out as itself, without the remote traceback."""
    import ray
    from ray.exceptions import RayTaskError

    try:
        return ray.get(reference, timeout=timeout)
    except RayTaskError as fault:
        if isinstance(fault.cause, AutoMLError):
            raise fault.cause from None
        raise


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

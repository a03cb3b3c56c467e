"""A pool of warm workers, as the driver (and any process that is handed the pool) sees it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from automl._devices import DeviceClass, device_class, place_workers
from automl._engine import OnEpoch
from automl._errors import AutoMLError
from automl._lease import Lease
from automl._pool_line import PoolLine
from automl._trial import TrialClaimer, TrialRecorder, TrialRequest, TrialResult
from automl._workers import Dispatcher, TrialWorker

_CLOSING_SECONDS = 20.0


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
        workers: how many; by default as many as Ray has processors, or as its GPUs have room for.
        device: what to train on; by default ``device_class()``.
        gpus_per_trial: a part of a GPU, or whole ones; by default ``$LODE_GPUS_PER_TRIAL``, else what gives ``workers`` room.

    """

    def __init__(
        self,
        prepared_root: Path,
        recorder: TrialRecorder | None = None,
        *,
        workers: int | None = None,
        device: DeviceClass | None = None,
        gpus_per_trial: float | None = None,
    ) -> None:
        self._root = prepared_root.expanduser().resolve()
        self._line = PoolLine(recorder, device or device_class())
        self._workers = workers
        self._gpus_per_trial = gpus_per_trial
        self._owner = True
        self._prepare_local()

    @property
    def workers(self) -> int:
        """How many workers the pool holds (known once it is open)."""
        return self._workers or 0

    def __enter__(self) -> Self:
        """Start the workers. They warm up in the background; the first trial waits for the first of them."""
        import ray
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        if not ray.is_initialized():
            raise AutoMLError("Ray is not running: call start_ray() before opening a worker pool")
        placed = place_workers(ray.cluster_resources(), self._line.device, workers=self._workers, gpus_per_trial=self._gpus_per_trial)
        self._workers = placed.workers
        make_worker = partial(_make_worker, str(self._root), self._line.recorder, self._line.device, placed.gpus)
        # beside its driver: where another node dies, the pool lives on
        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=True)
        options = {"num_cpus": 0, "max_concurrency": 1000, "scheduling_strategy": here}
        self._line.dispatcher = ray.remote(Dispatcher).options(**options).remote(make_worker, self._workers)
        ray.get(self._line.dispatcher.begin.remote())
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None) -> None:
        """Stop the workers; trials under way are lost, without a record."""
        self.close()

    def close(self) -> None:
        """Stop the workers, when this process made the pool. Closing twice is fine."""
        self._line.closed.set()
        self._executor.shutdown(wait=False, cancel_futures=True)
        if self._owner and self._line.dispatcher is not None:
            import ray

            with contextlib.suppress(Exception):  # Ray may be gone already
                ray.kill(self._line.dispatcher)
        self._line.dispatcher = None
        # the workers end with their dispatcher, and with them every thread that waits for one; a thread that calls Ray after its shutdown
        # would have Ray end this process, there and then
        threads = threading.Thread(target=self._executor.shutdown, daemon=True)
        threads.start()
        threads.join(_CLOSING_SECONDS)

    def wait_ready(self, timeout: float | None = None, *, at_least: int | None = None) -> list[int]:
        """Wait until ``at_least`` workers are warm (all of them by default); return the process ids of those that are.

        A busy or growing cluster gives a pool its workers one after another: work need not wait for the last of them.

        Raises:
            AutoMLError: the workers cannot be started.

        """
        return [int(pid) for pid in self._line.ask("wait_ready", at_least, timeout=timeout)]

    def submit(self, request: TrialRequest, on_epoch: OnEpoch | None = None) -> Future[TrialResult]:
        """Run a whole trial on the next free worker; returns at once. What the recorder raises, the future raises.

        ``on_epoch`` is called, in a thread of this process, after each epoch but the last; ``False`` ends the trial as ``stopped_early``.
        """
        self._line.open_dispatcher()
        return self._executor.submit(self._run, request, on_epoch)

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
        return Lease(self._line, timeout)

    def recall(self, request: TrialRequest) -> tuple[TrialResult, ...]:
        """Return what the pool's recorder remembers of the trial; nothing when it only records."""
        return self._line.recall(request)

    def claim(self, request: TrialRequest, until: float | None = None) -> Callable[[], None]:
        """Wait until nobody else runs the trial; return what gives the claim back. At once when the pool's recorder knows of no claims."""
        return self._line.recorder.claim(request, until) if isinstance(self._line.recorder, TrialClaimer) else lambda: None

    def keep(self, request: TrialRequest, result: TrialResult) -> None:
        """Have ``result``, recalled rather than run, recorded under the labels of ``request``. What the recorder raises is raised here."""
        if self._line.recorder is not None:
            self._line.recorder.record(request, result)

    def _run(self, request: TrialRequest, on_epoch: OnEpoch | None) -> TrialResult:
        with self.lease() as worker:
            if on_epoch is None:
                return worker.run(request)
            worker.start(request)
            while (report := worker.next_report()) is not None:
                if report.epoch < request.epochs and not on_epoch(report):
                    return worker.finish(stop=True)
            return worker.finish()

    def _prepare_local(self) -> None:
        self._executor = ThreadPoolExecutor(max_workers=max(4, (self._workers or 8) * 2), thread_name_prefix="lode-pool")

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_executor"} | {"_owner": False}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._prepare_local()


def _make_worker(prepared_root: str, recorder: TrialRecorder | None, device: DeviceClass, gpus: float) -> Any:
    import ray

    return ray.remote(TrialWorker).options(num_cpus=1, num_gpus=gpus).remote(prepared_root, recorder, device)

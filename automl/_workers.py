"""What runs inside a warm worker: a trial engine that outlives its trials, and the dispatcher that lends workers out."""

from __future__ import annotations

import asyncio
import getpass
import os
import queue
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from automl._devices import DeviceClass
from automl._engine import TrialEngine
from automl._errors import AutoMLError
from automl._trial import EpochReport, TaskTable, TrialRecorder, TrialRequest, TrialResult

_KEPT_TABLES = 16
_MOST_LAUNCHES = 3
ABANDONED_SECONDS = 120.0
"""A lent worker that nobody has called for so long is taken back when another waits for one."""


@dataclass(frozen=True, eq=False)
class Order:
    """A request on its way to a worker: everything but the table, which is fetched once a worker.

    ``table`` is a reference into Ray's object store, in a tuple so that Ray does not fetch it by itself.
    """

    make_request: Callable[[TaskTable], TrialRequest]
    table_key: str
    table: tuple[Any]


class TrialWorker:
    """A Ray actor's body: Ludwig imported once, one trial at a time, one torch thread."""

    def __init__(self, prepared_root: str, recorder: TrialRecorder | None, device: DeviceClass) -> None:
        os.environ["OMP_NUM_THREADS"] = "1"
        aside = Path(tempfile.gettempdir(), f"lode-workers-{getpass.getuser()}")
        aside.mkdir(mode=0o700, exist_ok=True)
        os.chdir(aside)  # whatever a library drops into its working folder, it does not drop into the user's
        self._engine = TrialEngine(Path(prepared_root), recorder, device=device, disposable=True)
        self._engine.warm_up()
        self._tables: OrderedDict[str, TaskTable] = OrderedDict()
        self._stream: _Stream | None = None
        self._called = time.monotonic()

    def ready(self) -> int:
        """Return the worker's process id, once it is warm."""
        return os.getpid()

    def idle_seconds(self) -> float:
        """Seconds since the worker last answered anything else."""
        return time.monotonic() - self._called

    def run(self, order: Order) -> TrialResult:
        """Run a whole trial."""
        self.abandon()
        try:
            return self._engine.run(self._request(order))
        finally:
            self._called = time.monotonic()

    def start(self, order: Order) -> None:
        """Begin a trial whose epochs are asked for one by one; it stands still between them."""
        self.abandon()
        self._stream = _Stream(self._engine, self._request(order))
        self._called = time.monotonic()

    def next_report(self) -> EpochReport | None:
        """Let the trial go on for one epoch and return its report; ``None`` when the trial has ended."""
        try:
            return self._streaming().next_report()
        finally:
            self._called = time.monotonic()

    def finish(self, stop: bool) -> TrialResult:
        """End the trial, now (``stop``) or after all its epochs, and return its result."""
        stream, self._stream = self._streaming(), None
        try:
            return stream.finish(stop)
        finally:
            self._called = time.monotonic()

    def apply(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Call ``function`` in this warm process, where Ludwig is imported already."""
        self.abandon()
        try:
            return function(*arguments)
        finally:
            self._called = time.monotonic()

    def abandon(self) -> None:
        """End a trial that was left standing."""
        if self._stream is not None:
            stream, self._stream = self._stream, None
            stream.abandon()

    def _streaming(self) -> _Stream:
        if self._stream is None:
            raise AutoMLError("this worker has no trial under way: call start first")
        return self._stream

    def _request(self, order: Order) -> TrialRequest:
        if order.table_key not in self._tables:
            import ray

            self._tables[order.table_key] = ray.get(order.table[0])
            while len(self._tables) > _KEPT_TABLES:
                self._tables.popitem(last=False)
        self._tables.move_to_end(order.table_key)
        return order.make_request(self._tables[order.table_key])


class _Abandoned(BaseException):
    """Ends a trial whose result nobody wants; past everything that makes a result of a fault."""


class _Stream:
    """A trial in a thread of its own that waits for leave after each epoch."""

    def __init__(self, engine: TrialEngine, request: TrialRequest) -> None:
        self._leave: queue.Queue[str] = queue.Queue()
        self._out: queue.Queue[EpochReport | None] = queue.Queue()
        self._result: TrialResult | None = None
        self._fault: BaseException | None = None
        self._last = request.epochs
        self._told = 0
        self._waiting = False
        self._thread = threading.Thread(target=self._work, args=(engine, request), daemon=True)
        self._started = False

    def next_report(self) -> EpochReport | None:
        if not self._started:
            self._started = True
            self._thread.start()
        elif self._waiting:
            self._waiting = False
            self._leave.put("go")
        report = self._out.get()
        if report is None:
            self._out.put(None)  # asked again, it answers the same
            return None
        self._waiting = True
        return report

    def finish(self, stop: bool) -> TrialResult:
        if stop and (self._waiting or self.next_report() is not None):
            self._waiting = False
            self._leave.put("stop")
        while self.next_report() is not None:
            pass
        self._thread.join()
        if self._fault is not None:
            raise self._fault
        if self._result is None:
            raise AutoMLError("the trial ended without a result")
        return self._result

    def abandon(self) -> None:
        if self._started:
            self._leave.put("abandon")
            self._thread.join()

    def _work(self, engine: TrialEngine, request: TrialRequest) -> None:
        try:
            self._result = engine.run(request, self._on_epoch)
            missed = self._result.curve[self._told :]
            for report in missed:
                self._out.put(report)
                if self._leave.get() == "abandon":
                    return
        except BaseException as fault:
            self._fault = fault
        finally:
            self._out.put(None)

    def _on_epoch(self, report: EpochReport) -> bool:
        self._told += 1
        self._out.put(report)
        word = self._leave.get()
        if word == "abandon":
            raise _Abandoned
        return word == "go"


@dataclass
class _Slot:
    """A place for one worker. ``generation`` rises with each replacement."""

    actor: Any
    generation: int = 0
    launches: int = 0
    lent: bool = False
    free: bool = False


class Dispatcher:
    """An asynchronous Ray actor that owns the workers, lends them out and replaces dead ones."""

    def __init__(self, make_worker: Callable[[], Any], workers: int) -> None:
        self._make_worker = make_worker
        self._slots = [_Slot(None) for _ in range(workers)]
        self._changed = asyncio.Condition()
        self._broken: str | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._begun = False

    async def begin(self) -> None:
        """Start all workers; they warm up side by side."""
        if not self._begun:
            self._begun = True
            for slot in self._slots:
                self._spawn(self._launch(slot))

    async def wait_ready(self, at_least: int | None = None) -> list[int]:
        """Wait until ``at_least`` workers are warm (by default all); return the process ids of those that are."""
        wanted = len(self._slots) if at_least is None else min(at_least, len(self._slots))
        async with self._changed:
            await self._changed.wait_for(lambda: self._broken is not None or len(self._warm()) >= wanted)
        self._check()
        return [await slot.actor.ready.remote() for slot in self._warm()]

    def _warm(self) -> list[_Slot]:
        return [slot for slot in self._slots if slot.free or slot.lent]

    async def acquire(self, timeout: float | None) -> tuple[int, int] | None:
        """Lend a warm worker (its slot and generation); ``None`` after ``timeout`` seconds without one."""
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            self._check()
            for number, slot in enumerate(self._slots):
                if slot.free:
                    slot.free, slot.lent = False, True
                    return number, slot.generation
            left = ABANDONED_SECONDS / 4 if until is None else min(ABANDONED_SECONDS / 4, until - time.monotonic())
            if left <= 0:
                return None
            if not await self._wait(left):
                self._spawn(self._reclaim())

    async def handle(self, number: int) -> Any:
        """Return the handle of the worker in a slot."""
        return self._slots[number].actor

    async def release(self, number: int, generation: int) -> None:
        """Take a lent worker back."""
        slot = self._slots[number]
        if slot.generation == generation and slot.lent:
            slot.lent, slot.free = False, True
            async with self._changed:
                self._changed.notify_all()

    async def retire(self, number: int, generation: int) -> None:
        """End a lent worker and replace it by a fresh one: what it holds of memory would count against the next trial."""
        import ray

        slot = self._slots[number]
        if slot.generation == generation and slot.lent:
            ray.kill(slot.actor)
            await self.lost(number, generation)

    async def lost(self, number: int, generation: int) -> None:
        """Replace a lent worker that died."""
        slot = self._slots[number]
        if slot.generation == generation:
            slot.lent = slot.free = False
            slot.generation += 1
            self._spawn(self._launch(slot))

    async def _launch(self, slot: _Slot) -> None:
        slot.launches += 1
        try:
            slot.actor = self._make_worker()
            await slot.actor.ready.remote()
            slot.free, slot.launches = True, 0
        except Exception as fault:
            if slot.launches < _MOST_LAUNCHES and AutoMLError.__name__ not in str(fault):
                self._spawn(self._launch(slot))
                return
            lines = [line.strip() for line in str(fault).splitlines() if line.strip()]
            said = lines[-1].removeprefix("automl._errors.AutoMLError: ") if lines else type(fault).__name__
            self._broken = f"a trial worker could not be started: {said}"
        async with self._changed:
            self._changed.notify_all()

    async def _reclaim(self) -> None:
        """Take back workers that were lent to someone who is gone. One that is at work does not answer, and is left alone."""
        from ray.exceptions import ActorDiedError, ActorUnavailableError

        for number, slot in enumerate(self._slots):
            generation = slot.generation
            if not slot.lent:
                continue
            try:
                idle = await asyncio.wait_for(slot.actor.idle_seconds.remote(), timeout=5)
                if idle > ABANDONED_SECONDS and slot.generation == generation:
                    slot.generation = generation = generation + 1
                    await slot.actor.abandon.remote()
                    await self.release(number, generation)
            except (TimeoutError, ActorUnavailableError):
                continue  # busy, or cut off for the moment
            except ActorDiedError:  # dead, and so may its holder be
                await self.lost(number, generation)

    async def _wait(self, seconds: float) -> bool:
        async with self._changed:
            try:
                await asyncio.wait_for(self._changed.wait(), timeout=seconds)
            except TimeoutError:
                return False
        return True

    def _spawn(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _check(self) -> None:
        if self._broken is not None:
            raise AutoMLError(self._broken)

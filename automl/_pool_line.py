"""How a pool is spoken to, from every process that was handed it: its dispatcher, its workers' handles, the tables that they know."""

from __future__ import annotations

import json
import threading
import weakref
from dataclasses import asdict
from functools import partial
from typing import Any

from automl._devices import DeviceClass
from automl._errors import AutoMLError, PoolLostError
from automl._trial import TaskTable, TrialArchive, TrialRecorder, TrialRequest, TrialResult
from automl._workers import Order

_HANDLES = threading.Lock()


class PoolLine:
    """What a pool and those who borrow its workers share. Safe to use from many threads, and pickled into other processes of the same Ray.

    ``dispatcher`` is the actor that lends workers out, ``None`` while the pool is not open; ``closed`` says that this process ended it.
    """

    def __init__(self, recorder: TrialRecorder | None, device: DeviceClass) -> None:
        self.recorder, self.device = recorder, device
        self.dispatcher: Any = None
        self._prepare_local()

    def open_dispatcher(self) -> Any:
        """Return the dispatcher; raises :class:`AutoMLError` when the pool is not open."""
        if self.dispatcher is None:
            raise AutoMLError("the worker pool is not open: use it in a with block")
        return self.dispatcher

    def ask(self, what: str, *arguments: Any, timeout: float | None = None) -> Any:
        """Ask the dispatcher for something; raises :class:`PoolLostError` when it is gone."""
        from ray.exceptions import RayActorError

        try:
            return get(getattr(self.open_dispatcher(), what).remote(*arguments), timeout)
        except RayActorError:
            raise PoolLostError("the worker pool was closed") from None

    def worker(self, number: int, generation: int) -> Any:
        """Fetch a worker's handle, one thread at a time: Ray mixes up method signatures when two threads unpack handles at once."""
        with _HANDLES:
            if (number, generation) not in self._workers:
                self._workers[number, generation] = self.ask("handle", number)
            return self._workers[number, generation]

    def order(self, request: TrialRequest) -> Order:
        """Take the table off the request; it crosses to a worker once, by reference."""
        import ray

        table = request.table
        with self._lock:
            if table not in self._references:
                self._references[table] = (_table_key(table), ray.put(table))
            key, reference = self._references[table]
        return Order(partial(_rejoin, {name: value for name, value in vars(request).items() if name != "table"}), key, (reference,))

    def recall(self, request: TrialRequest) -> tuple[TrialResult, ...]:
        """Return what the recorder remembers of the trial; nothing when it only records."""
        return self.recorder.lookup(request) if isinstance(self.recorder, TrialArchive) else ()

    def _prepare_local(self) -> None:
        self.closed = threading.Event()
        self._lock = threading.Lock()
        self._workers: dict[tuple[int, int], Any] = {}
        self._references: weakref.WeakKeyDictionary[TaskTable, tuple[str, Any]] = weakref.WeakKeyDictionary()

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("recorder", "device", "dispatcher")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._prepare_local()


def get(reference: Any, timeout: float | None = None) -> Any:
    """Wait for an answer; a user's error comes out as itself, without the remote traceback."""
    import ray
    from ray.exceptions import RayTaskError

    try:
        return ray.get(reference, timeout=timeout)
    except RayTaskError as fault:
        if isinstance(fault.cause, AutoMLError):
            raise fault.cause from None
        raise


def _rejoin(fields: dict[str, Any], table: TaskTable) -> TrialRequest:
    return TrialRequest(table=table, **fields)


def _table_key(table: TaskTable) -> str:
    features = [asdict(feature) for feature in table.features]
    parts = (table.fingerprint, table.target, table.task, table.positive, table.row_cap, table.split_id, len(table.frame), features)
    return json.dumps(parts)

"""The most memory that a trial held, and the guard that ends one that holds too much."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psutil

_LOOK_SECONDS = 0.02
_PATIENCE_SECONDS = 5.0
_FAR = 1.25
_HEADROOM_BYTES = 512 * 2**20
"""What Ray's and torch's own threads may ask for beside the trial."""


class PeakMemory:
    """Measures from its making on. Linux keeps a resettable high-water mark; elsewhere ``look`` samples."""

    def __init__(self) -> None:
        self._process = psutil.Process()
        self._highest = 0
        try:
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
            self._mark = Path("/proc/self/status").exists()
        except OSError:
            self._mark = False
        self._cuda = _cuda()
        if self._cuda is not None:
            self._cuda.reset_peak_memory_stats()
        self.look()

    def look(self) -> None:
        """Take a sample."""
        self._highest = max(self._highest, int(self._process.memory_info().rss))

    def peak(self) -> int:
        """Return bytes: of the GPU where one is used, else resident in main memory."""
        self.look()
        if self._cuda is not None:
            return int(self._cuda.max_memory_allocated())
        if self._mark:
            for line in Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines():
                if line.startswith("VmHWM:"):
                    return max(self._highest, int(line.split()[1]) * 1024)
        return self._highest


class MemoryGuard:
    """Watches what this process holds of main memory while a trial runs. A context manager; without a ``limit`` it does nothing.

    Over the limit, ``over`` says so, and the trial ends by itself after its batch. Where that does not come about in time, or memory goes
    on growing, ``last_resort`` is called from the guard's thread with the bytes reached: it ends the process before its neighbours are
    short of memory. With ``refuse``, one request for memory far over the limit is refused by the system at once (Linux), and the trial
    fails of that; not for a GPU, whose driver maps far more than it holds.
    """

    def __init__(self, limit: int | None, last_resort: Callable[[int], None] | None = None, *, refuse: bool = False) -> None:
        self._limit = limit
        self._refuse = refuse
        self._last_resort = last_resort
        self._process = psutil.Process()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="lode-memory", daemon=True)
        self._before: tuple[int, int] | None = None
        self.reached = 0

    @property
    def over(self) -> bool:
        """Whether the limit was passed."""
        return self._limit is not None and self.reached > self._limit

    def __enter__(self) -> Self:
        """Begin to watch."""
        if self._limit is not None:
            give_back()
            if self._refuse:
                self._bound(self._limit)
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None) -> None:
        """Watch no longer."""
        self._ended.set()
        if self._limit is not None:
            self._thread.join()
            self._unbound()

    def _watch(self) -> None:
        limit, since = self._limit or 0, None
        while not self._ended.wait(_LOOK_SECONDS):
            held = int(self._process.memory_info().rss)
            if held <= limit:
                continue
            self.reached = max(self.reached, held)
            since = since or time.monotonic()
            if self._last_resort is not None and (held > _FAR * limit or time.monotonic() - since > _PATIENCE_SECONDS):
                self._last_resort(self.reached)
                return

    def _bound(self, limit: int) -> None:
        """Have the system refuse what would go far beyond the limit."""
        with contextlib.suppress(ImportError, OSError, ValueError, AttributeError):  # not on every system
            import resource

            now = self._process.memory_info()
            room = max(0, int(_FAR * limit) - int(now.rss)) + _HEADROOM_BYTES
            soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
            resource.setrlimit(resource.RLIMIT_DATA, (int(now.data) + room, hard))
            self._before = (soft, hard)

    def _unbound(self) -> None:
        if self._before is not None:
            import resource

            resource.setrlimit(resource.RLIMIT_DATA, self._before)


def give_back() -> None:
    """Give memory that is free inside this process back to the system, where that can be asked for."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)


def _cuda() -> Any:
    torch = sys.modules.get("torch")
    return torch.cuda if torch is not None and torch.cuda.is_available() else None

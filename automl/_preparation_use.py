"""Shared locks on files, which the system lets go of with the process that held them: who uses a prepared table now."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

if sys.platform == "win32":
    fcntl = None
else:
    import fcntl


class Use:
    """A shared lock, held until it is closed, collected, or its process ends, however it ends."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def close(self) -> None:
        """Let go. Closing twice is fine."""
        handle, self._handle = self._handle, -1
        if handle >= 0:
            os.close(handle)

    def __del__(self) -> None:
        self.close()


def hold(path: Path) -> Use:
    """Hold ``path`` (made when it is absent) together with any number of others."""
    handle = _open(path)
    if fcntl is not None:
        fcntl.flock(handle, fcntl.LOCK_SH)
    return Use(handle)


@contextlib.contextmanager
def try_alone(path: Path) -> Iterator[bool]:
    """Say whether nobody holds ``path``, and keep it so within the block."""
    handle = _open(path)
    try:
        alone = True
        if fcntl is not None:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                alone = False
        yield alone
    finally:
        os.close(handle)


def _open(path: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)

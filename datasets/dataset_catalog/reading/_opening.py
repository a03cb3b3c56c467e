"""What lies at a path, as bytes: files and pipes, never a wait for nobody."""

from __future__ import annotations

import os
import select
import stat
from pathlib import Path

from dataset_catalog._errors import CatalogError

PIPE_SECONDS = 30


def content_of(path: Path) -> bytes:
    """Return the bytes at ``path``, a file or a pipe; raise :class:`CatalogError` when they cannot be had."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise CatalogError(f"{path}: is a folder; name a file in it")
        if stat.S_ISFIFO(mode):
            return _piped(path)
        if not stat.S_ISREG(mode):
            raise CatalogError(f"{path}: is a device or a socket; name a file")
        return path.read_bytes()
    except FileNotFoundError:
        raise CatalogError(f"{path}: no such file") from None
    except (OSError, ValueError) as error:
        raise CatalogError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from None


def _piped(path: Path) -> bytes:
    """Read a pipe to its end; opening one that nobody writes to would wait for ever."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as stream:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        if not poll.poll(PIPE_SECONDS * 1000):
            raise CatalogError(f"{path}: is a pipe that nobody has written to for {PIPE_SECONDS} seconds")
        os.set_blocking(handle, True)
        return stream.read()

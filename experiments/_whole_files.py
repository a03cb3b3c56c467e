"""Files that are whole or absent, whatever is killed in between."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def put_if_absent(path: Path, content: bytes) -> bool:
    """Write ``content`` to ``path``, flushed to disk, unless it exists. Say whether it was written."""
    if path.exists():
        return False
    temporary = _write_temporary(path, content)
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without hard links: rename is atomic too, and what it may replace has the same content
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
        _flush_folder(path.parent)
    return True


def put(path: Path, content: bytes) -> None:
    """Write ``content`` to ``path``, flushed to disk, in place of what was there."""
    temporary = _write_temporary(path, content)
    temporary.replace(path)
    _flush_folder(path.parent)


def _write_temporary(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:  # a full disk, say, where every byte left behind counts
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def _flush_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

"""Moves settled records from their files into parts while a sweep runs. Killed at any moment, it loses nothing and doubles nothing."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterable
from pathlib import Path

from filelock import FileLock, Timeout

from experiments._errors import ExperimentError
from experiments.journaling._journal import Journal
from experiments.journaling._parts import is_whole, part_files, read_part, trials_of, write_part
from experiments.journaling._shelf import Shelf

RECORDS_A_PART = 500
_ABANDONED_SECONDS = 3600.0


def pack(journal: Journal, sweep_id: str, *, records_a_part: int = RECORDS_A_PART) -> int:
    """Move settled records of ``sweep_id`` into parts of ``records_a_part``; fewer than that stay in their files.

    Returns how many records were moved; 0 too when another process is at it. A record's file is removed only when its part is on disk.
    Raises ``OSError`` when the disk cannot be written to; nothing is lost then.
    """
    shelf = Shelf(journal.folder(sweep_id))
    if not shelf.trials.is_dir():
        return 0
    lock = FileLock(shelf.folder / "packing.lock")
    moved = 0
    with contextlib.suppress(Timeout), lock.acquire(timeout=0):
        _finish(shelf)
        batch: dict[str, bytes] = {}
        for path in shelf.settled_files():
            content = path.read_bytes()
            if is_whole(path.stem, content):  # one that cannot be read stays where it is, and is told of
                batch[path.stem] = content
            if len(batch) == records_a_part:
                write_part(shelf.parts, batch)
                _drop(shelf, batch)
                moved += len(batch)
                batch = {}
    return moved


def _finish(shelf: Shelf) -> None:
    """Complete what a killed process began: files whose records stand in a part go, and what it was writing goes."""
    standing = {path.stem for path in shelf.settled_files()}
    for part in part_files(shelf.parts):
        doubled = standing & trials_of(part).keys()
        if doubled and _is_sound(part):  # one that is damaged replaces no file
            _drop(shelf, sorted(doubled))
    for draft in (*shelf.trials.glob(".writing-*"), *shelf.parts.glob(".writing-*")):
        with contextlib.suppress(FileNotFoundError):
            if time.time() - draft.stat().st_mtime > _ABANDONED_SECONDS:
                draft.unlink()


def _is_sound(part: Path) -> bool:
    try:
        return all(record.trial_id for record in read_part(part))
    except (OSError, ValueError):
        return False


def _drop(shelf: Shelf, trial_ids: Iterable[str]) -> None:
    for trial_id in trial_ids:
        (shelf.trials / f"{trial_id}.json").unlink(missing_ok=True)


class Packer:
    """Packs a running sweep's records in a thread of its own, each time that a part's worth has come. Never raises into the sweep."""

    def __init__(self, root: Path, sweep_id: str, *, records_a_part: int = RECORDS_A_PART) -> None:
        self._journal, self._sweep_id, self._records_a_part = Journal(root), sweep_id, records_a_part
        self._come = len(Shelf(self._journal.folder(sweep_id)).settled_files())  # what earlier passes left
        self._thread: threading.Thread | None = None

    def note(self) -> None:
        """Take note of one record more."""
        self._come += 1
        if self._come >= self._records_a_part and (self._thread is None or not self._thread.is_alive()):
            self._come = 0
            self._thread = threading.Thread(target=self._pack, name="lode-packing", daemon=True)
            self._thread.start()

    def close(self, patience: float = 30.0) -> None:
        """Wait at most ``patience`` seconds for what is under way."""
        if self._thread is not None:
            self._thread.join(patience)

    def _pack(self) -> None:
        with contextlib.suppress(OSError, ExperimentError):  # a full disk is the sweep's to tell; records stay in their files
            pack(self._journal, self._sweep_id, records_a_part=self._records_a_part)

"""Where prepared tables lie: one folder a key, whole or absent, counted, aged, and given up when room is wanted."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock, Timeout

from automl._errors import AutoMLError
from automl._preparation_use import Use, hold, try_alone

MAX_AGE_DAYS = 30.0
"""Older entries are prepared anew, unless ``LODE_PREPARED_DAYS`` says otherwise."""
LIMIT_GB = 20.0
"""All entries together, in 10⁹ bytes, unless ``LODE_PREPARED_GB`` says otherwise."""
PARTS = ("training", "validation", "test")
_METADATA, _ABOUT, _SUMS, _HIT = "metadata.json", "about.json", "checksums.json", "last_hit"
_FILES = (*(f"{name}.npz" for name in PARTS), _METADATA, _ABOUT)
_log = logging.getLogger(__name__)

Arrays = tuple[Mapping[str, np.ndarray], ...]


@dataclass(frozen=True)
class PreparedEntry:
    """One prepared table on disk. ``about`` is what its key was made of (dataset, target, split, row cap, versions …).

    ``in_use`` says that a running process of this machine works with it: it is then neither evicted nor cleared.
    """

    key: str
    path: Path
    size: int
    created_at: datetime
    last_hit_at: datetime
    in_use: bool
    about: Mapping[str, Any]


class PreparedStore:
    """The prepared tables under ``root``, for many processes at once.

    Args:
        root: the folder; made when it is first written to.
        max_age: seconds after which an entry is prepared anew; by default ``$LODE_PREPARED_DAYS``, else 30 days.
        limit: the most bytes that all entries may take; by default ``$LODE_PREPARED_GB``, else 20 GB. The entry that was not used for
            longest goes first; one that a running process uses never goes, so that more than the limit may stand for a while.

    Raises:
        AutoMLError: one of the two variables is no number above 0.

    """

    def __init__(self, root: Path, *, max_age: float | None = None, limit: float | None = None) -> None:
        self.root = root
        self.max_age = _setting("LODE_PREPARED_DAYS", MAX_AGE_DAYS) * 86400 if max_age is None else max_age
        self.limit = _setting("LODE_PREPARED_GB", LIMIT_GB) * 1e9 if limit is None else limit

    def hold(self, key: str) -> Use:
        """Keep ``key`` from being evicted for as long as what is returned lives (and this process does)."""
        return hold(self._use_file(key))

    def writing(self, key: str) -> FileLock:
        """Return the lock that whoever prepares ``key`` holds, so that others wait and read."""
        self._locks.mkdir(parents=True, exist_ok=True)
        return FileLock(self._locks / f"{key}.writing")

    def read(self, key: str, *, any_age: bool = False) -> tuple[Any, dict[str, Any]] | None:
        """Return arrays and metadata of ``key``; ``None`` when there are none, or too old, torn or altered ones."""
        folder = self.root / key
        try:
            sums = json.loads((folder / _SUMS).read_text(encoding="utf-8"))
            altered = [name for name in _FILES if sums[name] != _digest(folder / name)]
            if altered:
                _log.warning("%s: prepared data were altered (%s); preparing anew", folder, ", ".join(altered))
                return None
            created = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))["created_at"]
            if not any_age and time.time() - created > self.max_age:
                return None
            arrays = tuple(_load(folder / f"{name}.npz") for name in PARTS)
            metadata = json.loads((folder / _METADATA).read_text(encoding="utf-8"))
            self.touch(key)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, AttributeError, TypeError) as fault:  # the last three: JSON of another shape
            _log.warning("%s: prepared data are torn (%s); preparing anew", folder, fault)
            return None
        return arrays, metadata

    def write(self, key: str, arrays: Arrays, metadata: Mapping[str, Any], about: Mapping[str, Any]) -> None:
        """Write everything beside the place, then move it there: a reader sees all of it or nothing. The caller holds ``writing(key)``."""
        from ludwig.utils.data_utils import NumpyEncoder

        folder = self.root / key
        self.root.mkdir(parents=True, exist_ok=True)
        for left in self.root.glob(f".{key}-*"):
            shutil.rmtree(left, ignore_errors=True)  # the lock is ours: whoever wrote this was killed
        draft = Path(tempfile.mkdtemp(prefix=f".{key}-", dir=self.root))
        try:
            for name, part in zip(PARTS, arrays, strict=True):
                with (draft / f"{name}.npz").open("wb") as file:
                    np.savez(file, **{column: _plain(array) for column, array in part.items()})  # type: ignore[arg-type]
            (draft / _METADATA).write_text(json.dumps(metadata, cls=NumpyEncoder, sort_keys=True), encoding="utf-8")
            (draft / _ABOUT).write_text(json.dumps(dict(about) | {"created_at": time.time()}, sort_keys=True), encoding="utf-8")
            (draft / _SUMS).write_text(json.dumps({name: _digest(draft / name) for name in _FILES}, sort_keys=True), encoding="utf-8")
            for name in (*_FILES, _SUMS):
                _sync(draft / name)
            (draft / _HIT).touch()
            if folder.exists():
                shutil.rmtree(folder)
            draft.rename(folder)
            _sync(self.root)
        finally:
            shutil.rmtree(draft, ignore_errors=True)

    def touch(self, key: str) -> None:
        """Take note that ``key`` is used now."""
        with contextlib.suppress(OSError):  # read-only, full, or just evicted: the data are in memory already
            (self.root / key / _HIT).touch()

    def entries(self) -> list[PreparedEntry]:
        """Return what stands there, the one that was not used for longest first."""
        folders = [each for each in self.root.glob("*") if each.is_dir() and not each.name.startswith(".")]
        return sorted((entry for folder in folders if (entry := self._entry(folder)) is not None), key=lambda each: each.last_hit_at)

    def evict(self) -> list[PreparedEntry]:
        """Remove what was not used for longest until all entries fit the limit; return what went. One process does it at a time."""
        if sum(each.size for each in self.entries()) <= self.limit:
            return []
        self._locks.mkdir(parents=True, exist_ok=True)
        gone: list[PreparedEntry] = []
        with contextlib.suppress(Timeout), FileLock(self._locks / "evicting", timeout=0):
            entries = self.entries()
            total = sum(each.size for each in entries)
            for entry in entries:
                if total <= self.limit:
                    break
                if self._remove(entry):
                    total -= entry.size
                    gone.append(entry)
        return gone

    def clear(self, *, unused_for: float = 0.0, dry_run: bool = False) -> tuple[list[PreparedEntry], list[PreparedEntry]]:
        """Remove entries that nobody has used for ``unused_for`` seconds, and what killed writers left; return those gone and those kept.

        What a running process uses is kept. ``dry_run`` removes nothing and returns what would go.
        """
        gone: list[PreparedEntry] = []
        kept: list[PreparedEntry] = []
        until = time.time() - unused_for
        for entry in self.entries():
            old = entry.last_hit_at.timestamp() <= until
            goes = old and not entry.in_use and (dry_run or self._remove(entry))
            (gone if goes else kept).append(entry)
        if not dry_run:
            self._sweep_drafts()
        return gone, kept

    @property
    def _locks(self) -> Path:
        return self.root / ".locks"

    def _use_file(self, key: str) -> Path:
        return self._locks / f"{key}.use"

    def _entry(self, folder: Path) -> PreparedEntry | None:
        try:
            changed = folder.stat().st_mtime
            size = sum(each.stat().st_size for each in folder.iterdir())
        except FileNotFoundError:
            return None  # another process has just removed it
        about, created, hit = _told(folder) or ({}, changed, changed)
        with try_alone(self._use_file(folder.name)) as alone:
            in_use = not alone
        return PreparedEntry(folder.name, folder, size, _moment(created), _moment(hit), in_use, about)

    def _remove(self, entry: PreparedEntry) -> bool:
        """Remove an entry unless somebody uses or writes it."""
        writing = self.writing(entry.key)
        try:
            writing.acquire(timeout=0)
        except Timeout:
            return False
        try:
            with try_alone(self._use_file(entry.key)) as alone:
                if not alone:
                    return False
                gone = self.root / f".{entry.key}-evicted"
                with contextlib.suppress(FileNotFoundError):
                    entry.path.rename(gone)  # at once for readers; removing takes its time
                shutil.rmtree(gone, ignore_errors=True)
                return True
        finally:
            writing.release()

    def _sweep_drafts(self) -> None:
        for draft in self.root.glob(".*-*"):
            lock = self.writing(draft.name[1:].rpartition("-")[0])
            with contextlib.suppress(Timeout), lock.acquire(timeout=0):
                shutil.rmtree(draft, ignore_errors=True)


def _setting(name: str, default: float) -> float:
    given = os.environ.get(name, "").strip()
    try:
        value = float(given) if given else default
    except ValueError:
        value = 0.0
    if not value > 0:
        raise AutoMLError(f"{name} is {given!r}: set it to a number above 0, or leave it unset ({default:g})")
    return value


def _told(folder: Path) -> tuple[dict[str, Any], float, float] | None:
    """Return what an entry is, when it was made and last used; ``None`` for one that is torn, or of an earlier version."""
    try:
        about = dict(json.loads((folder / _ABOUT).read_text(encoding="utf-8")))
        return about, float(about.pop("created_at")), (folder / _HIT).stat().st_mtime
    except (ValueError, KeyError, TypeError, FileNotFoundError):
        return None


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _plain(array: np.ndarray) -> np.ndarray:
    """Text and date columns come as objects holding equal-length vectors: make one array of them, since no pickle is read back."""
    return np.stack([np.asarray(row) for row in array]) if array.dtype == object else array


def _load(path: Path) -> dict[str, np.ndarray]:
    with np.load(path, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

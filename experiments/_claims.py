"""Who runs which trial now: sweeps and searches that want the same trial at the same time run it once."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import uuid
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psutil
from filelock import FileLock

_BEAT_SECONDS = 5.0
_STALE_SECONDS = 120.0
"""A claim of another machine counts as left behind when its owner has been silent for so long; on this machine its process is looked at."""


class Claims:
    """The claims of one owner (a driver, or a search) under ``root``, a folder that all who share a journal share. A context manager.

    A claim is a file named after its trial, made in one step: a second link to its owner's file. The owner's file is touched every few
    seconds, by a thread. A claim whose owner died is taken over; that of one which is merely stopped is left to it, on the same machine.
    Safe to use from many threads.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._token = uuid.uuid4().hex
        self._mine: set[str] = set()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="lode-claims", daemon=True)
        self._others = False
        self._noted = 0

    def __enter__(self) -> Self:
        """Announce the owner."""
        self.begin()
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None) -> None:
        """Give back all claims."""
        self.end()

    def begin(self) -> None:
        """Announce the owner."""
        self._owners.mkdir(parents=True, exist_ok=True)
        self._announce()
        self._forget_the_dead()
        self._noted = self._owners.stat().st_mtime_ns
        self._others = len(list(self._owners.iterdir())) > 1
        self._thread.start()

    def end(self) -> None:
        """Give back all claims. Ending twice is fine."""
        self._ended.set()
        self._thread.join()
        for trial_id in list(self._mine):
            self.release(trial_id)
        self._own.unlink(missing_ok=True)

    @property
    def others(self) -> bool:
        """Whether another owner was about at any time since this one announced itself: what was read before may be out of date."""
        with contextlib.suppress(OSError):
            self._others = self._others or self._owners.stat().st_mtime_ns != self._noted
        return self._others

    def take(self, trial_id: str) -> bool:
        """Claim a trial; ``False`` when another holds it. A trial that is ours already stays ours."""
        if trial_id in self._mine or self._link(trial_id) or self._take_over(trial_id):
            self._mine.add(trial_id)
            return True
        return False

    def release(self, trial_id: str) -> None:
        """Give a claim of ours back."""
        if trial_id in self._mine:
            self._mine.discard(trial_id)
            if _content(self._claim(trial_id)).get("token") == self._token:
                self._claim(trial_id).unlink(missing_ok=True)

    @property
    def _owners(self) -> Path:
        return self._root / "owners"

    @property
    def _own(self) -> Path:
        return self._owners / self._token

    def _claim(self, trial_id: str) -> Path:
        return self._root / trial_id

    def _announce(self) -> None:
        self._own.write_text(json.dumps({"token": self._token} | _myself()), encoding="utf-8")

    def _link(self, trial_id: str) -> bool:
        claim = self._claim(trial_id)
        try:
            os.link(self._own, claim)
        except FileExistsError:
            return False
        except OSError:  # a file system without hard links
            try:
                with claim.open("x", encoding="utf-8") as file:
                    file.write(json.dumps({"token": self._token} | _myself()))
            except FileExistsError:
                return False
        return True

    def _take_over(self, trial_id: str) -> bool:
        """Take a claim whose owner is gone, one taker at a time."""
        claim = self._claim(trial_id)
        if not self._left_behind(claim):
            return False
        with FileLock(self._root / "takeover.lock"):
            if self._left_behind(claim):
                claim.unlink(missing_ok=True)
            return self._link(trial_id)

    def _left_behind(self, claim: Path) -> bool:
        """Whether the owner of a claim, or of a note, is gone."""
        owner = _content(claim)
        if not owner:  # gone in this moment, or torn: made by one who died over it, once it is old
            return claim.exists() and self._silent(claim)
        if owner.get("token") == self._token:
            return False
        if owner.get("host") == _myself()["host"]:
            return not _alive(owner)
        place = self._owners / str(owner.get("token"))
        return not place.exists() or self._silent(place)

    def _silent(self, path: Path) -> bool:
        """Whether a file was not touched for long, by the clock of the file system: ours was just now. Nor was one of the future."""
        try:
            os.utime(self._own)
            return abs(self._own.stat().st_mtime - path.stat().st_mtime) > _STALE_SECONDS
        except OSError:
            return False

    def _forget_the_dead(self) -> None:
        """Clear away what owners left that are gone: their notes, and their claims, of finished trials too."""
        with FileLock(self._root / "takeover.lock"):
            for path in (*self._owners.iterdir(), *(each for each in self._root.iterdir() if each.is_file() and each.suffix != ".lock")):
                if self._left_behind(path):
                    path.unlink(missing_ok=True)

    def _beat(self) -> None:
        while not self._ended.wait(_BEAT_SECONDS):
            with contextlib.suppress(OSError):  # a full disk, or a folder that was cleared: the next beat may do
                if self._own.exists():
                    os.utime(self._own)
                else:
                    self._announce()


def _content(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


@cache
def _host() -> str:
    """Return what tells this machine, since it was started, and its room for process ids, from others."""
    parts = [socket.gethostname()]
    for place in ("/proc/sys/kernel/random/boot_id", "/proc/self/ns/pid"):
        with contextlib.suppress(OSError):
            parts.append(str(Path(place).readlink()) if "/ns/" in place else Path(place).read_text(encoding="ascii").strip())
    return "/".join(parts)


def _myself() -> dict[str, Any]:
    return {"host": _host(), "pid": os.getpid(), "began": _began(os.getpid())}


def _began(pid: int) -> float:
    """Return when a process began; where the system tells, in ticks since it was started, which no clock that is set moves."""
    with contextlib.suppress(OSError):
        return float(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[19])
    return psutil.Process(pid).create_time()


def _alive(owner: dict[str, Any]) -> bool:
    try:
        pid = int(owner["pid"])
        return abs(_began(pid) - float(owner["began"])) < 1 and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except (psutil.Error, KeyError, ValueError, TypeError, OverflowError):
        return False

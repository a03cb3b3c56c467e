"""The unfinished file of a download, and what it must be known by to be gone on with."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

from dataset_catalog.sources._digests import sha256_of


@dataclass(frozen=True)
class Origin:
    """What an unfinished file is the beginning of.

    ``address`` tells whether it is the same, and no more: an address may hold a password or a signed query. ``tag`` is what the source
    knows the content by (an ETag, a time), ``None`` when it says nothing.
    """

    address: str
    tag: str | None
    total: int | None

    @classmethod
    def of(cls, url: str, tag: str | None, total: int | None) -> Origin:
        """Return the origin of what is downloaded from ``url``."""
        return cls(_digest(url), tag, total)


class Part:
    """``NAME.part`` beside the wanted file, with ``NAME.part.json`` for its origin. Only the holder of the file's lock may use it."""

    def __init__(self, wanted: Path) -> None:
        self.path = wanted.with_name(wanted.name + ".part")
        self._notes = wanted.with_name(wanted.name + ".part.json")

    @property
    def size(self) -> int:
        """How many bytes are here."""
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0

    def origin(self, url: str) -> Origin | None:
        """Return what the bytes here are the beginning of, or ``None`` when there are none, or they are not from ``url``."""
        if self.size == 0:
            return None
        try:
            noted = Origin(**json.loads(self._notes.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):  # notes that were cut short are as good as none
            return None
        return noted if noted.address == _digest(url) else None

    def begin(self, origin: Origin) -> None:
        """Throw away what is here, and note what the bytes to come are the beginning of."""
        self.drop()
        self._notes.write_text(json.dumps(asdict(origin)), encoding="utf-8")
        self.path.touch()

    def take_back(self) -> None:
        """Forget the last byte: a request for what follows all of them would be one for nothing."""
        os.truncate(self.path, self.size - 1)

    def append(self) -> BinaryIO:
        """Open the file to write after what is here."""
        return self.path.open("ab")

    def sha256(self) -> str:
        """Return the SHA-256 of what is here."""
        return sha256_of(self.path)

    def finish(self, wanted: Path) -> None:
        """Make the file the wanted one, at once and for good: on the disk first, then renamed."""
        with self.path.open("rb") as stream:
            os.fsync(stream.fileno())
        self.path.replace(wanted)
        self._notes.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # not every file system has folders that can be synced
            folder = os.open(wanted.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def drop(self) -> None:
        """Throw away what is here."""
        self.path.unlink(missing_ok=True)
        self._notes.unlink(missing_ok=True)


def _digest(url: str) -> str:
    return hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()

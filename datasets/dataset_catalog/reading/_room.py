"""How much may be unpacked: a few bytes may unpack to more than any machine holds."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import psutil

from dataset_catalog._errors import CatalogError

_PIECE = 1 << 24


class Readable(Protocol):
    """What gives its next bytes, at most as many as asked, and none at its end."""

    def read(self, amount: int, /) -> bytes: ...


def room() -> int:
    """Return how many bytes may be unpacked now: half of the memory that is free."""
    return int(psutil.virtual_memory().available // 2)


def check_room(total: int, what: str | Path, most: int | None = None) -> None:
    """Raise :class:`CatalogError` naming ``what`` when ``total`` bytes are more than ``most``, or than there is room for."""
    most = room() if most is None else most
    if total > most:
        raise CatalogError(f"{what}: unpacks to more than {most / 1e9:.0f} GB, which does not fit into memory")


def read_within_room(stream: Readable, what: str | Path) -> bytes:
    """Read ``stream`` to its end; raise :class:`CatalogError` naming ``what`` as soon as that is more than there is room for."""
    most = room()
    pieces, total = [], 0
    while piece := stream.read(_PIECE):
        total += len(piece)
        check_room(total, what, most)
        pieces.append(piece)
    return b"".join(pieces)

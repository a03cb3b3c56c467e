"""How much lies on disk where others may be writing."""

from __future__ import annotations

from pathlib import Path


def sizes_at(place: Path) -> list[int]:
    """Return the sizes in bytes of the files at ``place``, itself a file or a folder with all below it; they may come and go meanwhile."""
    sizes = []
    for path in (place, *place.rglob("*")):
        try:
            if path.is_file():
                sizes.append(path.stat().st_size)
        except OSError:  # it went between the two looks
            continue
    return sizes

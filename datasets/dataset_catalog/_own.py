"""A user's own part of the catalogue on disk: cards one file each, and the role book, whole or absent whatever is killed in between."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml
from filelock import FileLock, Timeout

from dataset_catalog._cards import DatasetCard
from dataset_catalog._errors import CatalogError
from dataset_catalog._roles import LockedRole, RoleBook, dump_roles

_SECONDS = 60


def dump_card(card: DatasetCard) -> str:
    """Write ``card`` as YAML, what is as it would be anyway left out; ``read_card`` reads the same card back."""
    content = card.model_dump(mode="json", exclude_defaults=True)
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120)


@contextmanager
def own_lock(folder: Path) -> Iterator[None]:
    """Keep other processes from changing the cards and the role book under ``folder``; raises :class:`CatalogError` when it cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / ".catalog.lock", timeout=_SECONDS):
            yield
    except Timeout:
        raise CatalogError(f"{folder}: another process has been changing the catalogue for {_SECONDS} seconds; is it stuck?") from None
    except OSError as error:
        raise CatalogError(f"{folder}: cannot be written to ({error.strerror or error}); free it, or set LODE_HOME elsewhere") from None


def write_whole(path: Path, text: str) -> None:
    """Write ``text`` to ``path``, flushed to disk, in place of what was there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def own_book(path: Path) -> RoleBook:
    """Read the role book at ``path`` alone, an empty one when there is none."""
    return RoleBook.load(path) if path.exists() or path.is_symlink() else RoleBook(version=1, datasets=())


def write_book(path: Path, book: RoleBook, entry: LockedRole) -> None:
    """Write ``book`` to ``path`` with ``entry`` in it."""
    kept = tuple(each for each in book.datasets if each.name != entry.name)
    write_whole(path, dump_roles(book.model_copy(update={"datasets": (*kept, entry)})))

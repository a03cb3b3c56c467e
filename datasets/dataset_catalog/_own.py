"""A user's own part of the catalogue on disk: cards one file each, and the role book, whole or absent whatever is killed in between."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from dataset_catalog._cards import DatasetCard, read_card
from dataset_catalog._errors import CatalogError
from dataset_catalog._locking import alone
from dataset_catalog._roles import LockedRole, RoleBook, dump_roles, read_roles

_STUCK_SECONDS = 60


def dump_card(card: DatasetCard) -> str:
    """Write ``card`` as YAML, what is as it would be anyway left out; ``read_card`` reads the same card back."""
    content = card.model_dump(mode="json", exclude_defaults=True)
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120)


def read_own_cards(folder: Path) -> dict[str, DatasetCard]:
    """Return the cards in ``folder`` by name; raises :class:`CatalogError` for one that does not stand in the file of its name."""
    found = {}
    for path in sorted(folder.glob("*.yaml")):
        card = read_card(path)
        if card.name != path.stem:
            place = folder / f"{card.name}.yaml"
            mend = f"so is that of {place}: take one of them away" if place.exists() else f"it belongs into {place}: rename the file"
            raise CatalogError(f"{path}: the card in it is named {card.name!r}, and {mend}")
        found[card.name] = card
    return found


@contextmanager
def own_lock(folder: Path) -> Iterator[Path]:
    """Keep other processes from changing the cards and the role book under ``folder``, which is given back.

    Raises :class:`CatalogError` when it cannot be locked or written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with alone(folder / ".catalog.lock", "changing the catalogue", patience=_STUCK_SECONDS):
            yield folder
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


def own_roles(folder: Path) -> Path:
    """Return where a user's own role book stands under ``folder``."""
    return folder / "roles.json"


def own_book(folder: Path) -> RoleBook:
    """Read the role book under ``folder`` alone, whether or not it contradicts itself; an empty one when there is none."""
    path = own_roles(folder)
    return read_roles(path) if path.exists() or path.is_symlink() else RoleBook(version=1, datasets=())


def lock_own(folder: Path, entry: LockedRole) -> None:
    """Write ``entry`` into the role book under ``folder``, whose lock the caller holds."""
    write_own(folder, (*own_book(folder).datasets, entry))


def write_own(folder: Path, entries: Iterable[LockedRole]) -> None:
    """Write the role book under ``folder``, whose lock the caller holds, anew."""
    write_whole(own_roles(folder), dump_roles(RoleBook(version=1, datasets=tuple(entries))))

"""The role book: which datasets heuristics may be mined from, and which only validation may touch. Locked by fingerprint."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from dataset_catalog._cards import DatasetCard, Role, Strict, first_fault
from dataset_catalog._errors import CatalogError
from dataset_catalog.content import NEAR_DUPLICATE, similarity

_HERE = Path(__file__).parent


class LockedRole(Strict):
    """What is locked of one dataset. ``retired`` ones are used no more, and still count as what they were."""

    name: str
    role: Role
    family: str
    fingerprint: str | None
    sketch: tuple[int, ...]
    retired: bool = False


class RoleBook(Strict):
    """All locked roles. No fingerprint, no family and no near-duplicate by row sketch stands on both sides."""

    version: int
    datasets: tuple[LockedRole, ...]

    @classmethod
    def load(cls, path: Path | None = None, *, own: Path | None = None) -> RoleBook:
        """Read the book that ships with the project, or the one at ``path``, with that at ``own`` added when there is one.

        Raises :class:`CatalogError` when the book contradicts itself.
        """
        shipped = _shipped_book() if path is None else _checked(_read(path), path)
        if own is None or not own.exists():
            return shipped
        return _checked(shipped.model_copy(update={"datasets": (*shipped.datasets, *_read(own).datasets)}), own)

    def role(self, fingerprint: str) -> Role | None:
        """Return the role of the dataset with this fingerprint, or ``None`` when the book does not know it."""
        return next((each.role for each in self.datasets if each.fingerprint == fingerprint), None)

    def fingerprints(self, role: Role = "held_out") -> frozenset[str]:
        """Return the fingerprints on one side of the line, held-out unless asked otherwise."""
        return frozenset(each.fingerprint for each in self.datasets if each.role == role and each.fingerprint)

    def families(self, role: Role = "held_out") -> frozenset[str]:
        """Return the families on one side of the line, held-out unless asked otherwise."""
        return frozenset(each.family for each in self.datasets if each.role == role)

    def sketches(self, role: Role = "held_out") -> dict[str, tuple[int, ...]]:
        """Return the row sketches on one side of the line by dataset name, held-out unless asked otherwise."""
        return {each.name: each.sketch for each in self.datasets if each.role == role}

    def resembles(self, sketch: Sequence[int], role: Role = "held_out") -> str | None:
        """Name the dataset of ``role`` that a table with this ``sketch`` nearly repeats, or return ``None``."""
        found = [(similarity(sketch, other), name) for name, other in self.sketches(role).items()]
        near, name = max(found, default=(0.0, ""))
        return name if near >= NEAR_DUPLICATE else None

    def check(self, card: DatasetCard) -> LockedRole:
        """Return what is locked of ``card``; raise :class:`CatalogError` when the card says otherwise than the book, or is not in it."""
        entry = next((each for each in self.datasets if each.name == card.name), None)
        if entry is None:
            raise CatalogError(f"{card.name}: its role is not locked in roles.json; lock it before it is used")
        for field in ("role", "family", "fingerprint"):
            said, locked = getattr(card, field), getattr(entry, field)
            if said != locked:
                raise CatalogError(
                    f"{card.name}: its card says {field} {said}, roles.json has locked {locked}; a used role is never changed"
                )
        return entry

    def check_usable(self, card: DatasetCard) -> LockedRole:
        """Return what is locked of ``card`` as :meth:`check` does; raise :class:`CatalogError` when the dataset is retired, too."""
        entry = self.check(card)
        if entry.retired:
            raise CatalogError(f"{card.name}: retired in roles.json, and used no more; take another dataset (lode datasets list)")
        return entry


def dump_roles(book: RoleBook) -> str:
    """Write the book as JSON, one line a dataset, in the order of their names."""
    lines = [json.dumps(each.model_dump(), separators=(", ", ": ")) for each in sorted(book.datasets, key=lambda each: each.name)]
    return f'{{"version": {book.version}, "datasets": [\n' + ",\n".join(lines) + "\n]}\n"


def _shipped() -> Path:
    """Beside the package in an installed wheel, one folder up in a checkout."""
    beside = _HERE / "roles.json"
    return beside if beside.is_file() else _HERE.parent / "roles.json"


@functools.cache
def _shipped_book() -> RoleBook:
    """Read once: what ships with the project never changes."""
    path = _shipped()
    return _checked(_read(path), path)


def _read(path: Path) -> RoleBook:
    try:
        content: Any = json.loads(path.read_text(encoding="utf-8"))
        return RoleBook.model_validate(content)
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise CatalogError(f"{path}: the role book cannot be read ({error})") from None
    except ValidationError as error:
        raise CatalogError(f"{path}: {first_fault(error)}") from None


def _checked(book: RoleBook, path: Path) -> RoleBook:
    for what in ("fingerprints", "families"):
        both = getattr(book, what)("training") & getattr(book, what)("held_out")
        if both:
            raise CatalogError(f"{path}: {what} on both sides of the held-out line: {', '.join(sorted(both))}")
    for name, sketch in book.sketches("training").items():
        near = book.resembles(sketch, "held_out")
        if near is not None:
            raise CatalogError(f"{path}: {name} nearly repeats {near} on the other side of the held-out line: they share rows")
    return book

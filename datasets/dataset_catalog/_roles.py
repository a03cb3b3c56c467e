"""The role book: which datasets heuristics may be mined from, and which only validation may touch. Locked by fingerprint."""

from __future__ import annotations

import functools
import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from dataset_catalog._cards import DatasetCard, Name, Role, Strict, first_fault
from dataset_catalog._errors import CatalogError
from dataset_catalog._similarity import NEAR_DUPLICATE, similarity

_HERE = Path(__file__).parent
_BY_HAND = "take what was changed by hand back; a locked role is never changed, only retired"


class LockedRole(Strict):
    """What is locked of one dataset. ``retired`` ones are used no more, and still count as what they were.

    A ``relative`` is in no catalogue: it was made from a catalogued dataset, or shares its origin, in a way that content cannot show. It is
    locked on that dataset's side, so that neither it nor its near-duplicates are ever added on the other one.
    """

    name: str
    role: Role
    family: Name
    fingerprint: str | None
    sketch: tuple[int, ...]
    retired: bool = False
    relative: bool = False


class RoleBook(Strict):
    """All locked roles. No fingerprint, no family and no near-duplicate by row sketch stands on both sides, but for what a user retired.

    A user's own entry that contradicts what ships is retired, and still counts on its side: what it was used as is not undone.
    """

    version: Literal[1]
    datasets: tuple[LockedRole, ...]

    @classmethod
    def load(cls, path: Path | None = None, *, own: Path | None = None) -> RoleBook:
        """Read the book that ships with the project, or the one at ``path``, with that at ``own`` added when there is one.

        Raises :class:`CatalogError` when the book contradicts itself.
        """
        shipped = _shipped_book() if path is None else _checked(read_roles(path), path)
        if own is None or not (own.exists() or own.is_symlink()):
            return shipped
        added = read_roles(own).datasets
        return _checked(shipped.model_copy(update={"datasets": (*shipped.datasets, *added)}), own, frozenset(each.name for each in added))

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

    def nearest(self, sketch: Sequence[int], role: Role = "held_out") -> tuple[str, float]:
        """Name the dataset of ``role`` that a table with this ``sketch`` is most alike, and tell how much; no name where nothing is."""
        found = [(similarity(sketch, other), name) for name, other in self.sketches(role).items()]
        near, name = max(found, default=(0.0, ""))
        return (name, near) if near > 0 else ("", 0.0)

    def resembles(self, sketch: Sequence[int], role: Role = "held_out") -> str | None:
        """Name the dataset of ``role`` that a table with this ``sketch`` nearly repeats, or return ``None``."""
        name, near = self.nearest(sketch, role)
        return name if near >= NEAR_DUPLICATE else None

    def check(self, card: DatasetCard) -> LockedRole:
        """Return what is locked of ``card``; raise :class:`CatalogError` when the card says otherwise than the book, or is not in it."""
        entry = next((each for each in self.datasets if each.name == card.name), None)
        if entry is None:
            raise CatalogError(
                f"{card.name}: its role is not locked in roles.json; if it is your own, its add was interrupted: add it again just so, or "
                f"take it away (lode datasets remove {card.name})"
            )
        if entry.relative:
            raise CatalogError(
                f"{card.name}: its role is not locked in roles.json, where a relative has this name: a table that is in no catalogue; "
                "give the dataset another name"
            )
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
    lines = [
        json.dumps(each.model_dump(exclude_defaults=True), separators=(",", ":"))
        for each in sorted(book.datasets, key=lambda each: each.name)
    ]
    return f'{{"version": {book.version}, "datasets": [\n' + ",\n".join(lines) + "\n]}\n"


def _shipped() -> Path:
    """Beside the package in an installed wheel, one folder up in a checkout."""
    beside = _HERE / "roles.json"
    return beside if beside.is_file() else _HERE.parent / "roles.json"


@functools.cache
def _shipped_book() -> RoleBook:
    """Read once: what ships with the project never changes."""
    path = _shipped()
    return _checked(read_roles(path), path)


def read_roles(path: Path) -> RoleBook:
    """Read the book at ``path``, whether or not it contradicts itself; raises :class:`CatalogError` when it is no role book."""
    try:
        content: Any = json.loads(path.read_text(encoding="utf-8"))
        return RoleBook.model_validate(content)
    except ValidationError as error:
        raise CatalogError(f"{path}: {first_fault(error)}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise CatalogError(f"{path}: the role book cannot be read ({error})") from None


def _checked(book: RoleBook, path: Path, own: frozenset[str] | None = None) -> RoleBook:
    """Return ``book`` unless it contradicts itself. Where entries of a user's ``own`` were added, nothing else is compared by content.

    What a user retired contradicts nothing: it is used no more, whatever ships. Raises :class:`CatalogError`: what, where, and how to mend.
    """
    seen: set[str] = set()
    for each in book.datasets:
        if each.name in seen:
            raise CatalogError(f"{path}: {each.name!r} is locked twice; {_BY_HAND if own is None else 'give your own another name'}")
        seen.add(each.name)
    counted = [each for each in book.datasets if not (each.retired and each.name in (own or ()))]
    _check_contents(counted, path, own)
    _check_families(counted, path, own)
    _check_rows(book, {each.name for each in counted}, path, own)
    return book


def _check_contents(counted: Sequence[LockedRole], path: Path, own: frozenset[str] | None) -> None:
    contents: dict[str, LockedRole] = {}
    for each in counted:
        other = contents.setdefault(each.fingerprint, each) if each.fingerprint else each
        if other.role != each.role:
            raise CatalogError(
                f"{path}: {each.name} is {each.role} and has the content of {other.name}, which is {other.role}; "
                + _mend(own, other.name, each.name)
            )


def _check_families(counted: Sequence[LockedRole], path: Path, own: frozenset[str] | None) -> None:
    sides = {role: {each.family for each in counted if each.role == role} for role in ("training", "held_out")}
    both = sides["training"] & sides["held_out"]
    if both:
        kin = [each.name for each in counted if each.family in both and each.role in sides]
        raise CatalogError(f"{path}: families on both sides of the held-out line: {', '.join(sorted(both))}; {_mend(own, *kin)}")


def _check_rows(book: RoleBook, counted: Collection[str], path: Path, own: frozenset[str] | None) -> None:
    """Compare all sketches, those that do not count too: who mines and sweeps compares with them, so they must be of today's version."""
    for name, sketch in book.sketches("training").items():
        for other_name, other_sketch in book.sketches("held_out").items():
            if own is not None and name not in own and other_name not in own:
                continue
            share = _compared(name, sketch, other_name, other_sketch, path)
            if share >= NEAR_DUPLICATE and name in counted and other_name in counted:
                raise CatalogError(
                    f"{path}: {name} nearly repeats {other_name} on the other side of the held-out line: {share:.0%}; "
                    + _mend(own, name, other_name)
                )


def _mend(own: frozenset[str] | None, *names: str) -> str:
    """Say how to end a contradiction between ``names``: a user puts what is theirs out of use."""
    theirs = [name for name in names if name in (own or ())]
    return f"lode datasets retire {theirs[-1]} puts your own out of use; or take back what was changed by hand" if theirs else _BY_HAND


def _compared(name: str, sketch: Sequence[int], other_name: str, other_sketch: Sequence[int], path: Path) -> float:
    try:
        return similarity(sketch, other_sketch)
    except CatalogError as error:
        raise CatalogError(f"{path}: {name} and {other_name}: {error}") from None

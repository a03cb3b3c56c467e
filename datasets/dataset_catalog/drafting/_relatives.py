"""Relatives: catalogued datasets that a table shares its content, its rows or its family with, and what role that leaves it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dataset_catalog._cards import Role
from dataset_catalog._errors import CatalogError
from dataset_catalog._roles import LockedRole, RoleBook
from dataset_catalog.content import NEAR_DUPLICATE, similarity
from dataset_catalog.drafting._findings import Finding


@dataclass(frozen=True)
class Relative:
    """A dataset that a table is related to. ``similarity`` is the estimated share of the smaller one's rows in the other.

    ``listed``: it is in no catalogue; the role book lists it as a relative of a catalogued one, since content cannot show that.
    """

    name: str
    role: Role
    family: str
    similarity: float
    same_content: bool
    listed: bool = False

    @property
    def near(self) -> bool:
        """Whether the two count as one dataset."""
        return self.same_content or self.similarity >= NEAR_DUPLICATE


def relatives(book: RoleBook, *, fingerprint: str | None, sketch: Sequence[int], family: str = "", name: str = "") -> list[Relative]:
    """Return the datasets of ``book``, but for the one called ``name``, that are near-duplicates or of the same family, nearest first."""
    found = [_relative(each, fingerprint, sketch) for each in book.datasets if each.name != name]
    kept = [each for each in found if each.near or each.family == family]
    return sorted(kept, key=lambda each: (not each.same_content, -each.similarity, each.name))


def check_role(found: Sequence[Relative], *, what: str, role: Role, family: str) -> None:
    """Refuse a table that would stand on both sides of the held-out line: raises :class:`CatalogError` that names the other side."""
    other = {"training": "held_out", "held_out": "training"}.get(role)
    for each in found:
        if each.role == role or not (each.role == other or each.same_content):
            continue
        if each.near:
            how = "is" if each.same_content else f"shares {each.similarity:.0%} of its rows with"
            raise CatalogError(
                f"{what} {how} {each.name}, whose role is {each.role}: it cannot be {role}; "
                + (f"add it with --role {each.role}" if other != "training" else "validate on other data")
            )
        raise CatalogError(
            f"{what}: the family {family!r} is {each.role} (by {each.name}), and {role} data must not be of it; give --family another name "
            f"if it is of other origin"
        )


def find_relatives(found: Sequence[Relative], family: str) -> list[Finding]:
    """Tell near-duplicates on the same side, whose family the table should share."""
    told = []
    for each in found:
        if each.near:
            what = f"it shares {each.similarity:.0%} of its rows with {each.name} ({each.role}, family {each.family!r})"
            remedy = "" if each.family == family else f"--family {each.family} keeps them on one side, and together in cross-validation"
            told.append(Finding("near_duplicate", what, remedy, figure=round(each.similarity, 3), serious=each.family != family))
    return told


def _relative(locked: LockedRole, fingerprint: str | None, sketch: Sequence[int]) -> Relative:
    same = fingerprint is not None and locked.fingerprint == fingerprint
    try:
        share = 1.0 if same else similarity(sketch, locked.sketch)
    except CatalogError as error:
        raise CatalogError(f"roles.json: {locked.name}: {error}") from None
    return Relative(locked.name, locked.role, locked.family, share, same, locked.relative)

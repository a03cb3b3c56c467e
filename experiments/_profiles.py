"""Profiles of catalogued datasets, computed once and kept beside their archives."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

from pydantic import ValidationError

from dataset_catalog import PROFILE_VERSION, Dataset, DatasetCard, NotHereError, Profile, load, profile
from experiments._whole_files import put


def kept_profile(card: DatasetCard, cache: Path) -> dict[str, object]:
    """Return the profile of the whole dataset as plain values, from ``cache`` or its archive there; empty when the archive isn't there.

    Nothing is fetched: whoever swept the dataset has its archive. Raises :class:`CatalogError` when the archive is there and cannot be
    used: it is damaged, its content is not the card's, or the dataset is retired.
    """
    kept = _read(_place(card, card.fingerprint, cache)) if card.fingerprint else None
    if kept is None:
        try:
            kept = profile_of(load(card.name, cache=cache, offline=True), cache)
        except NotHereError:
            return {}
    return kept.model_dump(mode="json")


def profiles_kept(cache: Path) -> list[Profile]:
    """Return every profile of today's version that is kept in ``cache``, in the order of their files' names."""
    found = map(_read, sorted((cache / "profiles").glob(f"*-p{PROFILE_VERSION}.json")))
    return [each for each in found if each is not None]


def profile_of(dataset: Dataset, cache: Path) -> Profile:
    """Return the profile of a loaded dataset, from ``cache`` or computed and kept there.

    Kept under the fingerprint, what is predicted and the version of profiles; a file that is torn, damaged or of another version counts as
    none. Two processes at once may both compute it: they write the same bytes, each whole.
    """
    path = _place(dataset.card, dataset.fingerprint, cache)
    kept = _read(path)
    if kept is None:
        kept = profile(dataset.frame, dataset.card.target, dataset.card.task, ignore=dataset.card.parting)
        with contextlib.suppress(OSError):  # archives that cannot be written beside are profiled each time
            put(path, kept.model_dump_json().encode())
    return kept


def _place(card: DatasetCard, fingerprint: str, cache: Path) -> Path:
    asked = hashlib.blake2b(repr((card.target, card.task, card.parting)).encode(), digest_size=4).hexdigest()
    return cache / "profiles" / f"{fingerprint}-{asked}-p{PROFILE_VERSION}.json"


def _read(path: Path) -> Profile | None:
    try:
        kept = Profile.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
    return kept if kept.version == PROFILE_VERSION else None

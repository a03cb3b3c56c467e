"""Profiles of catalogued datasets, computed once and kept beside their archives."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from dataset_catalog import PROFILE_VERSION, CatalogError, DatasetCard, load, profile
from experiments.journaling._files import put


def kept_profile(card: DatasetCard, cache: Path) -> dict[str, object]:
    """Return the profile of the whole dataset as plain values, from ``cache`` or its archive there; empty when the archive isn't there.

    Nothing is fetched: whoever swept the dataset has its archive.
    """
    path = cache / "profiles" / f"{card.fingerprint}.json"
    try:
        kept = json.loads(path.read_bytes())
    except (OSError, ValueError):
        kept = None
    if isinstance(kept, dict) and kept.get("version") == PROFILE_VERSION:
        return kept
    try:
        dataset = load(card.name, cache=cache, offline=True)
    except CatalogError:
        return {}
    found = profile(dataset.frame, card.target, card.task).model_dump(mode="json")
    with contextlib.suppress(OSError):  # archives that cannot be written beside are profiled each time
        put(path, json.dumps(found, sort_keys=True).encode())
    return found

"""The services that hold datasets, behind two questions: what is the table, and what does the source say of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from dataset_catalog._cards import Loader
from dataset_catalog._errors import CatalogError
from dataset_catalog._progress import Progress
from dataset_catalog.sources._facts import SourceFacts
from dataset_catalog.sources._files import pin_file
from dataset_catalog.sources._huggingface import huggingface_table
from dataset_catalog.sources._kept import Fetched
from dataset_catalog.sources._ludwig import ludwig_table
from dataset_catalog.sources._openml import openml_table

SERVICES: dict[str, Callable[..., Fetched]] = {"openml": openml_table, "huggingface": huggingface_table, "ludwig": ludwig_table}


def read_service(source: str, loader: Loader, cache: Path, *, offline: bool = False, progress: Progress | None = None) -> pd.DataFrame:
    """Return the whole table that ``loader`` names at the service ``source``, with plain dtypes, the official split's column included.

    It is fetched unless it is kept under ``cache`` already. Raises :class:`CatalogError`.
    """
    return SERVICES[source](loader, cache, offline=offline, progress=progress)[0]


def describe(source: str, loader: Loader, cache: Path, *, offline: bool = False, progress: Progress | None = None) -> SourceFacts:
    """Return what ``source`` itself says of the dataset that ``loader`` names, and the loader pinned to today's content.

    The dataset is fetched for that, unless it is kept under ``cache`` already: :func:`read_service` with the pinned loader then asks
    nobody. A file says nothing but its name; one behind a URL is pinned by its SHA-256. Raises :class:`CatalogError`.
    """
    if source in SERVICES:
        return SERVICES[source](loader, cache, offline=offline, progress=progress)[1]
    if source == "file":
        place = str(loader.path) if loader.path is not None else str(loader.url).split("?")[0]
        return SourceFacts(title=Path(place).name, loader=pin_file(loader, cache, offline=offline, progress=progress))
    raise CatalogError(f"nothing describes datasets from {source}; their cards ship with the project")

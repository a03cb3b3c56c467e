"""What is typed for a table: the name of a catalogued dataset, else a path or an address."""

from __future__ import annotations

from pathlib import Path

from dataset_catalog import Catalog, DatasetCard
from dataset_catalog.sources import shown


def catalogued(data: str, catalog: Catalog) -> DatasetCard | None:
    """Return the card of the dataset that ``data`` names, ``None`` when ``data`` is a path or an address.

    Raises ``CatalogError``, with the nearest name, for what can only be a name and is none of ``catalog``.
    """
    is_name = data in {each.name for each in catalog.cards()}
    if is_name or not (Path(data).exists() or Path(data).suffix or ":" in data):
        return catalog.card(data)
    return None


def shown_address(data: str) -> str:
    """Return what was typed for a table as it may be shown: of a URL neither user nor query, either of which may be a secret."""
    return shown(data) if "://" in data else data

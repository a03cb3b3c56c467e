"""Opening the heuristics database, everywhere in the same way."""

from __future__ import annotations

from experiments._home import Home
from heuristics_db import HeuristicsStore


def open_store(home: Home) -> HeuristicsStore:
    """Open the home's database, which then refuses, on each write and read, versions that were mined from a held-out dataset.

    Raises ``HeuristicsError`` when the database can't be used, ``CatalogError`` when the role book contradicts itself.
    """
    return HeuristicsStore(home.database_url, held_out_fingerprints=home.catalog.roles.fingerprints())

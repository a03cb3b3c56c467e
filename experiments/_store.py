"""Opening the heuristics database, everywhere in the same way."""

from __future__ import annotations

from experiments._gate import gate_policy
from experiments._home import Home
from heuristics_db import HeuristicsStore


def open_store(home: Home) -> HeuristicsStore:
    """Open the home's database, which then refuses, on each write and read, versions that were mined from a held-out dataset.

    Its gates ask for what the home's policy file says. Raises ``HeuristicsError`` when the database can't be used, ``CatalogError`` when
    the role book contradicts itself, ``ExperimentError`` when the policy file is not one.
    """
    held_out = home.catalog.roles.fingerprints()
    return HeuristicsStore(home.database_url, held_out_fingerprints=held_out, policy=gate_policy(home))

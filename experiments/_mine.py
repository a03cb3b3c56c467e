"""From the journal to a heuristics document: what stands between the sweep's records and the pure miner."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Sequence

from automl import untuned_space_hash, untuned_spaces
from dataset_catalog import RoleBook, card
from experiments._errors import ExperimentError
from experiments._home import Home
from experiments._trials import journaled
from heuristics_db import HeuristicsDocument
from mining import DatasetFacts, HeldOut, MiningRecipe, mine, trial_table

_VERSIONS = {"ludwig": "ludwig", "torch": "torch", "motherlode": "motherlode", "optuna": "optuna"}


def mine_sweeps(home: Home, sweeps: Sequence[str] = (), *, recipe: MiningRecipe | None = None) -> HeuristicsDocument:
    """Mine the journaled trials of ``sweeps``; of all training trials of the journal when none is named.

    The miner is handed the held-out side of the role book and refuses what is held out. Nothing is stored.

    Raises:
        ExperimentError: there is no such sweep, or no trial.
        LeakageError: a named sweep ran on held-out data.
        MiningError: the trials cannot be mined as they are.
        CatalogError: a trial's dataset is not in the catalogue.

    """
    records = journaled(home, sweeps)
    if not sweeps:  # validations journal their searches under ids of their own; nobody asked to mine those
        records = [record for record in records if record.role == "training"]
    if not records:
        raise ExperimentError(f"the journal {home.journal} has no training trials to mine; lode sweep run makes some")
    return mine(
        trial_table(records),
        [dataset_facts(name) for name in sorted({record.dataset for record in records})],
        wide=untuned_spaces(),
        held_out=held_out(),
        versions={name: importlib.metadata.version(package) for name, package in _VERSIONS.items()},
        recipe=recipe,
        untuned_space_hash=untuned_space_hash(),
    )


def held_out() -> HeldOut:
    """Return the held-out side of the role book, as the miner wants it."""
    book = RoleBook.load()
    return HeldOut(book.fingerprints(), book.families(), tuple(sketch for _, sketch in sorted(book.sketches().items())))


def dataset_facts(name: str) -> DatasetFacts:
    """Return what the catalogue and its role book tell of a dataset, without loading it."""
    described = card(name)
    locked = RoleBook.load().check(described)
    return DatasetFacts(
        name=described.name,
        fingerprint=described.fingerprint,
        family=described.family,
        role=described.role,
        task=described.task,
        metric=described.metric,
        rows=described.rows,
        sketch=locked.sketch,
    )

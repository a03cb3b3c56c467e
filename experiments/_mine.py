"""From the journal to a heuristics document: what stands between the sweep's records and the pure miner."""

from __future__ import annotations

import importlib.metadata
import warnings
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from automl import untuned_space_hash, untuned_spaces
from dataset_catalog import NEAR_DUPLICATE, CatalogError
from experiments._errors import ExperimentError, ExperimentWarning
from experiments._home import Home
from experiments._profiles import kept_profile
from experiments._scales import ScaleBook
from experiments._trials import journaled
from experiments._used import used_content
from experiments.journaling import Journal
from heuristics_db import HeuristicsDocument
from mining import DatasetFacts, HeldOut, MiningRecipe, TrialRecord, mine, trial_table

_MINERS = ("motherlode", "optuna")
"""What else decides about a document; the versions of the engine, Ludwig and torch are those that the trials ran on."""


def mine_sweeps(home: Home, sweeps: Sequence[str] = (), *, recipe: MiningRecipe | None = None) -> HeuristicsDocument:
    """Mine the journaled trials of ``sweeps``; of all training trials of the journal when none is named.

    The miner is handed the held-out side of the role book and refuses what is held out. Nothing is stored.

    Raises:
        ExperimentError: there is no such sweep, or no trial; or a sweep drew from other wide search spaces than today's.
        LeakageError: a named sweep ran on held-out data.
        MiningError: the trials cannot be mined as they are.
        CatalogError: a trial's dataset is not in the catalogue.

    """
    # validations and users' runs journal their searches under ids of their own; unless they are named, nobody asked to mine those
    records = journaled(home, sweeps) if sweeps else Journal(home.journal).records(role="training")
    records = _of_readable_plans(Journal(home.journal), records, named=sweeps)
    if not records:
        raise ExperimentError(f"the journal {home.journal} has no training trials to mine; lode sweep run makes some")
    _check_users(records)
    _check_spaces(Journal(home.journal), {*sweeps, *(record.sweep_id for record in records)})
    return mine(
        trial_table(records),
        known_datasets(home, records),
        wide=untuned_spaces(),
        held_out=held_out(home),
        versions={name: importlib.metadata.version(name) for name in _MINERS},
        recipe=recipe,
        untuned_space_hash=untuned_space_hash(),
    )


def not_mined(home: Home) -> dict[str, int]:
    """Return how many trials of each other role the journal holds, which are left out when no sweep is named."""
    journal = Journal(home.journal)
    return {role: count for role in ("held_out", "user") if (count := len(journal.records(role=role)))}


def held_out(home: Home) -> HeldOut:
    """Return the held-out side of the role book, as the miner wants it, with whatever was validated on in this home.

    What was once held out stays held out, though somebody took it out of a role book of their own.
    """
    book = home.catalog.roles
    looked_at = used_content(Journal(home.journal), "held_out").keys()
    sketches = tuple(sketch for _, sketch in sorted(book.sketches().items()))
    return HeldOut(book.fingerprints() | looked_at, book.families(), sketches, NEAR_DUPLICATE)


def _check_users(records: Sequence[TrialRecord]) -> None:
    """Refuse trials of tables that are in no catalogue: nobody can say whether they are held out."""
    own = [record for record in records if record.role == "user"]
    if own:
        told = ", ".join(sorted({f"{record.dataset} ({record.sweep_id})" for record in own}))
        raise ExperimentError(f"{len(own)} trials are of users' own tables and cannot be mined: {told}; name sweeps of training datasets")


def _of_readable_plans(journal: Journal, records: Sequence[TrialRecord], named: Collection[str]) -> list[TrialRecord]:
    """Leave out, with a warning, the trials of sweeps whose plans are damaged: nobody can say which spaces they drew from.

    Raises :class:`ExperimentError` for such a sweep that was asked for by name.
    """
    damaged = set()
    for sweep_id in sorted({*named, *(record.sweep_id for record in records)}):
        try:
            journal.manifest(sweep_id)
        except ExperimentError as error:
            if sweep_id in named:
                raise
            damaged.add(sweep_id)
            count = sum(record.sweep_id == sweep_id for record in records)
            warnings.warn(f"{count} trials of sweep {sweep_id} are left out: {error}", ExperimentWarning, stacklevel=3)
    return [record for record in records if record.sweep_id not in damaged]


def _check_spaces(journal: Journal, sweeps: Iterable[str]) -> None:
    """Refuse sweeps that drew from other wide spaces: what was kept of a space is told against today's."""
    now = untuned_space_hash()
    for sweep_id in sorted(sweeps):
        manifest = journal.manifest(sweep_id) or {}
        drawn_from = manifest.get("untuned_space_hash", now)
        if drawn_from != now:
            raise ExperimentError(
                f"sweep {sweep_id} drew from other wide search spaces ({str(drawn_from)[:12]}) than today's ({now[:12]}); "
                "run it anew, or leave it out by naming the others (--sweep)"
            )


def known_datasets(home: Home, records: Iterable[TrialRecord]) -> list[DatasetFacts]:
    """Return what is known of the datasets of ``records``, by name: with their profiles, and the frozen ends of the rows that they ran on.

    A profile is there when the dataset's archive is (one that is there and cannot be used is told in a warning); ends where a dataset's
    trials ran on one draw of rows (the miner refuses several).
    """
    book = ScaleBook.load()
    drawn: dict[str, set[tuple[str, int | None, str]]] = {}
    for record in records:
        drawn.setdefault(record.dataset, set()).add((record.fingerprint, record.row_cap, record.split_id))
    found = []
    for name, rows in sorted(drawn.items()):
        ends = book.find(*next(iter(rows))) if len(rows) == 1 else None
        facts = replace(catalogued_facts(home, name), profile=_profile(home, name))
        if ends is not None:
            facts = replace(facts, best=ends.best, reference=ends.reference, ends_revision=ends.told(book.revision))
        found.append(facts)
    return found


def _profile(home: Home, name: str) -> dict[str, object]:
    try:
        return kept_profile(home.catalog.card(name), home.datasets)
    except CatalogError as error:
        warnings.warn(f"mined without a profile: {error}", ExperimentWarning, stacklevel=4)
        return {}


def catalogued_facts(home: Home, name: str) -> DatasetFacts:
    """Return what the catalogue and its role book tell of a dataset, without loading it."""
    described = home.catalog.card(name)
    locked = home.catalog.roles.check(described)
    if described.fingerprint is None or described.role == "unused":
        raise CatalogError(f"{name}: it is unused, or its content drifts with its source: nothing can be mined from it")
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

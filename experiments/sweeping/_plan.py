"""A sweep made definite: every trial with its id, on tables whose rows, parts and features stand."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Literal, Self

from pydantic import AwareDatetime, model_validator

import automl
import dataset_catalog
from automl import Task, TaskTable, TrialRequest
from experiments._errors import ExperimentError
from experiments._home import Home
from experiments._task_tables import task_table
from experiments._used import used_content
from experiments.journaling import Journal, settles
from experiments.sweeping._spec import DatasetChoice, SweepSpec
from experiments.sweeping._strict import Strict
from heuristics_db import Scalar, SearchSpace
from mining import TrialRecord
from mining.policies import draw_configurations

KeepModels = Literal["none", "best", "all"]


class PlannedDataset(Strict):
    """A dataset of a plan, as it was when the plan was made."""

    name: str
    fingerprint: str
    family: str
    role: Literal["training"] = "training"
    task: Task
    metric: str
    direction: Literal["maximize", "minimize"]
    rows: int
    columns: int
    split_id: str


class PlannedTrial(Strict):
    """One trial of a plan."""

    trial_id: str
    dataset: str
    model_type: str
    hyperparameters: dict[str, Scalar]
    seed: int


class SweepManifest(Strict):
    """What is kept of a plan beside the sweep's records: enough to go on with from the sweep's id alone."""

    sweep_id: str
    spec: SweepSpec
    datasets: tuple[PlannedDataset, ...]
    trials: tuple[PlannedTrial, ...]
    device_class: str
    untuned_space_hash: str
    versions: dict[str, str]
    created_at: AwareDatetime

    @model_validator(mode="after")
    def _of_known_datasets(self) -> Self:
        known = {each.name for each in self.datasets}
        if strange := sorted({each.dataset for each in self.trials} - known):
            raise ValueError(f"it has trials of {strange[0]}, and no such dataset")
        return self

    def dataset(self, name: str) -> PlannedDataset:
        """Return the dataset ``name`` of the plan."""
        return next(each for each in self.datasets if each.name == name)

    def settles(self, record: TrialRecord) -> bool:
        """Say whether ``record`` answers for its trial in this sweep: one that its own stopping policy ended does, another's does not."""
        if record.status == "stopped_early":
            return self.spec.stopping is not None and record.sweep_id == self.sweep_id
        return settles(record, self.spec.limits.trial_seconds, self.spec.limits.trial_memory)

    def answered(self, journal: Journal) -> dict[str, list[TrialRecord]]:
        """Return the trials that ``journal`` settles, each with the records that do."""
        limits = self.spec.limits
        found = journal.answers({trial.trial_id for trial in self.trials}, limits.trial_seconds, limits.trial_memory)
        if self.spec.stopping is not None:
            for record in journal.records(self.sweep_id):
                if record.trial_id not in found and self.settles(record):
                    found[record.trial_id] = [record]
        return found


@dataclass(frozen=True)
class SweepPlan:
    """A manifest with the tables, by dataset name, that its trials learn from.

    ``keep_models`` says whose models are kept under ``models``: nobody's, each dataset's best trial's, or all. No trial's id knows of it.
    """

    manifest: SweepManifest
    tables: Mapping[str, TaskTable]
    keep_models: KeepModels = "none"
    models: Path | None = None

    @property
    def sweep_id(self) -> str:
        """The sweep's name with ten digits of a hash of its trials: the same plan has the same id."""
        return self.manifest.sweep_id

    def request(self, trial: PlannedTrial) -> TrialRequest:
        """Return ``trial`` as the engine takes it, labelled for the journal."""
        spec = self.manifest.spec
        dataset = self.manifest.dataset(trial.dataset)
        kept = self.models / self.sweep_id / dataset.name if self.models is not None else None
        return TrialRequest(
            trial_id=trial.trial_id,
            table=self.tables[trial.dataset],
            model_type=trial.model_type,
            hyperparameters=trial.hyperparameters,
            seed=trial.seed,
            epochs=spec.epochs,
            time_limit=spec.limits.trial_seconds,
            memory_limit=spec.limits.trial_memory,
            labels={"sweep_id": self.sweep_id, "dataset": dataset.name, "family": dataset.family, "role": dataset.role},
            keep_best_in=kept if self.keep_models == "best" else None,
            save_model_to=kept / trial.trial_id if kept is not None and self.keep_models == "all" else None,
        )

    def take(self, journal: Journal, trial: PlannedTrial, found: Sequence[TrialRecord]) -> TrialRecord:
        """Take ``trial`` from the records that settle it, this sweep's own before others', and return it as this sweep holds it."""
        record = min(found, key=lambda each: (each.sweep_id != self.sweep_id, each.role != "training"))
        dataset = self.manifest.dataset(trial.dataset)
        return journal.adopt(record, sweep_id=self.sweep_id, dataset=dataset.name, family=dataset.family, role=dataset.role)


def plan(spec: SweepSpec, home: Home, *, offline: bool = False, progress: Callable[[str], None] | None = None) -> SweepPlan:
    """Load the datasets of ``spec`` (fetching archives into ``home`` unless ``offline``) and lay out every trial.

    Raises :class:`ExperimentError` for a held-out dataset or an unknown model type, ``dataset_catalog.CatalogError`` for an unknown
    dataset or one that cannot be fetched.
    """
    if spec.portfolio is not None:
        spec = spec.model_copy(update={"portfolio": spec.portfolio.resolved(home, automl.untuned_spaces())})
    cards = _choose(spec, home.catalog)
    tables, families = {}, {}
    for card in cards:
        if progress is not None:
            progress(f"loading {card.name}")
        dataset = home.catalog.load(card.name, offline=offline, progress=progress)
        tables[card.name] = task_table(dataset, row_cap=spec.row_cap, seed=spec.split_seed)
        families[card.name] = card.family
    _check_never_held_out(spec, tables, Journal(home.journal))
    return plan_tables(spec, tables, families, roles=home.catalog.roles)


def plan_tables(
    spec: SweepSpec, tables: Mapping[str, TaskTable], families: Mapping[str, str], *, roles: dataset_catalog.RoleBook | None = None
) -> SweepPlan:
    """Lay out every trial of ``spec`` on tables that stand already; configurations that come to the same trial are planned once.

    ``roles`` is the shipped role book unless another is given. Raises what :func:`plan` raises.
    """
    spaces = _spaces(spec)
    _check_roles(spec, tables, families, roles or dataset_catalog.RoleBook.load())
    device = automl.device_class()
    trials: dict[str, PlannedTrial] = {}
    for name, table in tables.items():
        for trial in _trials_of(spec, name, table, spaces, device):
            trials.setdefault(trial.trial_id, trial)
    manifest = SweepManifest(
        sweep_id=_sweep_id(spec, trials),
        spec=spec,
        datasets=tuple(_describe(name, table, families[name]) for name, table in tables.items()),
        trials=tuple(trials.values()),
        device_class=device,
        untuned_space_hash=automl.untuned_space_hash(),
        versions=automl.engine_versions(),
        created_at=datetime.now(UTC),
    )
    return SweepPlan(manifest, tables)


def _spaces(spec: SweepSpec) -> dict[str, SearchSpace]:
    """Return the search spaces of the model types that ``spec`` asks for, in its order."""
    known = automl.untuned_spaces()
    of_portfolio = tuple(dict.fromkeys(seed.model_type for seed in spec.portfolio.seeds)) if spec.portfolio is not None else ()
    model_types = spec.model_types or (tuple(known) if spec.configurations.count else of_portfolio)
    if unknown := [each for each in model_types if each not in known]:
        raise ExperimentError(f"sweep {spec.name}: unknown model type {unknown[0]}; known: {', '.join(known)}")
    if left_out := [each for each in of_portfolio if each not in model_types]:
        raise ExperimentError(f"sweep {spec.name}: `model_types` leaves out {', '.join(left_out)}, of which its portfolio has some")
    return {each: known[each] for each in model_types}


def _check_roles(spec: SweepSpec, tables: Mapping[str, TaskTable], families: Mapping[str, str], roles: dataset_catalog.RoleBook) -> None:
    """Refuse what is held out: by content, by family, or by the rows that it shares."""
    for name, table in tables.items():
        if roles.role(table.fingerprint) == "held_out" or families[name] in roles.families("held_out"):
            raise ExperimentError(f"sweep {spec.name}: {name} is, or belongs to the family of, a held-out dataset, and may not be swept")
        near, share = roles.nearest(dataset_catalog.sketch(table.frame))
        if share >= dataset_catalog.NEAR_DUPLICATE:
            raise ExperimentError(
                f"sweep {spec.name}: {name} repeats rows of the held-out dataset {near} ({share:.0%} of the smaller), and may not be swept"
            )


def _trials_of(
    spec: SweepSpec, name: str, table: TaskTable, spaces: Mapping[str, SearchSpace], device: automl.DeviceClass
) -> Iterator[PlannedTrial]:
    seed_of_draw = _seed_of_draw(spec, name)
    configurations = {each: _configurations(spec, space, seed_of_draw) for each, space in spaces.items()}
    for seed, model_type in product(spec.seeds, spaces):
        for configuration in configurations[model_type]:
            trial_id = automl.trial_id(table, model_type, configuration, seed=seed, epochs=spec.epochs, device_class=device)
            yield PlannedTrial(trial_id=trial_id, dataset=name, model_type=model_type, hyperparameters=configuration, seed=seed)


def _check_never_held_out(spec: SweepSpec, tables: Mapping[str, TaskTable], journal: Journal) -> None:
    """Refuse content that was validated on as held-out, whatever its card and its role book say by now."""
    looked_at = used_content(journal, "held_out")
    for name, table in tables.items():
        if names := looked_at.get(table.fingerprint):
            was = f" as {min(names)}" if name not in names else ""
            raise ExperimentError(
                f"sweep {spec.name}: {name} was validated on{was} as held-out data and may not be swept; a used role is never changed"
            )


def _choose(spec: SweepSpec, catalog: dataset_catalog.Catalog) -> list[dataset_catalog.DatasetCard]:
    if isinstance(spec.datasets, DatasetChoice):
        return catalog.cards(spec.datasets.role, modality="tabular")
    chosen = [catalog.card(name) for name in spec.datasets]
    roles = catalog.roles
    for card in chosen:
        roles.check(card)
        if card.role != "training":
            raise ExperimentError(
                f"sweep {spec.name}: {card.name} is {card.role.replace('_', ' ')} and may not be swept: "
                "heuristics are mined from training datasets alone; take it out of `datasets` (`lode datasets list` shows the roles)"
            )
        if card.modality == "text":
            raise ExperimentError(
                f"sweep {spec.name}: {card.name} is text, and the model types that a sweep can train are for tables; take it out"
            )
    return chosen


def _seed_of_draw(spec: SweepSpec, dataset: str) -> int:
    drawn = spec.configurations
    return drawn.seed if drawn.shared else int(hashlib.sha256(f"{drawn.seed}:{dataset}".encode()).hexdigest()[:8], 16)


def _configurations(spec: SweepSpec, space: SearchSpace, seed: int) -> list[dict[str, Scalar]]:
    """Return the configurations of one model type: the portfolio's, then those that are drawn."""
    seeds = spec.portfolio.seeds if spec.portfolio is not None else ()
    found = [dict(each.configuration) for each in seeds if each.model_type == space.model_type]
    if spec.configurations.count:
        found += draw_configurations(space, spec.configurations.count, seed=seed, sampler=spec.configurations.sampler)
    return found


def _describe(name: str, table: TaskTable, family: str) -> PlannedDataset:
    scorer = automl.scorer_for(table.task)
    return PlannedDataset(
        name=name,
        fingerprint=table.fingerprint,
        family=family,
        task=table.task,
        metric=scorer.metric,
        direction=scorer.direction,
        rows=len(table.frame),
        columns=len(table.features),
        split_id=table.split_id,
    )


def _sweep_id(spec: SweepSpec, trial_ids: Iterable[str]) -> str:
    content = {"spec": spec.determinants(), "trials": list(trial_ids)}
    return f"{spec.name}-{hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:10]}"

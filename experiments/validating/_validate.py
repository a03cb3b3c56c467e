"""The validation of one version on one suite: checked, run, summed up for the gate."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from automl import engine_versions, scorer_for, untuned_space_hash, untuned_spaces
from experiments._errors import ExperimentError
from experiments._home import Home
from experiments.validating._arms import SearchJob, SearchOutcome, arm_result, in_suite_order, lay_out, plan_arms
from experiments.validating._held_out import HeldOutTable, load_held_out
from experiments.validating._reference import hgb_reference
from experiments.validating._regret import RegretScale
from experiments.validating._suite import SuiteSpec
from heuristics_db import (
    ArmResult,
    HeuristicsDocument,
    ReferenceResult,
    SuiteDataset,
    ValidationBudget,
    ValidationSummary,
)


class SearchRunner(Protocol):
    """Runs searches, several at a time as it sees fit, and gives back each with its outcome when it has ended."""

    def __call__(self, jobs: Sequence[SearchJob]) -> Iterable[tuple[SearchJob, SearchOutcome]]:
        """Run ``jobs``."""


@dataclass(frozen=True)
class ValidationProgress:
    """How far a validation is: searches ended of all, and what ended last (``None`` before the first)."""

    done: int
    planned: int
    last: ArmResult | None = None


@dataclass(frozen=True, eq=False)
class ValidationPlan:
    """A validation made definite: nothing has run yet, everything that could refuse it has been asked."""

    suite: SuiteSpec
    version: str
    validation_id: str
    tables: Mapping[str, HeldOutTable]
    scales: Mapping[str, RegretScale]
    jobs: tuple[SearchJob, ...]

    @property
    def trials(self) -> int:
        """Trials at most, over all searches."""
        return len(self.jobs) * self.suite.budget.trials


def plan_validation(suite: SuiteSpec, document: HeuristicsDocument, home: Home, *, version: str) -> ValidationPlan:
    """Check the suite against the document, load the held-out datasets and lay out every search.

    Args:
        suite: what is looked at, and at what budget.
        document: what is validated.
        home: where datasets are kept, and what the searches write.
        version: the document's id, as the store names it; never worked out anew, since an older document reads with newer defaults.

    Raises:
        ExperimentError: the untuned spaces moved since the document was mined, an end is not frozen, a dataset is not held out, or a model
            type is unknown.
        CatalogError: a dataset is unknown, or cannot be fetched or verified.

    """
    check_untuned(document)
    unknown = [each for each in suite.model_types if each not in untuned_spaces()]
    if unknown:
        raise ExperimentError(f"suite {suite.name}: unknown model type {unknown[0]}; known: {', '.join(untuned_spaces())}")
    if suite.unfrozen:
        raise ExperimentError(f"suite {suite.name}: {', '.join(suite.unfrozen)} not frozen yet; first: lode validate SUITE.yaml --freeze")
    tables = {entry.name: load_held_out(entry.name, suite, home.catalog) for entry in suite.datasets}
    check_splits(suite, {name: held_out.table.split_id for name, held_out in tables.items()})
    plans = {name: plan_arms(suite, document, version, held_out.table.task) for name, held_out in tables.items()}
    scales = {
        entry.name: RegretScale.of(entry, scorer_for(tables[entry.name].table.task).direction, suite.floor) for entry in suite.datasets
    }
    validation_id = name_validation(suite, version)
    jobs = lay_out(suite, tables, plans, validation_id, home.runs / validation_id)
    return ValidationPlan(suite, version, validation_id, tables, scales, tuple(jobs))


def check_splits(suite: SuiteSpec, today: Mapping[str, str]) -> None:
    """Raise :class:`ExperimentError` when a dataset's rows or parts (split id by name) are not those that its ends were frozen on."""
    for entry in suite.datasets:
        if entry.split_id is not None and entry.split_id != today[entry.name]:
            raise ExperimentError(
                f"suite {suite.name}: {entry.name} was frozen on split {entry.split_id}, which is {today[entry.name]} today: take its "
                "ends out of the file, raise the revision and freeze it anew (lode validate SUITE.yaml --freeze)"
            )


def check_untuned(document: HeuristicsDocument) -> None:
    """Raise :class:`ExperimentError` unless today's untuned spaces are those that stood when ``document`` was mined."""
    mined_from, today = document.provenance.untuned_space_hash, untuned_space_hash()
    if mined_from != today:
        raise ExperimentError(
            f"the untuned spaces changed since this version was mined ({mined_from[:12]} then, {today[:12]} now): the comparison would be "
            "with a moved baseline; mine again"
        )


def name_validation(suite: SuiteSpec, version: str) -> str:
    """Return the id that the trials of this validation are journaled under: the same version on the same suite has the same one."""
    digest = hashlib.sha256(f"{suite.suite_hash} {version}".encode()).hexdigest()
    return f"validation-{suite.name}-{suite.revision}-{digest[:10]}"


def run_validation(
    plan: ValidationPlan, runner: SearchRunner, *, progress: Callable[[ValidationProgress], None] = lambda _: None
) -> ValidationSummary:
    """Run every search of ``plan`` and the reference beside them, and sum up.

    A search that fails leaves a result with its error: the gate refuses it, nothing is dropped.
    """
    progress(ValidationProgress(0, len(plan.jobs)))
    results: list[ArmResult] = []
    for job, outcome in runner(plan.jobs):
        results.append(arm_result(job, outcome, plan.scales[job.dataset]))
        progress(ValidationProgress(len(results), len(plan.jobs), results[-1]))
    suite = plan.suite
    return ValidationSummary(
        validation_id=plan.validation_id,
        version=plan.version,
        suite=suite.name,
        suite_hash=suite.suite_hash,
        untuned_space_hash=untuned_space_hash(),
        budget=ValidationBudget(trials=suite.budget.trials, epochs=suite.budget.epochs),
        seeds=suite.seeds,
        datasets=tuple(_described(plan)),
        results=in_suite_order(suite, results),
        references=tuple(_references(plan)),
        versions=dict(engine_versions()),
        created_at=datetime.now(UTC),
    )


def _described(plan: ValidationPlan) -> Iterator[SuiteDataset]:
    reserved = {entry.name for entry in plan.suite.datasets if entry.reserved}
    for name, held_out in plan.tables.items():
        table, scale = held_out.table, plan.scales[name]
        yield SuiteDataset(
            name=name,
            fingerprint=table.fingerprint,
            family=held_out.dataset.card.family,
            task=table.task,
            metric=scorer_for(table.task).metric,
            direction=scale.direction,
            rows=len(table.frame),
            best_score=scale.best,
            reference_score=scale.reference,
            reserved=name in reserved,
        )


def _references(plan: ValidationPlan) -> Iterator[ReferenceResult]:
    for name, held_out in plan.tables.items():
        found = hgb_reference(held_out.table, seed=plan.suite.split_seed)
        yield ReferenceResult(
            dataset=name, score=found.score, regret=plan.scales[name].regret(found.score), name=found.name, seconds=found.seconds
        )

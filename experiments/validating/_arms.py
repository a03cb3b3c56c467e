"""The searches of a validation: every dataset × arm × seed, and what each came to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from automl import Budget, SearchPlan, SearchResult, TaskTable, scorer_for, search_plan
from experiments.validating._held_out import HeldOutTable
from experiments.validating._regret import RegretScale
from experiments.validating._suite import SuiteSpec
from heuristics_db import Arm, ArmResult, HeuristicsDocument
from mining import FAILURES

ARMS: tuple[Arm, ...] = ("candidate", "untuned")


@dataclass(frozen=True, eq=False)
class SearchJob:
    """One search to run: its table, plan and seed, and the labels that its trials are journaled under."""

    dataset: str
    arm: Arm
    seed: int
    table: TaskTable
    plan: SearchPlan
    budget: Budget
    storage: Path
    labels: Mapping[str, str]


@dataclass(frozen=True)
class SearchOutcome:
    """What came of a job: the search's result, or the one line that says why there is none; ``seconds`` is wall time."""

    result: SearchResult | None
    seconds: float
    error: str | None = None


def plan_arms(suite: SuiteSpec, document: HeuristicsDocument, version: str, task: str) -> dict[Arm, SearchPlan]:
    """Return the plans of both arms for ``task``, restricted to the suite's model types: all that differs between them is what was mined.

    Raises:
        AutoMLError: the document knows none of the suite's model types.

    """
    remark = f"suite {suite.name} searches {', '.join(suite.model_types)}"
    candidate = search_plan(document, task=task, label=version[:12])
    return {
        "candidate": candidate.restricted(suite.model_types, remark),
        "untuned": search_plan(None).restricted(suite.model_types, remark),
    }


def lay_out(
    suite: SuiteSpec, tables: Mapping[str, HeldOutTable], plans: Mapping[str, Mapping[Arm, SearchPlan]], validation_id: str, storage: Path
) -> list[SearchJob]:
    """Return every search of the validation, seeds outermost, so that arms stay side by side. ``plans`` are by dataset and arm."""
    budget = Budget(trials=suite.budget.trials, seconds=None, epochs=suite.budget.epochs)
    return [
        SearchJob(
            dataset=name,
            arm=arm,
            seed=seed,
            table=held_out.table,
            plan=plans[name][arm],
            budget=budget,
            storage=storage / f"{name}-{arm}-{seed}",
            labels={"sweep_id": validation_id, "dataset": name, "family": held_out.dataset.card.family, "role": "held_out", "arm": arm},
        )
        for seed in suite.seeds
        for name, held_out in tables.items()
        for arm in ARMS
    ]


def arm_result(job: SearchJob, outcome: SearchOutcome, scale: RegretScale) -> ArmResult:
    """Put what came of a search into the form that the gate reads."""
    result = outcome.result
    trials = result.trials if result is not None else ()
    best = result.best if result is not None else None
    score = best.test_score if best is not None else None
    error = outcome.error
    if error is None and score is None:
        error = f"no trial of {len(trials)} has a finite {scorer_for(job.table.task).metric} on the test part"
    return ArmResult(
        dataset=job.dataset,
        arm=job.arm,
        seed=job.seed,
        score=score,
        regret=None if score is None else scale.regret(score),
        trials=len(trials),
        epochs=sum(len(trial.curve) for trial in trials),
        seconds=outcome.seconds,
        failed_trials=sum(trial.status in FAILURES for trial in trials),
        model_type=best.model_type if best is not None else None,
        error=error,
    )


def in_suite_order(suite: SuiteSpec, results: Sequence[ArmResult]) -> tuple[ArmResult, ...]:
    """Return ``results`` by dataset, arm and seed, whatever order the searches ended in."""
    datasets = [entry.name for entry in suite.datasets]
    return tuple(sorted(results, key=lambda each: (datasets.index(each.dataset), ARMS.index(each.arm), suite.seeds.index(each.seed))))

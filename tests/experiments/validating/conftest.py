"""A small validation that is made, not loaded: two tables, a document, a suite with frozen ends."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from automl import Feature, TaskTable, scorer_for, untuned_space_hash, untuned_spaces
from dataset_catalog import Dataset, card
from experiments.validating import SuiteBudget, SuiteEntry, SuiteSpec, ValidationPlan
from experiments.validating._arms import lay_out, plan_arms
from experiments.validating._held_out import HeldOutTable
from experiments.validating._regret import RegretScale
from heuristics_db import (
    EarlyStoppingPolicy,
    Evidence,
    HeuristicsDocument,
    ModalityHeuristics,
    ModelChoice,
    ModelTypeHeuristics,
    Provenance,
    SeedConfiguration,
    TrialLimits,
    content_hash,
)
from mining.policies import draw_configurations

ENDS = {"bank_marketing": (0.95, 0.5), "concrete": (0.3, 1.3)}


def made_table(name: str) -> TaskTable:
    rng = np.random.default_rng(3)
    rows = 200
    x, level = rng.normal(size=rows), rng.choice(["a", "b", "c"], size=rows)
    signal = x + (level == "a") + rng.normal(scale=0.2, size=rows)
    binary = name == "bank_marketing"
    frame = pd.DataFrame({"x": x, "level": level.astype(object), "y": np.where(signal > 0.3, "yes", "no") if binary else signal})
    split = np.resize(np.array([0, 0, 0, 0, 0, 0, 1, 1, 2, 2], dtype=np.int8), rows)
    return TaskTable(
        name=name,
        fingerprint=card(name).fingerprint,
        frame=frame,
        target="y",
        task="binary" if binary else "regression",
        features=(Feature("x", "number"), Feature("level", "category")),
        split=split,
        split_id="made",
        positive="yes" if binary else None,
    )


@pytest.fixture
def suite() -> SuiteSpec:
    return SuiteSpec(
        name="made",
        datasets=tuple(SuiteEntry(name=name, best=best, reference=reference, how="by hand") for name, (best, reference) in ENDS.items()),
        model_types=("concat",),
        budget=SuiteBudget(trials=2, epochs=2),
        seeds=(0, 1),
    )


@pytest.fixture
def document() -> HeuristicsDocument:
    space = untuned_spaces()["concat"]
    configuration = draw_configurations(space, 1, seed=0)[0] | {"trainer.learning_rate": 0.01, "trainer.batch_size": 32}
    seed = SeedConfiguration(model_type="concat", configuration=configuration)
    return HeuristicsDocument(
        modalities={
            "tabular": ModalityHeuristics(
                model_choice=ModelChoice(order=("concat",), regret={}, reason="made", evidence=Evidence(method="made", trials=0)),
                model_types={"concat": ModelTypeHeuristics(space=space, portfolio=(seed,))},
                portfolio=(seed,),
                early_stopping=EarlyStoppingPolicy(grace_period=1, max_epochs=2),
                limits=TrialLimits(trials=2, epochs=2),
            )
        },
        provenance=Provenance(
            trial_set_hash="0" * 64,
            trials=1,
            failed_trials=0,
            sweeps=(),
            datasets=(),
            versions={"ludwig": "0", "torch": "0", "motherlode": "0"},
            recipe={},
            untuned_space_hash=untuned_space_hash(),
        ),
    )


@pytest.fixture
def plan(suite, document, tmp_path) -> ValidationPlan:
    version = content_hash(document)
    tables, scales = {}, {}
    for entry in suite.datasets:
        table = made_table(entry.name)
        tables[entry.name] = HeldOutTable(Dataset(card(entry.name), table.frame, table.fingerprint), table)
        scales[entry.name] = RegretScale.of(entry, scorer_for(table.task).direction, 0.001)
    plans = {name: plan_arms(suite, document, version, held_out.table.task) for name, held_out in tables.items()}
    jobs = lay_out(suite, tables, plans, "validation-made", tmp_path / "runs")
    return ValidationPlan(suite, version, "validation-made", tables, scales, tuple(jobs))

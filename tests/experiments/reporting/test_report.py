"""The report: what it says, that it stands alone, and that names cannot break out of it."""

from __future__ import annotations

import dataclasses
import re
from datetime import UTC, datetime

import pytest

from experiments.reporting import (
    Overhead,
    ReportData,
    Stage,
    SweptDataset,
    TrialDot,
    mined_facts,
    overhead,
    render,
    swept_datasets,
    trial_dots,
    write_report,
)
from heuristics_db import (
    ArmResult,
    CategoricalDomain,
    Check,
    DatasetProvenance,
    EarlyStoppingPolicy,
    Evidence,
    FloatDomain,
    GateVerdict,
    HeuristicsDocument,
    Hyperparameter,
    ModalityHeuristics,
    ModelChoice,
    ModelTypeHeuristics,
    Provenance,
    ReferenceResult,
    SearchSpace,
    SeedConfiguration,
    SuiteDataset,
    TrialLimits,
    ValidationBudget,
    ValidationSummary,
)
from mining import OBSERVED, TrialRecord, observed_ends, trial_table

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
VERSION = "ab" * 32
WIDE = SearchSpace(
    model_type="concat",
    hyperparameters=(
        Hyperparameter(name="trainer.learning_rate", domain=FloatDomain(low=1e-5, high=1e-1, log=True)),
        Hyperparameter(name="combiner.dropout", domain=FloatDomain(low=0.0, high=0.6)),
        Hyperparameter(name="combiner.norm", domain=CategoricalDomain(choices=(None, "batch"))),
    ),
)
MINED = SearchSpace(
    model_type="concat",
    hyperparameters=(
        Hyperparameter(
            name="trainer.learning_rate",
            domain=FloatDomain(low=1e-3, high=2e-2, log=True),
            importance=0.8,
            reason="the top third lies here",
        ),
        Hyperparameter(name="combiner.dropout", domain=FloatDomain(low=0.0, high=0.6), searched=False, fixed=0.1, importance=0.05),
        Hyperparameter(name="combiner.norm", domain=CategoricalDomain(choices=(None, "batch")), importance=0.1),
    ),
)


def document() -> HeuristicsDocument:
    evidence = Evidence(method="leave one family out", trials=24)
    seed = SeedConfiguration(
        model_type="concat",
        configuration={"trainer.learning_rate": 0.005, "combiner.dropout": 0.1, "combiner.norm": None},
        best_on=("adult",),
    )
    return HeuristicsDocument(
        modalities={
            "tabular": ModalityHeuristics(
                model_choice=ModelChoice(order=("concat",), regret={"concat": 0.21}, reason="the only one swept", evidence=evidence),
                model_types={"concat": ModelTypeHeuristics(space=MINED, portfolio=(seed,))},
                portfolio=(seed,),
                early_stopping=EarlyStoppingPolicy(grace_period=2, reduction_factor=3, max_epochs=9, reason="loses nothing"),
                limits=TrialLimits(trials=10, epochs=9),
            )
        },
        provenance=Provenance(
            trial_set_hash="cd" * 32,
            trials=24,
            failed_trials=1,
            sweeps=("demo",),
            datasets=(),
            versions={"ludwig": "0.17"},
            recipe={"top": 0.3},
            untuned_space_hash="ef" * 32,
        ),
    )


def record(number: int, **changes: object) -> TrialRecord:
    fields: dict[str, object] = {
        "trial_id": f"t{number}",
        "sweep_id": "demo",
        "dataset": "adult",
        "fingerprint": "f",
        "family": "census",
        "role": "training",
        "task": "binary",
        "target": "income",
        "row_cap": 2000,
        "rows": 2000,
        "columns": 14,
        "split_id": "s",
        "model_type": "concat",
        "hyperparameters": {},
        "config": "{}",
        "seed": 0,
        "fidelity": 5,
        "epochs_run": 5,
        "status": "completed",
        "metric": "auc",
        "direction": "maximize",
        "validation_score": 0.5 + number / 10,
        "test_score": 0.5,
        "train_seconds": 2.0,
        "prepare_seconds": 0.0,
        "wall_seconds": 2.25,
        "peak_memory_bytes": 1,
        "n_parameters": 10,
        "device": "cpu",
        "node_type": "n",
        "versions": {},
        "started_at": NOW,
    }
    return TrialRecord.model_validate(fields | changes)


def summary(dataset: str = "bank_marketing") -> ValidationSummary:
    results = tuple(
        ArmResult(
            dataset=dataset,
            arm=arm,
            seed=seed,
            score=0.9,
            regret=regret + seed / 100,
            trials=8,
            epochs=40,
            seconds=30.0,
            model_type="concat",
        )
        for arm, regret in (("candidate", 0.05), ("untuned", 0.2))
        for seed in (0, 1, 2)
    )
    return ValidationSummary(
        validation_id="v",
        version=VERSION,
        suite="demo",
        suite_hash="12" * 32,
        untuned_space_hash="ef" * 32,
        budget=ValidationBudget(trials=8, epochs=9),
        seeds=(0, 1, 2),
        datasets=(
            SuiteDataset(
                name=dataset,
                fingerprint="x",
                family="bank",
                task="binary",
                metric="auc",
                direction="maximize",
                rows=2000,
                best_score=0.92,
                reference_score=0.5,
            ),
        ),
        results=results,
        references=(ReferenceResult(dataset=dataset, score=0.91, regret=0.024),),
        versions={"ludwig": "0.17"},
        created_at=NOW,
    )


def full_report() -> ReportData:
    records = [record(number) for number in range(5)] + [record(9, status="diverged", validation_score=None)]
    return ReportData(
        title="The demo",
        created_at=NOW,
        datasets=swept_datasets(records),
        dots=trial_dots(records),
        overhead=overhead(records),
        mined=mined_facts(document(), version=VERSION, state="validated", wide={"concat": WIDE}),
        validation=summary(),
        gates=(
            GateVerdict(
                channel="staging",
                version=VERSION,
                passed=False,
                checks=(Check(name="enough", passed=False, detail="1 dataset (at least 2)"),),
            ),
        ),
        stages=(Stage("sweep", 130.0, "24 trials"),),
        paths=(("journal", "journal"),),
        versions=(("ludwig", "0.17"),),
    )


def test_the_page_tells_the_whole_story() -> None:
    page = render(full_report())
    text = re.sub(r"<(script|style).*?</\1>", "", page, flags=re.DOTALL)
    for expected in (
        "5 completed, 1 diverged",
        "bank_marketing",
        "staging: the gate is not passed",
        "1 dataset (at least 2)",
        "0.001 – 0.02 (log)",
        "trainer.learning_rate",
        "one in 3 goes on",
        "0.25 s",
        "2.2 min",
    ):
        assert expected in text, expected
    assert "0.060" in text  # the candidate's mean regret: .05, .06, .07
    assert "0.210" in text  # the untuned search's


def test_the_page_needs_no_network() -> None:
    page = render(full_report())
    outside_plotly = re.sub(r"<script>/\*\*.*?</script>", "", page, count=1, flags=re.DOTALL)
    assert not re.search(r"""(?:src|href)\s*=\s*["']?(?:https?:)?//""", outside_plotly)
    assert "prefers-color-scheme: dark" in page


@pytest.mark.parametrize("name", ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>"])
def test_a_hostile_dataset_name_stays_text(name: str) -> None:
    records = [record(number, dataset=name) for number in range(3)]
    data = ReportData(title=name, created_at=NOW, datasets=swept_datasets(records), dots=trial_dots(records), validation=summary(name))
    page = render(data)
    assert name not in page


def test_an_empty_report_is_a_page_too(tmp_path) -> None:
    path = write_report(ReportData(title="Nothing yet", created_at=NOW), tmp_path / "reports" / "empty.html")
    assert "Nothing yet" in path.read_text(encoding="utf-8")
    assert [each.name for each in path.parent.iterdir()] == ["empty.html"]


def test_dots_are_told_on_the_ends_that_the_version_was_mined_with() -> None:
    records = [record(number) for number in range(5)] + [record(9, status="diverged", validation_score=None)]
    first = records[0]
    ends = DatasetProvenance(
        name=first.dataset,
        fingerprint=first.fingerprint,
        family=first.family,
        role="training",
        task=first.task,
        metric=first.metric,
        rows=100,
        trials=6,
        best_score=0.95,
        reference_score=0.5,
        reference="constant predictor, frozen",
    )
    scores = [each.validation_score for each in records if each.validation_score is not None]
    dots = [dot.regret for dot in trial_dots(records, [ends])]
    assert sorted(dot for dot in dots if dot is not None) == pytest.approx(sorted((0.95 - each) / 0.45 for each in scores))
    assert dots.count(None) == 1
    (swept,) = swept_datasets(records, [ends])
    assert (swept.best, swept.best_known, swept.reference, swept.ends) == (max(scores), 0.95, 0.5, "constant predictor, frozen")
    data = ReportData(title="x", created_at=NOW, datasets=(swept,), dots=trial_dots(records, [ends]))
    assert "reference: constant predictor, frozen" in render(data)


def test_without_a_version_dots_lie_between_the_best_and_the_median_trial_as_the_miner_would_have_them() -> None:
    records = [record(number) for number in range(5)] + [record(9, status="diverged", validation_score=None)]
    best, reference = observed_ends(trial_table(records))
    dots = [dot.regret for dot in trial_dots(records)]
    assert dots == [
        None if each.validation_score is None else pytest.approx((best - each.validation_score) / (best - reference)) for each in records
    ]
    assert swept_datasets(records)[0].ends == OBSERVED
    mixed = [*records, record(10, row_cap=77)]
    assert {dot.regret for dot in trial_dots(mixed)} == {None}
    assert swept_datasets(mixed)[0].reference is None


def test_overhead_is_wall_minus_training() -> None:
    assert Overhead(trials=4, wall=10.0, train=8.0, prepare=1.0).per_trial == pytest.approx(0.5)
    assert Overhead(trials=0, wall=0.0, train=0.0, prepare=0.0).per_trial == 0.0


def test_parts_are_plain_values() -> None:
    facts = swept_datasets([record(0)])[0]
    assert isinstance(facts, SweptDataset)
    assert dataclasses.asdict(facts)["metric"] == "auc"
    assert isinstance(trial_dots([record(0)])[0], TrialDot)

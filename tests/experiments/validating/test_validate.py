"""What a validation refuses before it runs anything, and how it sums up what ran."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from automl import SearchResult, TrialResult, scorer_for
from experiments import ExperimentError, Home
from experiments.validating import RegretScale, SuiteEntry, check_splits, check_untuned, plan_validation, regret_rows, run_validation
from experiments.validating._arms import SearchOutcome
from heuristics_db import GATES, HeuristicsStore, decide

SCORES = {
    ("bank_marketing", "candidate"): 0.9,
    ("bank_marketing", "untuned"): 0.8,
    ("concrete", "candidate"): 0.2,
    ("concrete", "untuned"): 0.8,
}


def trial(table, score: float | None, status: str = "completed") -> TrialResult:
    scorer = scorer_for(table.task)
    return TrialResult(
        trial_id="t",
        model_type="concat",
        hyperparameters={},
        status=status,  # type: ignore[arg-type]
        metric=scorer.metric,
        direction=scorer.direction,
        validation_score=score,
        test_score=score,
        extra_scores={},
        curve=(),
        train_seconds=0.0,
        prepare_seconds=0.0,
        wall_seconds=0.0,
        peak_memory_bytes=0,
        n_parameters=1,
        config="{}",
        device="cpu",
        node_type="n",
        versions={},
        started_at=datetime.now(UTC),
    )


def backwards(jobs):
    for job in reversed(jobs):
        best = trial(job.table, SCORES[job.dataset, job.arm])
        yield job, SearchOutcome(SearchResult(best, (best, trial(job.table, None, "diverged")), ("seed", "sampler"), 1.0), 1.0)


def test_results_stand_in_the_suites_order_whatever_ended_first(plan) -> None:
    told = []
    summary = run_validation(plan, backwards, progress=told.append)
    assert [(each.dataset, each.arm, each.seed) for each in summary.results] == [
        (name, arm, seed) for name in ("bank_marketing", "concrete") for arm in ("candidate", "untuned") for seed in (0, 1)
    ]
    assert [progress.done for progress in told] == list(range(9))
    assert all(each.trials == 2 and each.failed_trials == 1 for each in summary.results)


def test_regret_is_measured_on_the_frozen_ends(plan) -> None:
    summary = run_validation(plan, backwards)
    found = {(each.dataset, each.arm): each.regret for each in summary.results}
    assert found["bank_marketing", "candidate"] == pytest.approx((0.95 - 0.9) / 0.45)
    assert found["concrete", "candidate"] == pytest.approx(-0.1)  # better than the best known
    assert found["concrete", "untuned"] == pytest.approx(0.5)
    rows = {row[0]: row for row in regret_rows(summary)}
    assert rows["mean"][2] == pytest.approx((0.05 / 0.45 - 0.1) / 2)
    assert rows["concrete"][4] == summary.references[1].regret


def test_a_failed_search_is_kept_and_the_gate_refuses_it(plan, document) -> None:
    def one_fails(jobs):
        for job, outcome in backwards(jobs):
            yield job, SearchOutcome(None, 0.5, "RuntimeError: no memory") if job is jobs[0] else outcome

    summary = run_validation(plan, one_fails)
    assert summary.results[0].error == "RuntimeError: no memory"
    verdict = decide(summary, GATES["staging"], document)
    assert not verdict.passed
    assert any("failed" in reason for reason in verdict.reasons)


def test_a_search_without_a_score_says_so(plan) -> None:
    def nothing_found(jobs):
        for job in jobs:
            yield job, SearchOutcome(SearchResult(None, (), (), 1.0), 1.0)

    assert all("no trial of 0" in (each.error or "") for each in run_validation(plan, nothing_found).results)


def test_the_summary_is_recorded_and_found_again(plan, document, suite, tmp_path) -> None:
    from experiments.validating import recorded

    with HeuristicsStore(f"sqlite:///{tmp_path / 'h.db'}") as store:
        version = store.add(document)
        assert recorded(store, version.id, suite) is None
        summary = run_validation(plan, backwards)
        store.record_validation(version.id, summary)
        assert recorded(store, version.id, suite) == summary
        assert recorded(store, version.id, suite.model_copy(update={"row_cap": 77})) is None


def test_a_run_that_is_broken_off_has_been_a_look(plan, document, suite, tmp_path) -> None:
    from experiments.validating import recorded, run_counted

    fingerprints = [held_out.table.fingerprint for held_out in plan.tables.values()]
    with HeuristicsStore(f"sqlite:///{tmp_path / 'h.db'}") as store:
        version = store.add(document)
        seen_before_the_first_search = []

        def broken_off(jobs):
            seen_before_the_first_search.append(store.looks(fingerprints))
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            run_counted(plan, store, lambda: run_validation(plan, broken_off))
        assert seen_before_the_first_search == [1]
        assert recorded(store, version.id, suite) is None
        summary = run_counted(plan, store, lambda: run_validation(plan, backwards), by="ada")
        assert recorded(store, version.id, suite) == summary
        assert store.looks(fingerprints[:1]) == 2
        assert [entry.action for entry in store.history(version.id)] == ["added", "looked", "looked", "validated"]


def test_ends_do_not_outlive_the_rows_that_they_were_frozen_on(suite) -> None:
    moved = suite.model_copy(update={"datasets": tuple(each.model_copy(update={"split_id": "s-then"}) for each in suite.datasets)})
    check_splits(moved, dict.fromkeys(("bank_marketing", "concrete"), "s-then"))
    with pytest.raises(ExperimentError, match="bank_marketing was frozen on split s-then"):
        check_splits(moved, dict.fromkeys(("bank_marketing", "concrete"), "s-now"))


def test_moved_untuned_spaces_are_refused(document) -> None:
    moved = document.model_copy(update={"provenance": document.provenance.model_copy(update={"untuned_space_hash": "1" * 64})})
    with pytest.raises(ExperimentError, match="moved baseline"):
        check_untuned(moved)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"datasets": (SuiteEntry(name="adult", best=0.9, reference=0.5),)}, "adult has the role training"),
        ({"datasets": (SuiteEntry(name="hutto_tweets", best=0.1, reference=0.5),)}, "hutto_tweets has the role unused"),
        ({"datasets": (SuiteEntry(name="debian_section", best=0.1, reference=0.5),)}, "debian_section drifts with its source"),
        ({"datasets": (SuiteEntry(name="news20", best=0.1, reference=0.5),)}, "news20 is text, and the model types of suite made"),
        ({"datasets": (SuiteEntry(name="concrete"),)}, "concrete not frozen yet"),
        ({"model_types": ("nothing",)}, "unknown model type nothing"),
    ],
)
def test_what_a_suite_may_not_ask_is_refused_before_anything_runs(suite, document, tmp_path, change, said) -> None:
    with pytest.raises(ExperimentError, match=said):
        plan_validation(suite.model_copy(update=change), document, Home(tmp_path), version="0" * 64)


def test_ends_the_wrong_way_round_are_refused() -> None:
    with pytest.raises(ExperimentError, match="not better than"):
        RegretScale.of(SuiteEntry(name="a", best=0.4, reference=0.5), "maximize", 0.0)


def test_the_floor_keeps_noise_small() -> None:
    scale = RegretScale.of(SuiteEntry(name="a", best=0.5001, reference=0.5), "maximize", 0.01)
    assert abs(scale.regret(0.4999)) < 0.05

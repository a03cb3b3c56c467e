"""The gate's rules, one by one."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from heuristics_db import GATES, GateRules, decide, upper_bound

STAGING, PRODUCTION = GATES["staging"], GATES["production"]
FOUR = {"bank": -0.2, "credit": -0.1, "houses": -0.15, "wines": -0.05}


def failed(verdict):
    return [check.name for check in verdict.checks if not check.passed]


def altered(summary, index, **changes):
    results = list(summary.results)
    results[index] = results[index].model_copy(update=changes)
    return summary.model_copy(update={"results": tuple(results)})


@pytest.fixture
def document(make_document):
    return make_document()


@pytest.fixture
def summary(document, make_summary):
    return make_summary(document)


def test_a_candidate_that_gains_everywhere_passes(document, summary):
    verdict = decide(summary, STAGING, document)
    assert verdict.passed
    assert failed(verdict) == []
    assert verdict.reasons == ()


def test_one_that_is_no_worse_passes_and_one_that_changes_nothing_does_not(document, make_summary):
    equal = make_summary(document, dict.fromkeys(FOUR, 0.0))
    for rules in (STAGING, PRODUCTION):
        verdict = decide(equal, rules, document)
        assert failed(verdict) == ["differs"]
        assert "what the untuned search does" in verdict.reasons[0]
    otherwise = altered(equal, 0, model_type="tabnet")  # another way to the same regret
    assert decide(otherwise, STAGING, document).passed
    assert decide(otherwise, PRODUCTION, document).passed  # the bound is "no worse": nothing was lost for certain
    barely_worse = make_summary(document, dict.fromkeys(FOUR, 1e-6))
    assert failed(decide(barely_worse, STAGING, document)) == ["mean difference"]


def test_a_loss_on_the_mean_fails(document, make_summary):
    verdict = decide(make_summary(document, {"bank": 0.09, "credit": -0.01}), STAGING, document)
    assert failed(verdict) == ["mean difference"]
    assert "+0.0400" in verdict.reasons[0]


def test_a_gain_on_the_mean_does_not_buy_harm_on_one_dataset(document, make_summary):
    verdict = decide(make_summary(document, {"bank": -0.9, "credit": 0.2}), STAGING, document)
    assert failed(verdict) == ["worst dataset"]
    assert "credit +0.2000" in verdict.reasons[0]


def test_regrets_below_nought_count_as_they_are(document, make_summary):
    assert decide(make_summary(document, {"bank": -3.0, "credit": -2.0}), STAGING, document).passed


def test_a_search_that_is_missing_repeated_or_foreign_fails(document, summary):
    short = summary.model_copy(update={"results": summary.results[1:]})
    twice = summary.model_copy(update={"results": (*summary.results, summary.results[0])})
    assert failed(decide(short, STAGING, document)) == ["complete"]
    assert failed(decide(twice, STAGING, document)) == ["complete"]
    assert failed(decide(altered(summary, 0, seed=9), STAGING, document)) == ["complete"]
    assert "complete" in failed(decide(summary.model_copy(update={"results": ()}), STAGING, document))


@pytest.mark.parametrize("changes", [{"error": "out of memory"}, {"score": None}, {"regret": None}])
def test_a_failed_search_fails_the_gate(document, summary, changes):
    verdict = decide(altered(summary, 0, **changes), STAGING, document)
    assert failed(verdict) == ["no failure"]
    assert "candidate on bank, seed 0" in verdict.reasons[0]


@pytest.mark.parametrize("changes", [{"trials": 9}, {"epochs": 73}])
def test_a_search_that_spent_more_than_the_budget_fails(document, summary, changes):
    assert failed(decide(altered(summary, 0, **changes), STAGING, document)) == ["budget"]


def test_too_few_datasets_families_or_seeds_fail(document, make_summary):
    assert failed(decide(make_summary(document, {"bank": -0.1}), STAGING, document)) == ["enough"]
    assert failed(decide(make_summary(document, seeds=(0, 1)), STAGING, document)) == ["enough"]
    kin = make_summary(document)
    kin = kin.model_copy(update={"datasets": tuple(each.model_copy(update={"family": "one"}) for each in kin.datasets)})
    assert failed(decide(kin, STAGING, document)) == ["enough"]


def test_validation_of_another_version_fails(make_document, summary):
    assert failed(decide(summary, STAGING, make_document({"provenance/recipe/seed": 9}))) == ["version"]


def test_untuned_spaces_that_changed_after_mining_fail(document, make_summary):
    assert failed(decide(make_summary(document, untuned_space_hash="w" * 64), STAGING, document)) == ["untuned search"]


@pytest.mark.parametrize("changes", [{"fingerprint": "f-adult"}, {"family": "wine"}])
def test_a_validation_dataset_that_was_mined_from_fails(document, summary, changes):
    datasets = (summary.datasets[0].model_copy(update=changes), *summary.datasets[1:])
    verdict = decide(summary.model_copy(update={"datasets": datasets}), STAGING, document)
    assert failed(verdict) == ["held out"]
    assert "bank" in verdict.reasons[0]


def test_production_asks_for_more_datasets_and_for_confidence(document, summary, make_summary):
    assert failed(decide(summary, PRODUCTION, document)) == ["enough"]
    assert decide(make_summary(document, FOUR), PRODUCTION, document).passed
    unsure = make_summary(document, {"bank": -0.3, "credit": 0.04, "houses": 0.04, "wines": 0.04})
    assert failed(decide(unsure, PRODUCTION, document)) == ["confidence"]


SCATTERED = {f"d{index}": -0.3 + 0.07 * index for index in range(8)}  # mean -0.055


def test_looking_often_asks_for_more(document, make_summary):
    rules = GateRules(channel="production", confidence=0.75, worst_difference=1)
    close = make_summary(document, SCATTERED)
    assert decide(close, rules, document, looks=1).passed
    assert failed(decide(close, rules, document, looks=20)) == ["confidence"]


def test_the_bound_is_repeatable_and_rises_with_the_level(document, make_summary):
    summary = make_summary(document, SCATTERED)
    assert upper_bound(summary, 0.95) == upper_bound(summary, 0.95)
    assert -0.1 < upper_bound(summary, 0.5) < upper_bound(summary, 0.8) < upper_bound(summary, 0.99) <= max(SCATTERED.values())


def test_one_family_alone_gives_no_confidence_but_its_worst(document, make_summary):
    assert upper_bound(make_summary(document, {"bank": -0.1}), 0.6) == pytest.approx(-0.1)


def test_the_bound_of_datasets_without_noise_is_their_mean(document, make_summary):
    assert upper_bound(make_summary(document, dict.fromkeys(FOUR, -0.25)), 0.99) == pytest.approx(-0.25)


def test_datasets_of_one_family_count_as_drawn_together(document, make_summary):
    apart = make_summary(document, SCATTERED)
    kin = apart.model_copy(
        update={"datasets": tuple(each.model_copy(update={"family": f"f{index // 2}"}) for index, each in enumerate(apart.datasets))}
    )
    assert upper_bound(kin, 0.9) > upper_bound(apart, 0.9)


@pytest.mark.parametrize("datasets", [4, 10])
def test_the_bound_covers_the_true_mean_about_as_often_as_it_says(document, make_summary, datasets):
    random, covered, repeats = np.random.default_rng(0), 0, 60
    base = make_summary(document, {f"d{index}": 0.0 for index in range(datasets)})
    for _ in range(repeats):
        shifts = dict(zip((each.name for each in base.datasets), random.normal(-0.1, 0.2, datasets), strict=True))
        results = tuple(
            each.model_copy(update={"regret": 0.5 + shifts[each.dataset] + random.normal(0, 0.05)}) if each.arm == "candidate" else each
            for each in base.results
        )
        covered += upper_bound(base.model_copy(update={"results": results}), 0.9) >= -0.1
    assert 0.8 <= covered / repeats <= 0.98


def test_a_summary_can_hold_no_number_that_is_not_finite(document, make_summary):
    with pytest.raises(ValidationError):
        make_summary(document, {"bank": float("nan"), "credit": 0})
    with pytest.raises(ValidationError, match="seeds repeat"):
        make_summary(document, seeds=(1, 1, 2))

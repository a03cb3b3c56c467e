"""The gate's rules, one by one."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from heuristics_db import GATES, GateRules, Incumbent, decide, upper_bound

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


def test_one_that_is_no_better_than_the_untuned_search_is_refused(document, make_summary):
    equal = make_summary(document, dict.fromkeys(FOUR, 0.0))
    assert failed(decide(equal, STAGING, document)) == ["differs", "against the untuned search"]
    otherwise = altered(equal, 0, model_type="tabnet")  # another way to the same regret
    verdict = decide(otherwise, STAGING, document)
    assert failed(verdict) == ["against the untuned search"]
    assert "difference +0.0000 in normalised regret, upper bound +0.0000 (below +0.0000) at 95.00%, look 1" in verdict.reasons[0]
    assert decide(make_summary(document, dict.fromkeys(FOUR, -1e-6)), STAGING, document).passed


def test_a_loss_on_the_mean_fails(document, make_summary):
    verdict = decide(make_summary(document, {"bank": 0.09, "credit": -0.01}), STAGING, document)
    assert failed(verdict) == ["against the untuned search"]
    assert "+0.0400" in verdict.reasons[0]


def noisy(summary, noise, seed=0):
    random = np.random.default_rng(seed)
    results = tuple(each.model_copy(update={"regret": each.regret + random.normal(0, noise)}) for each in summary.results)
    return summary.model_copy(update={"results": results})


def test_a_gain_must_stand_out_from_what_seeds_do(document, make_summary):
    gain = make_summary(document, dict.fromkeys(FOUR, -0.05))
    assert decide(noisy(gain, 0.01), STAGING, document).passed
    assert "against the untuned search" in failed(decide(noisy(gain, 0.3), STAGING, document))
    single = make_summary(document, seeds=(0,))
    assert failed(decide(single, STAGING, document)) == ["enough", "against the untuned search"]


def test_a_gain_on_the_mean_does_not_buy_harm_on_one_dataset(document, make_summary):
    verdict = decide(make_summary(document, {"bank": -0.9, "credit": 0.2}), STAGING, document)
    assert failed(verdict) == ["worst dataset"]
    assert "credit +0.2000 against the untuned search (at most +0.1000)" in verdict.reasons[0]


def test_a_version_is_set_against_the_one_in_the_channel(document, make_document, make_summary):
    standing = make_document({"provenance/recipe/seed": 1})
    summary = make_summary(document, dict.fromkeys(FOUR, -0.2))

    def against(differences):
        return decide(summary, STAGING, document, incumbent=Incumbent("b" * 64, make_summary(standing, differences)))

    assert against(dict.fromkeys(FOUR, -0.2)).passed
    assert against(dict.fromkeys(FOUR, -0.29)).passed  # worse, within the margin
    worse = against(dict.fromkeys(FOUR, -0.31))
    assert failed(worse) == ["against the version in staging", "worst dataset"]
    assert "difference +0.1100 in normalised regret, upper bound +0.1100 (below +0.1000)" in worse.reasons[0]
    one = against(dict.fromkeys(FOUR, -0.2) | {"wines": -0.35})
    assert failed(one) == ["worst dataset"]
    assert "wines +0.1500 against the version in staging" in one.reasons[0]
    elsewhere = against({"other": -0.1, "bank": -0.2})
    assert failed(elsewhere) == ["against the version in staging"]
    assert "on credit, houses and wines" in elsewhere.reasons[0]
    never = decide(summary, STAGING, document, incumbent=Incumbent("b" * 64, None))
    assert failed(never) == ["against the version in staging"]
    assert "lode validate SUITE.yaml --version bbbbbbbbbbbb" in never.reasons[0]


def test_what_is_reserved_for_production_decides_there(document, make_summary):
    rules = GateRules(channel="production", reserved=2)
    open_to_all = make_summary(document, FOUR)
    assert failed(decide(open_to_all, rules, document))[0] == "enough"

    def reserve(summary, *names):
        datasets = tuple(each.model_copy(update={"reserved": each.name in names}) for each in summary.datasets)
        return summary.model_copy(update={"datasets": datasets})

    assert decide(reserve(open_to_all, "bank", "wines"), rules, document).passed
    gained_elsewhere = make_summary(document, {"bank": -0.5, "credit": -0.5, "houses": 0.01, "wines": 0.01})
    assert failed(decide(reserve(gained_elsewhere, "houses", "wines"), rules, document)) == ["against the untuned search"]
    assert decide(gained_elsewhere, STAGING, document).passed


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        ("provenance/trial_set_hash", "", "the trial set's hash"),
        ("provenance/trials", 0, "trials"),
        ("provenance/sweeps", [], "sweeps"),
        ("provenance/recipe", {}, "the recipe"),
        ("provenance/datasets/0/sketch", [], "sketch of adult"),
    ],
)
def test_provenance_that_is_not_complete_is_refused(make_document, make_summary, path, value, told):
    document = make_document({path: value})
    verdict = decide(make_summary(document), STAGING, document)
    assert failed(verdict) == ["provenance"]
    assert told in verdict.reasons[0]


def test_another_environment_is_noted_or_refused(document, make_summary):
    moved = make_summary(document, versions={"ludwig": "0.18.0"})
    verdict = decide(moved, STAGING, document)
    assert verdict.passed
    (environment,) = [check for check in verdict.checks if check.name == "environment"]
    assert environment.detail == "ludwig 0.17.10 when mined, 0.18.0 when validated"
    assert failed(decide(moved, GateRules(channel="staging", environment="equal"), document)) == ["environment"]


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


def test_production_asks_for_more_datasets_and_seeds(document, summary):
    verdict = decide(summary, PRODUCTION, document)
    assert failed(verdict) == ["enough", "against the untuned search"]
    for told in ("2 datasets (too few: at least 4)", "3 seeds (too few: at least 5)", "0 reserved datasets (too few: at least 3)"):
        assert told in verdict.reasons[0]


SCATTERED = {f"d{index}": -0.3 + 0.07 * index for index in range(8)}  # mean -0.055


def test_looking_often_asks_for_more(document, make_summary):
    close = noisy(make_summary(document, dict.fromkeys(FOUR, -0.05)), 0.04)
    assert decide(close, STAGING, document, looks=1).passed
    assert failed(decide(close, STAGING, document, looks=20)) == ["against the untuned search"]


def test_over_all_looks_no_more_than_alpha_is_spent():
    spent = sum(1 - STAGING.level(look) for look in range(1, 5000))
    assert 0.99 * STAGING.alpha < spent < STAGING.alpha


def test_with_a_confidence_the_gain_must_be_there_on_other_families_too(document, make_summary):
    rules = GateRules(channel="staging", confidence=0.95)
    assert decide(make_summary(document, FOUR), rules, document).passed
    unsure = make_summary(document, {"bank": -0.3, "credit": 0.04, "houses": 0.04, "wines": 0.04})
    assert failed(decide(unsure, rules, document)) == ["other families"]
    scattered = GateRules(channel="staging", confidence=0.75, margin=1)
    assert decide(make_summary(document, SCATTERED), scattered, document, looks=1).passed
    assert failed(decide(make_summary(document, SCATTERED), scattered, document, looks=20)) == ["other families"]


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

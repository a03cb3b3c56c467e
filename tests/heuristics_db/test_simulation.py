"""The gate's error rates: those of the defaults keep their bars, and the simulation counts as the gate decides."""

from __future__ import annotations

import numpy as np
import pytest

from heuristics_db import GATES, GateRules, HeuristicsError, Incumbent, Supposed, decide, measured_noise, seeds_needed, simulate
from heuristics_db._bounds import pooled

STAGING, PRODUCTION = GATES["staging"], GATES["production"]
USUAL = Supposed(noise=0.05, gain=0.1, datasets=2, seeds=3)


@pytest.mark.parametrize(("rules", "datasets"), [(STAGING, 2), (STAGING, 6), (PRODUCTION, 4), (PRODUCTION, 6)])
def test_the_defaults_refuse_few_that_are_as_good_and_find_harm(rules, datasets):
    rates = simulate(rules, Supposed(noise=0.05, gain=0.1, datasets=datasets, seeds=rules.seeds))
    assert all(rate.holds for rate in rates)
    assert rates[0].refused <= 0.10
    assert all(rate.refused >= 0.80 for rate in rates[1:])
    assert rates == simulate(rules, Supposed(noise=0.05, gain=0.1, datasets=datasets, seeds=rules.seeds))


def test_where_seeds_are_too_few_for_the_noise_the_number_that_would_do_is_told():
    loud = USUAL.model_copy(update={"noise": 0.15})
    assert not simulate(STAGING, loud)[0].holds
    enough = seeds_needed(STAGING, loud)
    assert enough is not None
    assert enough > 3
    assert all(rate.holds for rate in simulate(STAGING, loud.model_copy(update={"seeds": enough + 1})))
    assert seeds_needed(STAGING, USUAL.model_copy(update={"noise": 5.0})) is None


def test_a_version_no_better_gets_through_as_rarely_as_alpha_says():
    (*_, none) = simulate(STAGING, USUAL)
    assert none.rules["against the untuned search"] == pytest.approx(0.95, abs=0.01)
    (*_, none) = simulate(STAGING, USUAL.model_copy(update={"look": 3}))
    assert none.rules["against the untuned search"] == pytest.approx(1 - 0.1 / 12, abs=0.005)


def test_the_simulation_refuses_as_often_as_the_gate_itself(make_document, make_summary):
    document, random, supposed = make_document(), np.random.default_rng(0), USUAL.model_copy(update={"gain": 0.04})
    base, other = make_summary(document, {"bank": 0.0, "credit": 0.0}), make_document({"provenance/recipe/seed": 1})
    standing = make_summary(other, {"bank": 0.0, "credit": 0.0})

    def drawn(summary):
        means = {"candidate": -0.04, "untuned": 0.0}
        results = tuple(each.model_copy(update={"regret": random.normal(means[each.arm], 0.05 / 2**0.5)}) for each in summary.results)
        return summary.model_copy(update={"results": results})

    repeats = 300
    refused = sum(not decide(drawn(base), STAGING, document, incumbent=Incumbent("b" * 64, drawn(standing))).passed for _ in range(repeats))
    assert refused / repeats == pytest.approx(simulate(STAGING, supposed)[0].refused, abs=0.09)


def test_a_policy_with_other_families_is_simulated_too():
    rates = simulate(GateRules(channel="staging", confidence=0.9), USUAL.model_copy(update={"datasets": 4}), repeats=20)
    assert "other families" in rates[0].rules


def test_noise_is_measured_within_datasets(make_document, make_summary):
    summary = make_summary(make_document(), {"bank": -0.5, "credit": 0.5})
    assert measured_noise([]) is None
    assert measured_noise([summary]) == pytest.approx(0)
    results = tuple(
        each.model_copy(update={"regret": each.regret + 0.1 * each.seed}) if each.arm == "candidate" else each for each in summary.results
    )
    assert measured_noise([summary.model_copy(update={"results": results})]) == pytest.approx(0.1)


def test_pooled_bounds_take_datasets_of_unequal_seeds():
    estimate = pooled([np.array([1.0, 3.0]), np.array([0.0, 1.0, 2.0])])
    assert estimate.freedom == 3
    assert float(estimate.mean) == pytest.approx(1.5)
    assert float(estimate.error) == pytest.approx(np.sqrt(4 / 3 * (1 / 2 + 1 / 3)) / 2)
    assert pooled([np.array([1.0])]).upper(0.9) == np.inf


def test_what_makes_no_validation_is_refused():
    with pytest.raises(HeuristicsError, match="at least"):
        simulate(STAGING, USUAL.model_copy(update={"seeds": 0}))

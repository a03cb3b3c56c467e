"""Adaptive seeds: candidates picked by what a search has seen."""

import numpy as np
import pytest

from heuristics_db import AdaptiveCandidate, AdaptiveSeeds, InvariantError
from mining.policies import AdaptivePicker, Observation, SearchPolicy, draw_configurations, fit_variances, moments
from tests.mining.spaces import small_space

SPACES = {"concat": small_space(), "tabnet": small_space("tabnet")}
CONFIGURATIONS = draw_configurations(SPACES["concat"], 12, seed=0)
# candidate 0 is fair everywhere; of the others, odd ones are good where the factor is negative, even ones where it is positive
FACTORS = [0.0, *[1.0 if number % 2 else -1.0 for number in range(1, 12)]]


def seeds(after=1, until=8, factor=1.0, **changes):
    candidates = tuple(
        AdaptiveCandidate(model_type="concat", configuration=each, mean=-1.0 if number == 0 else 0.0, factors=(FACTORS[number],))
        for number, each in enumerate(CONFIGURATIONS)
    )
    fields = {"offset": 0.02, "factor_variance": factor, "kernel_variance": 0.01, "kernel_length": 0.5, "noise": 0.05}
    return AdaptiveSeeds(candidates=candidates, after=after, until=until, **(fields | changes))


def observed(*losses, direction="minimize", scale=1.0, level=0.0):
    sign = 1 if direction == "minimize" else -1
    return [
        Observation("concat", CONFIGURATIONS[number], None if loss is None else sign * (level + scale * loss), 1) for number, loss in losses
    ]


def picked(history, direction="minimize", **changes):
    found = AdaptivePicker(seeds(**changes), SPACES).next(history, direction)
    return None if found is None else CONFIGURATIONS.index(dict(found.configuration))


@pytest.mark.parametrize(("first", "second"), [(0.1, 0.9), (0.9, 0.1)])
def test_what_was_seen_tells_which_candidates_are_good(first, second):
    odd_is_good = first < second
    assert picked(observed((0, 0.5), (1, first), (2, second))) % 2 == (1 if odd_is_good else 0)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e5])
@pytest.mark.parametrize("level", [0.0, -3.0, 1e3])
def test_level_scale_and_direction_of_the_metric_do_not_matter(scale, level):
    losses = ((0, 0.5), (1, 0.125), (2, 0.75), (5, 0.25))
    expected = picked(observed(*losses))
    if scale * 1e8 > abs(level):  # else the scores are alike but for rounding
        for direction in ("minimize", "maximize"):
            assert picked(observed(*losses, direction=direction, scale=scale, level=level), direction) == expected


def test_scores_that_are_all_alike_are_no_error():
    assert picked(observed((0, 0.5), (1, 0.5), (2, 0.5))) in range(3, 12)


def test_running_candidates_are_not_picked_again_and_their_likes_are_less_wanted():
    losses = ((0, 0.5), (1, 0.1), (2, 0.9))
    first = picked(observed(*losses))
    second = picked(observed(*losses, (first, None)))
    assert second not in {0, 1, 2, first}


def test_a_failed_candidate_counts_as_the_worst_seen():
    history = observed((0, 0.5), (2, 0.2))
    failed = [*history, Observation("concat", CONFIGURATIONS[1], None, 0, failed=True)]
    assert picked(failed) % 2 == 0


def test_nothing_is_picked_from_fewer_than_two_results_or_when_all_were_tried():
    assert picked([]) is None
    assert picked(observed((0, 0.5))) is None
    assert picked(observed((0, 0.5), (1, None))) is None
    assert picked(observed(*((number, 0.5 + number) for number in range(12)))) is None


def test_a_search_tries_its_first_seeds_then_picks_then_hands_over_to_the_sampler():
    portfolio = ()
    policy = SearchPolicy(SPACES, portfolio, 0, ["concat"], direction="minimize", adaptive=seeds(after=2, until=5))
    history, origins = [], []
    for _ in range(8):
        suggestion = policy.next(history)
        again = SearchPolicy(SPACES, portfolio, 0, ["concat"], direction="minimize", adaptive=seeds(after=2, until=5)).next(history)
        assert again == suggestion
        origins.append(suggestion.origin)
        history.append(Observation(suggestion.model_type, suggestion.configuration, float(len(history) % 3), 1))
    assert origins == ["seed"] * 2 + ["adaptive"] * 3 + ["sampler"] * 3
    assert [each.configuration for each in history[:2]] == CONFIGURATIONS[:2]


def test_many_running_at_once_take_the_seeds_in_order():
    policy = SearchPolicy(SPACES, (), 0, ["concat"], direction="minimize", adaptive=seeds(after=2, until=5))
    history = []
    for number in range(4):
        suggestion = policy.next(history)
        assert suggestion.configuration == CONFIGURATIONS[number]
        history.append(Observation(suggestion.model_type, suggestion.configuration))


def test_a_candidate_outside_its_space_is_refused_by_name():
    broken = AdaptiveCandidate(model_type="concat", configuration={"trainer.learning_rate": 9.0}, mean=0.0, factors=(0.0,))
    with pytest.raises(InvariantError, match=r"adaptive candidate 2 \(concat\) cannot be tried"):
        AdaptivePicker(seeds().model_copy(update={"candidates": (seeds().candidates[0], broken)}), SPACES)


def test_candidates_of_model_types_that_are_not_searched_are_left_out():
    other = draw_configurations(SPACES["tabnet"], 1, seed=0)[0]
    strange = AdaptiveCandidate(model_type="tabnet", configuration=other, mean=-9.0, factors=(0.0,))
    both = seeds().model_copy(update={"candidates": (strange, *seeds().candidates)})
    policy = SearchPolicy(SPACES, (), 0, ["concat"], direction="minimize", adaptive=both)
    assert policy.next([]).configuration == CONFIGURATIONS[0]


def test_variances_tell_shared_differences_from_noise():
    generator = np.random.default_rng(0)
    direction = generator.normal(size=100)
    distances = np.abs(np.subtract.outer(np.arange(100.0), np.arange(100.0))) * 10
    weights = np.full(8, 1 / 8)
    spanned = np.outer(direction, generator.normal(0, 1, 8)) + generator.normal(0, 0.1, (100, 8))
    noise = generator.normal(0, 1, (100, 8))
    assert fit_variances(spanned, weights, distances, 0).noise < fit_variances(noise, weights, distances, 0).noise
    mean, factors = moments(spanned, weights)
    assert mean == pytest.approx(spanned.mean(axis=1))
    covariance = np.cov(spanned - spanned.mean(axis=0), bias=False)
    assert np.corrcoef((factors @ factors.T).ravel(), covariance.ravel())[0, 1] > 0.99

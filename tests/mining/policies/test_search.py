"""The search policy: seeds first, then a sampler that learns, from the history alone."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heuristics_db import HeuristicsError, InvariantError, SeedConfiguration
from mining.policies import Observation, SearchPolicy, draw_configurations
from tests.mining.spaces import small_space

SPACES = {"concat": small_space(), "tabnet": small_space("tabnet")}


def seeds(*model_types):
    return [
        SeedConfiguration(model_type=each, configuration=draw_configurations(SPACES[each], 1, seed=position)[0])
        for position, each in enumerate(model_types)
    ]


def policy(portfolio=(), seed=0, order=("concat", "tabnet"), direction="maximize"):
    return SearchPolicy(SPACES, portfolio, seed, order, direction=direction)


def search(policy, trials, value):
    history = []
    for _ in range(trials):
        suggestion = policy.next(history)
        history.append(Observation(suggestion.model_type, suggestion.configuration, value(suggestion), 5))
    return history


def distance(suggestion):
    return abs(math.log(suggestion.configuration["trainer.learning_rate"] / 1e-3)) + (suggestion.model_type == "tabnet")


def test_seeds_come_first_in_order_even_when_one_still_runs():
    portfolio = seeds("tabnet", "concat", "tabnet")
    history = []
    for each in portfolio:
        suggestion = policy(portfolio).next(history)
        assert (suggestion.model_type, suggestion.configuration, suggestion.origin) == (each.model_type, each.configuration, "seed")
        history.append(Observation(suggestion.model_type, suggestion.configuration))
    assert policy(portfolio).next(history).origin == "sampler"


@settings(max_examples=15)
@given(data=st.data(), direction=st.sampled_from(["maximize", "minimize"]))
def test_whatever_the_history_the_suggestion_lies_in_its_space(data, direction):
    history = []
    for position in range(data.draw(st.integers(0, 14))):
        model_type = data.draw(st.sampled_from(sorted(SPACES)))
        value, failed = data.draw(st.one_of(st.none(), st.floats(-10, 10))), data.draw(st.booleans())
        history.append(Observation(model_type, draw_configurations(SPACES[model_type], 1, seed=position)[0], value, 3, failed))
    suggestion = policy(direction=direction).next(history)
    assert SPACES[suggestion.model_type].misfit(suggestion.configuration) is None
    assert suggestion == policy(direction=direction).next(history)


@pytest.mark.parametrize(("direction", "sign"), [("maximize", -1), ("minimize", 1)])
def test_the_sampler_beats_random_draws_in_either_direction(direction, sign):
    late = []
    for seed in range(2):
        history = search(policy(seed=seed, direction=direction), 34, lambda each: sign * distance(each))
        late += [distance(each) for each in history[22:]]
    drawn = draw_configurations(SPACES["concat"], 200, seed=0)
    at_random = sum(abs(math.log(each["trainer.learning_rate"] / 1e-3)) for each in drawn) / len(drawn) + 0.5
    assert sum(late) / len(late) < 0.75 * at_random


def test_failures_push_the_sampler_away():
    def value(suggestion):
        return None if suggestion.model_type == "tabnet" else -distance(suggestion)

    history = []
    for _ in range(30):
        suggestion = policy().next(history)
        failed = suggestion.model_type == "tabnet"
        history.append(Observation(suggestion.model_type, suggestion.configuration, value(suggestion), 5, failed))
    assert sum(each.failed for each in history[10:]) <= 7


def test_a_history_of_failures_alone_is_no_error():
    history = [Observation("concat", each, None, 0, failed=True) for each in draw_configurations(SPACES["concat"], 12, seed=0)]
    assert policy().next(history).model_type in SPACES


def test_nothing_is_tried_twice():
    history = search(policy(seeds("concat", "concat")), 30, lambda each: -distance(each))
    assert len({(each.model_type, *each.configuration.values()) for each in history}) == 30


def test_a_seed_outside_its_space_is_refused_by_name():
    broken = SeedConfiguration(model_type="concat", configuration={**seeds("concat")[0].configuration, "trainer.learning_rate": 5.0})
    with pytest.raises(InvariantError, match=r"seed 1 \(concat\).*trainer\.learning_rate: 5\.0 outside"):
        policy([broken])
    with pytest.raises(InvariantError, match="no search space"):
        policy([SeedConfiguration(model_type="perceiver", configuration={})])


def test_a_model_type_without_a_space_and_no_model_type_are_errors():
    with pytest.raises(HeuristicsError, match="perceiver"):
        policy(order=("concat", "perceiver"))
    with pytest.raises(HeuristicsError, match="no model type"):
        policy(order=())


def test_a_history_from_elsewhere_is_refused():
    history = [Observation("concat", {"trainer.learning_rate": 1.0}, 0.5)] * 11
    with pytest.raises(InvariantError, match="outside its space"):
        policy().next(history)

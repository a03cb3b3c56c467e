"""Drawing configurations: inside the space, repeatable, extensible."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heuristics_db import CategoricalDomain, HeuristicsError, Hyperparameter, SearchSpace
from mining.policies import configuration_key, draw_configurations
from tests.mining.spaces import small_space


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 40), sampler=st.sampled_from(["random", "sobol", "grid"]))
def test_each_drawn_configuration_lies_in_the_space_and_none_repeats(seed, n, sampler):
    space = small_space()
    drawn = draw_configurations(space, n, seed=seed, sampler=sampler)
    assert [space.misfit(each) for each in drawn] == [None] * n
    assert len({configuration_key("concat", each) for each in drawn}) == n
    assert drawn == draw_configurations(space, n, seed=seed, sampler=sampler)


@pytest.mark.parametrize("sampler", ["random", "sobol"])
def test_a_longer_draw_begins_with_the_shorter_one(sampler):
    assert draw_configurations(small_space(), 90, seed=3, sampler=sampler)[:12] == draw_configurations(
        small_space(), 12, seed=3, sampler=sampler
    )


def test_a_choice_without_weight_is_never_drawn():
    drawn = draw_configurations(small_space(), 300, seed=1)
    norms = [each["combiner.norm"] for each in drawn]
    assert not any(each is True for each in norms)
    assert norms.count("batch") > 110


def test_a_finite_space_gives_what_it_holds():
    space = SearchSpace(model_type="tiny", hyperparameters=(Hyperparameter(name="a", domain=CategoricalDomain(choices=(1, 2, 3))),))
    for sampler in ("random", "sobol", "grid"):
        assert sorted(each["a"] for each in draw_configurations(space, 50, seed=0, sampler=sampler)) == [1, 2, 3]


def test_a_grid_has_both_ends():
    rates = {each["trainer.learning_rate"] for each in draw_configurations(small_space(), 64, seed=0, sampler="grid")}
    assert min(rates) == pytest.approx(1e-5)
    assert max(rates) == pytest.approx(1e-1)


def test_asking_for_nothing_is_an_error():
    with pytest.raises(HeuristicsError, match="at least 1"):
        draw_configurations(small_space(), 0, seed=0)

"""The expected best of a few draws, against drawing for real."""

import numpy as np
import pytest

from mining._expectation import effective_size, expected_best, expected_best_of_groups


def test_expected_best_is_what_drawing_gives():
    generator = np.random.default_rng(0)
    regrets, weights = generator.uniform(size=9), generator.uniform(size=9)
    exact = expected_best(regrets, [1, 3, 10], weights, ceiling=0.4)
    for count, value in zip([1, 3, 10], exact, strict=True):
        drawn = generator.choice(regrets, size=(100_000, count), p=weights / weights.sum()).min(axis=1)
        assert np.minimum(drawn, 0.4).mean() == pytest.approx(value, abs=0.003)


def test_different_trials_are_drawn_from_each_group():
    generator = np.random.default_rng(1)
    one, other = generator.uniform(size=5), generator.uniform(size=7)
    drawn = [min(*generator.choice(one, 2, replace=False), *generator.choice(other, 3, replace=False)) for _ in range(20_000)]
    assert expected_best_of_groups([one, other], [2, 3]) == pytest.approx(np.mean(drawn), abs=0.005)
    assert expected_best_of_groups([one, other], [2, 3], ceiling=0.2) == pytest.approx(np.minimum(drawn, 0.2).mean(), abs=0.005)
    assert expected_best_of_groups([one, other], [50, 0]) == one.min()


def test_an_estimate_from_few_trials_is_right_on_average():
    generator = np.random.default_rng(2)
    estimates = [expected_best_of_groups([generator.uniform(size=6)], [3]) for _ in range(5_000)]
    assert np.mean(estimates) == pytest.approx(1 / 4, abs=0.01)  # the least of three uniform numbers


def test_effective_size():
    assert effective_size(np.ones(5)) == pytest.approx(5)
    assert effective_size(np.asarray([1.0, 0.0, 0.0])) == pytest.approx(1)
    assert effective_size(np.zeros(3)) == 0

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


def test_groups_are_drawn_from_separately():
    generator = np.random.default_rng(1)
    one, other = generator.uniform(size=5), generator.uniform(size=7)
    drawn = np.minimum(generator.choice(one, size=(100_000, 2)).min(axis=1), generator.choice(other, size=(100_000, 3)).min(axis=1))
    assert expected_best_of_groups([one, other], [2, 3]) == pytest.approx(drawn.mean(), abs=0.003)


def test_effective_size():
    assert effective_size(np.ones(5)) == pytest.approx(5)
    assert effective_size(np.asarray([1.0, 0.0, 0.0])) == pytest.approx(1)
    assert effective_size(np.zeros(3)) == 0

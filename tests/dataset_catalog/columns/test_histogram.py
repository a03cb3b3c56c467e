"""Histograms of whole numbers have no gaps where the numbers have none."""

import numpy as np
import pytest

from dataset_catalog.columns import histogram


@pytest.mark.parametrize("count", [2, 4, 8, 10])
def test_few_whole_numbers_have_a_bar_each(count: int) -> None:
    values = np.repeat(np.arange(count, dtype=float), np.arange(1, count + 1))
    assert histogram(values) == tuple(range(1, count + 1))
    assert histogram(values * 1000) == tuple(range(1, count + 1))


@pytest.mark.parametrize("count", [11, 16, 19, 72, 113, 581])
def test_many_whole_numbers_are_in_bins_that_hold_equally_many(count: int) -> None:
    found = histogram(np.repeat(np.arange(count, dtype=float), 200))
    assert 5 <= len(found) <= 10
    assert sum(found) == count * 200
    assert max(found[1:-1]) == min(found[1:-1])


def test_other_numbers_are_in_ten_bins_of_equal_width() -> None:
    found = histogram(np.linspace(0, 1, 1000))
    assert len(found) == 10
    assert sum(found) == 1000
    assert histogram(np.array([])) == ()
    assert histogram(np.array([0.5, 0.5])) == (2,)

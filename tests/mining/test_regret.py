"""Normalised regret: 0 is the best known, 1 the reference, in either direction."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mining import MiningError, normalised_regret


def test_the_ends_of_the_scale():
    assert normalised_regret([0.9, 0.7, 0.5, 1.0], best=0.9, reference=0.7, direction="maximize") == pytest.approx([0, 1, 2, -0.5])
    assert normalised_regret([10, 20], best=10, reference=20, direction="minimize") == pytest.approx([0, 1])
    assert np.isnan(normalised_regret([np.nan], best=1, reference=2, direction="minimize"))


def test_where_nothing_matters_noise_is_no_regret():
    assert normalised_regret([0.9 - 1e-7], best=0.9, reference=0.9 - 1e-7, direction="maximize")[0] < 0.001
    assert normalised_regret([5.5], best=5, reference=5, direction="minimize", floor=0.5) == pytest.approx(1)


@given(st.floats(-1e3, 1e3), st.floats(1e-1, 1e3), st.floats(-1e3, 1e3), st.floats(0.1, 100))
def test_unit_and_sign_of_the_metric_do_not_matter(best, gap, score, factor):
    def of(scale, direction):
        sign = -1 if direction == "maximize" else 1
        ends = sign * scale * best, sign * scale * (best + gap)
        return normalised_regret([sign * scale * score], *ends, direction, floor=0.0)[0]

    assert of(factor, "maximize") == pytest.approx(of(1.0, "minimize"), rel=1e-6, abs=1e-6)


def test_an_impossible_scale_is_an_error():
    with pytest.raises(MiningError, match="better than the best"):
        normalised_regret([1], best=0.5, reference=0.9, direction="maximize")
    with pytest.raises(MiningError, match="finite"):
        normalised_regret([1], best=float("nan"), reference=0.9, direction="maximize")

"""Early stopping: replayed as Ray's scheduler would do it, and fitted only where it costs nothing."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heuristics_db import EarlyStoppingPolicy
from mining.policies import Curve, fit_early_stopping, rungs, simulate

FAMILIES = ("a", "b", "c", "d")


def policy(grace=1, factor=2.0, epochs=8):
    return EarlyStoppingPolicy(grace_period=grace, reduction_factor=factor, max_epochs=epochs)


def curve(scores, dataset="a", direction="maximize", lead=None):
    return Curve(dataset, dataset, tuple(scores), direction, lead)


def rising(families=FAMILIES, trials=20, epochs=8, honest=True):
    """Curves whose every epoch tells the last (or, when not ``honest``, tells the opposite until the very last)."""
    generator = np.random.default_rng(0)
    found = []
    for family in families:
        for final in generator.uniform(0.5, 1.0, trials):
            told = final if honest else 1.5 - final
            found.append(curve([*(told - 0.01 * (epochs - epoch) for epoch in range(1, epochs)), final], family))
    return found


@settings(max_examples=25)
@given(
    scores=st.lists(st.lists(st.floats(0, 1), min_size=8, max_size=8), min_size=1, max_size=12),
    grace=st.integers(1, 7),
    factor=st.sampled_from([2.0, 3.0, 4.0]),
    direction=st.sampled_from(["maximize", "minimize"]),
)
def test_the_replay_stops_where_rays_scheduler_stops(scores, grace, factor, direction):
    from ray.tune.schedulers.async_hyperband import _Bracket

    bracket = _Bracket(grace, 8, factor, 0)
    sign = 1 if direction == "maximize" else -1
    epochs = 0
    for number, each in enumerate(scores):
        for epoch, score in enumerate(each, 1):
            epochs += 1
            # the scheduler stops what has reached the last epoch without asking the rungs
            if epoch == 8 or bracket.on_result(SimpleNamespace(trial_id=number), epoch, sign * score) == "STOP":
                break
    found = simulate(policy(grace, factor), [curve(each, direction=direction) for each in scores])
    assert found.epochs == epochs


def test_rungs_of_a_policy_that_stops_nothing():
    assert rungs(policy(1, 2.0, 8)) == [1, 2, 4]
    assert rungs(policy(8, 2.0, 8)) == []
    never = EarlyStoppingPolicy(grace_period=8, reduction_factor=None, max_epochs=8)
    assert rungs(never) == []
    assert simulate(never, [curve([0.1] * 8), curve([0.9, None, 0.2])]).best == 0.9


def test_a_search_without_any_score_has_no_best():
    assert simulate(policy(), [curve([None, None])]).best is None


def test_honest_curves_are_stopped_early_at_no_loss():
    found = fit_early_stopping(rising(), scales=dict.fromkeys(FAMILIES, 0.2), max_epochs=8)
    assert found.reduction_factor is not None
    assert found.evidence.effect <= 0.01
    assert "of the epochs" in found.reason
    assert found == fit_early_stopping(rising()[::-1], scales=dict.fromkeys(FAMILIES, 0.2), max_epochs=8)


def test_curves_that_mislead_are_never_stopped():
    found = fit_early_stopping(rising(honest=False), scales=dict.fromkeys(FAMILIES, 0.2), max_epochs=8)
    assert found.reduction_factor is None
    assert found.grace_period == found.max_epochs == 8
    assert "nothing is stopped" in found.reason


@pytest.mark.parametrize(("curves", "epochs"), [([], 8), (rising(("a", "b")), 8), (rising(epochs=2)[:0], 1)])
def test_too_little_to_learn_from_stops_nothing(curves, epochs):
    found = fit_early_stopping(curves, scales=dict.fromkeys(FAMILIES, 0.2), max_epochs=epochs)
    assert found.reduction_factor is None
    assert "too few" in found.reason


def test_seeds_run_first_when_curves_are_replayed():
    strong = [curve([0.9] * 8, family, lead=0) for family in FAMILIES]
    with_lead = fit_early_stopping([*rising(), *strong], scales=dict.fromkeys(FAMILIES, 0.2), max_epochs=8)
    assert with_lead.evidence.trials == 4 * 21

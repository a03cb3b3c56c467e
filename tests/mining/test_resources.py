"""What an epoch costs is told by the law that the trials follow, in the rows and columns that they are recorded with."""

import pytest

from mining import trial_table
from mining._resources import fit_resources
from mining.policies import seconds_per_epoch
from tests.mining.worlds import record


def timed(sizes):
    return [
        record("d0", "concat", {"a": number}, 0.5, number=number, rows=rows, columns=columns, epochs_run=5, train_seconds=5 * seconds)
        for number, (rows, columns, seconds) in enumerate(sizes)
    ]


def test_the_seconds_of_an_epoch_follow_the_size_of_the_table():
    rows = timed([(rows, columns, 1e-4 * rows * columns**0.5) for rows in (200, 800, 3200) for columns in (4, 9, 25)])
    model = fit_resources(trial_table(rows))
    assert seconds_per_epoch(model, 1600, 16) == pytest.approx(1e-4 * 1600 * 4, rel=0.01)
    assert seconds_per_epoch(model, 1600, 16, careful=True) >= seconds_per_epoch(model, 1600, 16)


def test_a_careful_bound_holds_for_most_trials():
    seconds = [0.1, 0.1, 0.11, 0.12, 0.1, 0.11, 0.13, 0.1, 0.1, 2.0]
    model = fit_resources(trial_table(timed([(500, 6, each) for each in seconds])))
    bound = seconds_per_epoch(model, 500, 6, careful=True)
    assert sum(each <= bound for each in seconds) == 9
    assert model.rows == model.columns == 0


def test_too_few_timed_trials_say_nothing():
    assert fit_resources(trial_table(timed([(500, 6, 0.1)] * 4))) is None

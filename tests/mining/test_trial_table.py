"""The trial table keeps the values of hyperparameters as they are."""

import math

from mining import trial_table
from tests.mining.worlds import record


def test_values_stay_what_they_are():
    rows = [
        record("d0", "concat", {"a": None, "b": 64}, 0.5, number=2),
        record("d0", "concat", {"a": True, "c": 1}, 0.5, number=1),
        record("d0", "concat", {"a": "x", "b": 1.5}, 0.5, number=0),
    ]
    table = trial_table(rows)
    assert list(table["trial_id"]) == sorted(table["trial_id"])
    assert list(table["param.a"]) == ["x", True, None]
    assert table["param.a"][2] is None
    assert type(table["param.b"][2]) is int
    assert math.isnan(table["param.b"][1])
    assert table["curve"][0][0]["epoch"] == 1


def test_test_scores_are_there_only_for_those_who_ask():
    rows = [record("d0", "concat", {"a": 1}, 0.5, test_score=0.4, extra_scores={"accuracy": 0.9})]
    assert list(trial_table(rows, test_scores=True)["test_score"]) == [0.4]
    for table in (trial_table(rows), trial_table([])):
        assert not [name for name in table.columns if "test" in name or "extra" in name]


def test_no_records_make_an_empty_table():
    assert trial_table([]).empty

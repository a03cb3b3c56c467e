"""What each kind of column becomes, and why."""

import numpy as np
import pandas as pd
import pytest

from automl import AutoMLError, infer_features, infer_task

ROWS = 400
RNG = np.random.default_rng(0)
COLUMNS = {
    "row id": np.arange(ROWS),
    "uuid": [f"u{i:05d}" for i in range(ROWS)],
    "customer_id": RNG.permutation(ROWS * 10)[:ROWS],
    "constant": "x",
    "all missing": np.nan,
    "blank": " ",
    "flag": RNG.random(ROWS) > 0.5,
    "yes": RNG.choice(["true", "False"], ROWS),
    "day_first": pd.date_range("2020-01-01", periods=ROWS).strftime("%d/%m/%Y"),
    "iso": pd.date_range("2020-01-01", periods=ROWS, freq="h").astype(str),
    "stamp": pd.date_range("2020-01-01", periods=ROWS, tz="Europe/Berlin"),
    "review": [" ".join(RNG.choice(["red", "dog", "runs", "over", "hill"], 6)) + f" {i}" for i in range(ROWS)],
    "c100": [f"l{i}" for i in RNG.integers(0, 100, ROWS)],
    "stray": [str(value) if i % 50 else "unknown" for i, value in enumerate(RNG.normal(size=ROWS))],
    "comma": [f"{value:.2f}".replace(".", ",") for value in RNG.normal(size=ROWS) * 100],
    "infinite": np.where(RNG.random(ROWS) < 0.1, np.inf, RNG.normal(size=ROWS)),
    "huge": RNG.normal(size=ROWS) * 1e300,
    "nullable": pd.array([*RNG.integers(0, 9, ROWS - 1), None], dtype="Int64"),
    "lists": [[1]] * ROWS,
    "levels": pd.Categorical(RNG.choice(list("abc"), ROWS)),
    "income": RNG.permutation(ROWS * 10)[:ROWS],
    "target": RNG.integers(0, 3, ROWS),
}
TABLE = pd.DataFrame(COLUMNS)


@pytest.fixture(scope="module")
def inferred():
    features, dropped = infer_features(TABLE, "target")
    return {feature.name: feature for feature in features}, dropped


@pytest.mark.parametrize(
    ("column", "kind", "said"),
    [
        ("flag", "category", "true or false"),
        ("yes", "category", "true or false"),
        ("day_first", "number", "dates, the day first: days since 2000"),
        ("day_first_month", "category", "the month"),
        ("day_first_weekday", "category", "the weekday"),
        ("iso_hour", "category", "the hour"),
        ("stamp", "number", "dates: days since 2000"),
        ("review", "text", "words"),
        ("c100", "category", "levels"),
        ("stray", "number", "8 stray cells (“unknown”)"),
        ("comma", "number", "decimal comma"),
        ("infinite", "number", "stray"),
        ("nullable", "number", "1 missing"),
        ("levels", "category", "3 levels"),
        ("income", "number", "numbers"),
    ],
)
def test_useful_columns_get_a_type_and_a_reason(inferred, column, kind, said):
    feature = inferred[0][column]
    assert feature.type == kind
    assert said in feature.reason


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ("row id", "row counter"),
        ("uuid", "identifier"),
        ("customer_id", "identifier"),
        ("constant", "constant"),
        ("all missing", "missing"),
        ("blank", "missing"),
        ("huge", "too large"),
        ("lists", "lists"),
    ],
)
def test_useless_columns_are_dropped_with_a_reason(inferred, column, said):
    features, dropped = inferred
    assert column not in features
    assert said in dropped[column]


def test_a_part_of_a_date_is_a_feature_only_where_it_differs(inferred):
    assert {name for name in inferred[0] if name.startswith(("stamp", "iso"))} == {
        "stamp", "stamp_month", "stamp_weekday", "stamp_hour", "iso", "iso_weekday", "iso_hour",
    }  # fmt: skip
    assert "day_first_hour" not in inferred[0]


def test_the_target_is_no_feature(inferred):
    assert "target" not in inferred[0]
    assert "target" not in inferred[1]


@pytest.mark.parametrize(
    ("target", "task"),
    [
        ("target", "multiclass"),
        ("flag", "binary"),
        ("stray", "regression"),
        ("income", "regression"),
        ("c100", "multiclass"),
        ("levels", "multiclass"),
    ],
)
def test_tasks(target, task):
    assert infer_task(TABLE, target) == task


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("constant", "constant"),
        ("all missing", "missing in every row"),
        ("uuid", "neither classes nor numbers"),
        ("Target", "did you mean 'target'"),
        ("nowhere", "has no column 'nowhere'"),
    ],
)
def test_targets_that_cannot_be_learnt_are_refused_in_one_line(target, said):
    with pytest.raises(AutoMLError) as caught:
        infer_task(TABLE, target)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_two_columns_of_one_name_are_refused():
    twice = pd.DataFrame([[1, 2, 3]] * 30, columns=["a", "a", "y"])
    with pytest.raises(AutoMLError, match="two columns called 'a'"):
        infer_features(twice, "y")

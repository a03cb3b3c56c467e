"""Tables that have little to tell, or too much: every figure is defined, or none."""

import datetime as dt
import decimal
import math
import warnings

import numpy as np
import pandas as pd
import pytest

from dataset_catalog import profile


@pytest.fixture(autouse=True)
def _no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def finite(found) -> bool:
    return all(not isinstance(value, float) or math.isfinite(value) for value in found.model_dump().values())


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression", "text_classification"])
@pytest.mark.parametrize("rows", [1, 2, 3, 9, 11])
def test_few_rows(task, rows):
    frame = pd.DataFrame({"x": np.arange(rows) * 1.5, "k": list("abababababa")[:rows], "y": np.arange(rows) % 2})
    found = profile(frame, "y", task)
    assert finite(found)
    assert found.nr_inst == rows
    if rows == 1:
        assert found.skewness.mean is found.cor.mean is found.landmark_rows is found.ns_ratio is None
        assert (found.class_ent, found.class_entropy) == ((None, None) if task == "regression" else (0, 0))


def test_one_class_and_one_value():
    frame = pd.DataFrame({"x": np.arange(50.0), "c": 7, "y": "same"})
    found = profile(frame, "y", "multiclass")
    assert (found.nr_class, found.class_ent, found.class_entropy, found.imbalance) == (1, 0, 0, 1)
    assert found.landmark_rows is found.one_nn.mean is found.eq_num_attr is found.ns_ratio is None
    assert found.mut_inf.max == 0
    assert found.constant_share == 0.5
    flat = profile(frame.assign(y=3.0), "y", "regression")
    assert flat.target_skewness is flat.target_kurtosis is flat.landmark_rows is None
    assert finite(found)
    assert finite(flat)


def test_nothing_but_missing_and_constant_columns():
    frame = pd.DataFrame({"gone": np.nan, "none": None, "nat": pd.NaT, "c": 1, "y": [0, 1] * 30})
    found = profile(frame, "y", "binary")
    assert (found.nr_empty, found.nr_num, found.constant_share) == (3, 1, 1)
    assert found.landmark_rows is None
    assert finite(found)


@pytest.mark.parametrize("task", ["binary", "regression"])
def test_infinite_and_vast_numbers(task):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "inf": np.where(rng.random(200) < 0.3, np.inf, rng.normal(size=200)),
            "all_inf": np.where(rng.random(200) < 0.5, np.inf, -np.inf),
            "vast": rng.choice([-1.7e308, 1.7e308, 0], 200),
            "tiny": rng.choice([5e-324, 0, 1e-310], 200),
            "near": 1e15 + rng.choice([0.0, 0.125], 200),
            "y": rng.choice([0, 1], 200),
        }
    )
    found = profile(frame, "y", task)
    assert finite(found)
    assert found.infinite_share == pytest.approx(float(np.isinf(frame.drop(columns="y")).to_numpy().mean()), rel=1e-5)
    assert finite(profile(frame.assign(y=frame["vast"]), "y", "regression"))


def test_objects_of_every_sort():
    rows = 40
    frame = pd.DataFrame(
        {
            "mixed": [1, "1", True, 2.5] * 10,
            "nested": [[1, 2], {"a": 1}, None, (3,)] * 10,
            "bytes": [b"a", b"b"] * 20,
            "decimals": [decimal.Decimal("1.5"), 2, None, 3.5] * 10,
            "huge": [10**400, -(10**400), 3, 4] * 10,
            "dates": [dt.date(2020, 1, 1), dt.datetime(2021, 5, 5, 3), None, dt.date(1, 1, 1)] * 10,
            "zoned": pd.date_range("2020", periods=rows, tz="Europe/Berlin"),
            "spans": pd.to_timedelta(np.arange(rows), unit="h"),
            "complex": np.arange(rows) * 1j,
            "surrogate": pd.Series([f"half a pair \ud800 and number {number} of it" for number in range(rows)], dtype=object),
            3: np.arange(rows),
            "y": [0, 1] * 20,
        }
    )
    found = profile(frame, "y", "binary")
    assert finite(found)
    assert (found.nr_num, found.nr_cat, found.nr_date, found.nr_text) == (4, 4, 2, 1)
    assert found.infinite_share == pytest.approx(20 / 150, rel=1e-5)
    assert found.languages == ("en",)


def test_ten_thousand_columns():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 10_000)), columns=[f"c{number}" for number in range(10_000)]).assign(y=[0, 1] * 30)
    found = profile(frame, "y", "binary")
    assert (found.nr_attr, found.nr_num, found.landmark_rows) == (10_000, 10_000, 60)
    assert found.cor.mean == pytest.approx(0.1, abs=0.02)
    assert finite(found)


def test_as_many_categories_as_rows():
    rows = 60_000
    frame = pd.DataFrame({"id": [f"{number:x}" for number in range(rows)], "x": np.arange(rows) % 7, "y": np.arange(rows) % 2})
    found = profile(frame, "y", "binary")
    assert (found.nr_cat, found.cardinality.max) == (1, rows)
    assert finite(found)


def test_as_many_classes_as_rows_and_rare_ones():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=20_000)})
    assert profile(frame.assign(y=np.arange(20_000)), "y", "multiclass").landmark_rows is None
    rare = frame.assign(y=np.where(frame["x"] > 3, "rare", "frequent"))
    found = profile(rare, "y", "binary")
    assert found.imbalance > 200
    assert found.best_node.mean > 0.9

"""The same content gives the same bytes: whatever the order of rows and columns, the dtypes and the threads."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

from dataset_catalog import fingerprint, profile
from dataset_catalog.profiling import _profile

numbers = st.one_of(st.floats(allow_nan=True, allow_infinity=True), st.integers(-3, 3).map(float), st.just(1e308), st.just(-1e-308))
strings = st.one_of(st.none(), st.sampled_from(["a", "b", ""]), st.text(max_size=8))
prose = st.one_of(st.none(), st.lists(st.sampled_from(["good", "film", "很", "好", "!", "été"]), min_size=1, max_size=9).map(" ".join))
dates = st.one_of(st.none(), st.datetimes(min_value=pd.Timestamp("1800-01-01"), max_value=pd.Timestamp("2200-01-01")))
mixed = st.one_of(st.none(), st.booleans(), st.integers(-2, 2), st.sampled_from(["1", "x"]), st.floats(allow_nan=False, width=16))
flags = st.one_of(st.none(), st.booleans())
KINDS = {"n": numbers, "k": strings, "t": prose, "d": dates, "m": mixed, "f": flags}


@st.composite
def tables(draw):
    rows = draw(st.integers(1, 40))
    kinds = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=6))
    columns = {}
    for position, kind in enumerate(kinds):
        cells = draw(st.lists(KINDS[kind], min_size=rows, max_size=rows))
        columns[f"{kind}{position}"] = pd.Series(cells, dtype=np.float64 if kind == "n" else object)
    task = draw(st.sampled_from(["multiclass", "regression", "text_classification"]))
    targets = st.integers(0, 3).map(float) if task != "regression" else st.floats(-1e6, 1e6)
    columns["y"] = pd.Series(draw(st.lists(targets, min_size=rows, max_size=rows)))
    return pd.DataFrame(columns), task, draw(st.randoms(use_true_random=False))


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(tables())
def test_rows_and_columns_in_any_order(drawn):
    frame, task, random = drawn
    rows, columns = list(range(len(frame))), list(frame.columns)
    random.shuffle(rows)
    random.shuffle(columns)
    one = profile(frame, "y", task).model_dump_json()
    assert profile(frame.iloc[rows][columns], "y", task).model_dump_json() == one


def varied(frame):
    """The same content in other dtypes."""
    yield frame.astype({"whole": np.int8, "tenth": np.float32, "half": np.float16})
    yield frame.astype({"whole": "Int16", "tenth": "Float64", "flag": "boolean", "k": "string"})
    yield frame.astype({"whole": "category", "tenth": "category", "k": "category", "flag": "category", "words": "category"})
    yield frame.astype(object)
    yield frame.astype({"whole": "int64[pyarrow]", "tenth": "double[pyarrow]", "k": "string[pyarrow]", "when": "timestamp[ns][pyarrow]"})
    yield frame.astype({"when": "datetime64[s]", "y": np.uint8})
    yield frame.assign(gone=pd.Series([None] * len(frame), dtype=object), when=frame["when"].dt.date.astype(object))


def test_dtypes_do_not_matter():
    rng = np.random.default_rng(1)
    rows = 300
    frame = pd.DataFrame(
        {
            "whole": rng.integers(-9, 9, rows),
            "tenth": rng.integers(-90, 90, rows) / 10,
            "half": rng.integers(-9, 9, rows) / 2,
            "k": pd.Series(rng.choice(["a", "b", "c"], rows), dtype=object),
            "words": [f"a rather good film, the {number}th of them" for number in rng.integers(0, 200, rows)],
            "when": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 500, rows), unit="D"),
            "flag": rng.random(rows) < 0.5,
            "gone": np.nan,
            "y": rng.integers(0, 3, rows),
        }
    )
    one = profile(frame, "y", "multiclass").model_dump_json()
    for position, other in enumerate(varied(frame)):
        assert fingerprint(other) == fingerprint(frame), position
        assert profile(other, "y", "multiclass").model_dump_json() == one, position


@pytest.mark.parametrize("task", ["multiclass", "regression"])
def test_large_samples_are_drawn_by_content(task):
    rng = np.random.default_rng(2)
    rows = 30_000
    frame = pd.DataFrame(rng.normal(size=(rows, 6)), columns=list("fbdace")).assign(k=rng.choice(list("pqrs"), rows))
    frame["y"] = (frame["a"] + rng.normal(size=rows)).round() if task == "multiclass" else frame["a"] ** 3
    one = profile(frame, "y", task).model_dump_json()
    shuffled = frame.sample(frac=1, random_state=3)[sorted(frame.columns)]
    for threads in (1, 2):
        with threadpool_limits(threads):
            assert profile(shuffled, "y", task).model_dump_json() == one


def test_sums_are_taken_on_one_thread_whatever_was_allowed_before(monkeypatch):
    seen, landmarks = [], _profile.landmarks
    monkeypatch.setattr(_profile, "landmarks", lambda *given: seen.extend(threadpool_info()) or landmarks(*given))
    with threadpool_limits(2):
        profile(pd.DataFrame({"x": range(20), "y": [0, 1] * 10}), "y", "binary")
    assert {each["num_threads"] for each in seen} == {1}


def test_a_sample_of_few_kinds_of_rows_shows_all_of_them():
    rows = 50_000
    frame = pd.DataFrame({"k": np.arange(rows) % 25, "y": np.arange(rows) % 25 % 2})
    found = profile(frame, "y", "binary")
    assert found.repeated_row_share == pytest.approx(1 - 25 / rows)
    assert found.attr_ent.mean > 4.2  # of log2(21) at most: as many bins as the cube root of the sample's rows
    assert found.one_nn.mean == 1


def test_another_process_gives_the_same_bytes(tmp_path):
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.normal(size=(3000, 40)), columns=[f"c{number}" for number in range(40)])
    frame = frame.assign(k=rng.choice(list("pqrs"), 3000), t=[f"a film with the number {number}" for number in range(3000)])
    frame["y"] = (frame["c0"] > 0) ^ (frame["k"] == "p")
    frame.to_parquet(tmp_path / "t.parquet")
    code = "import sys, pandas as pd; from dataset_catalog import profile\n"
    code += "print(profile(pd.read_parquet(sys.argv[1]), 'y', 'binary').model_dump_json())"
    one = profile(frame, "y", "binary").model_dump_json()
    environment = os.environ | {"PYTHONHASHSEED": "7", "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    command = [sys.executable, "-c", code, str(tmp_path / "t.parquet")]
    assert subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout.strip() == one

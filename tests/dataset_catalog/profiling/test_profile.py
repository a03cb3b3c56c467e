"""A profile says what a table is like."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from dataset_catalog import PROFILE_VERSION, CatalogError, Profile, profile


@pytest.fixture
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "n": rng.normal(size=4000),
            "skewed": rng.lognormal(size=4000).round(6),
            "k": rng.choice(["a", "b", "c"], 4000),
            "words": [f"this is review number {number} of many" for number in range(4000)],
            "when": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 500, 4000), unit="D"),
            "flag": rng.random(4000) < 0.5,
            "gone": np.nan,
            "y": rng.choice(["no", "yes"], 4000, p=[0.75, 0.25]),
        }
    )


def test_types_and_sizes(frame):
    found = profile(frame, "y", "binary")
    assert (found.version, found.nr_inst, found.nr_attr) == (PROFILE_VERSION, 4000, 7)
    assert (found.nr_num, found.nr_cat, found.nr_bin, found.nr_text, found.nr_date, found.nr_empty) == (2, 2, 1, 1, 1, 1)
    assert found.numeric_share == found.categorical_share == pytest.approx(2 / 7, abs=1e-6)
    assert (found.cat_to_num, found.num_to_cat) == (1, 1)
    assert found.inst_to_attr == pytest.approx(4000 / 7, rel=1e-5)
    assert (found.cardinality.min, found.cardinality.mean, found.cardinality.max) == (2, 2.5, 3)
    assert found.repeated_row_share == 0


def test_missing_cells(frame):
    frame.loc[frame.index[:1000], "n"] = np.nan
    frame.loc[frame.index[1000:1010], "skewed"] = np.inf
    found = profile(frame.drop(columns="gone"), "y", "binary")
    assert found.missing_share == pytest.approx(1000 / 24000, rel=1e-5)
    assert (found.missing_row_share, found.missing_column_share, found.attr_missing.max) == (0.25, pytest.approx(1 / 6, rel=1e-5), 0.25)
    assert found.infinite_share == pytest.approx(10 / 7000, rel=1e-5)
    assert profile(frame, "y", "binary").missing_row_share == 1


def test_targets(frame):
    found = profile(frame, "y", "binary")
    assert found.nr_class == 2
    assert found.class_entropy == found.class_ent == pytest.approx(0.811, abs=0.02)
    assert found.imbalance == pytest.approx(3, rel=0.15)
    assert found.freq_class.max == pytest.approx(0.75, abs=0.02)
    assert (found.target_skewness, found.target_kurtosis, found.target_distinct_share) == (None, None, None)
    priced = profile(frame, "skewed", "regression")
    assert priced.target_skewness > 2
    assert priced.target_kurtosis > 5
    assert priced.target_distinct_share > 0.99
    assert (priced.nr_class, priced.class_ent, priced.freq_class.mean) == (None, None, None)
    assert priced.mut_inf.max is not None


def test_what_tells_of_the_target_tells_in_the_profile(frame):
    told = frame.assign(n=frame["n"] + 3 * (frame["y"] == "yes"))
    plain, clear = profile(frame, "y", "binary"), profile(told, "y", "binary")
    assert clear.mut_inf.max > 0.3 > 0.05 > plain.mut_inf.max
    assert clear.ns_ratio < plain.ns_ratio
    assert clear.eq_num_attr < plain.eq_num_attr
    assert clear.linear_discr.mean > 0.5 > 0.2 > plain.linear_discr.mean


def test_ignored_columns_and_rows_without_a_target_count_for_nothing(frame):
    parted = frame.assign(split="training")
    assert profile(parted, "y", "binary", ignore=["split"]) == profile(frame, "y", "binary")
    without = frame.assign(y=frame["y"].where(frame.index >= 400))
    found, rest = profile(without, "y", "binary"), profile(frame[400:], "y", "binary")
    assert found.target_missing_share == 0.1
    assert found.model_copy(update={"target_missing_share": 0.0}) == rest


def test_a_regression_leaves_out_what_is_no_number(frame):
    numbers = frame["skewed"].astype(object)
    numbers[:100], numbers[100:200] = "n/a", np.inf
    found = profile(frame.assign(skewed=numbers.astype(str)), "skewed", "regression")
    assert found.nr_inst == 3800
    assert found.target_skewness == pytest.approx(profile(frame[200:], "skewed", "regression").target_skewness)


@pytest.mark.parametrize(
    ("change", "target", "message"),
    [
        (lambda frame: frame, "z", "no column 'z'"),
        (lambda frame: frame[["y"]], "y", "a row and a column beside"),
        (lambda frame: frame[:0], "y", "a row and a column beside"),
        (lambda frame: frame.assign(y=None), "y", "no row has a value"),
        (lambda frame: frame.set_axis([*frame.columns[:-2], "n", "y"], axis=1), "y", "repeat"),
        (lambda frame: frame.set_axis([*frame.columns[:-2], "y", "y"], axis=1), "y", "repeat"),
    ],
)
def test_what_cannot_be_profiled_is_said(frame, change, target, message):
    with pytest.raises(CatalogError, match=message):
        profile(change(frame), target, "binary")


def test_a_regression_without_numbers_is_refused(frame):
    with pytest.raises(CatalogError, match="finite number"):
        profile(frame, "k", "regression")


def test_a_profile_is_a_flat_mapping_that_is_read_back(frame):
    found = profile(frame, "y", "binary")
    written = found.model_dump(mode="json")
    assert written["skewness.mean"] == found.skewness.mean
    assert not any(isinstance(value, dict) for value in written.values())
    assert Profile.model_validate(written) == Profile.model_validate_json(found.model_dump_json()) == found
    assert "version" not in found.model_dump(exclude={"version"})


def test_profiling_imports_neither_ludwig_nor_torch():
    code = (
        "import sys, pandas as pd\n"
        "from dataset_catalog import profile\n"
        "texts = [f'the film of the year {i}' for i in range(60)]\n"
        "frame = pd.DataFrame({'x': range(60), 'k': list('ab') * 30, 't': texts, 'y': [0, 1] * 30})\n"
        "assert profile(frame, 'y', 'binary').nr_text == 1\n"
        "print(sorted({'torch', 'ludwig', 'ray', 'mlflow', 'transformers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.strip() == "[]"

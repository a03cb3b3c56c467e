"""Splits and caps: decided by content, stratified, and able to cope with the smallest classes."""

import numpy as np
import pandas as pd
import pytest

from dataset_catalog import CatalogError, canonical_order, cap_rows, make_split


def table(classes: dict[str, int], seed: int = 0) -> pd.DataFrame:
    target = np.repeat(list(classes), list(classes.values()))
    return pd.DataFrame({"x": np.random.default_rng(seed).normal(size=len(target)), "y": target})


def counts(frame: pd.DataFrame, parts: np.ndarray) -> dict[str, list[int]]:
    return {name: [int((parts[frame["y"] == name] == part).sum()) for part in range(3)] for name in frame["y"].unique()}


def test_shares_hold_in_every_class() -> None:
    frame = table({"a": 700, "b": 200, "c": 100})
    split = make_split(frame, "y", "multiclass")
    assert split.parts.dtype == np.int8
    assert counts(frame, split.parts) == {"a": [490, 70, 140], "b": [140, 20, 40], "c": [70, 10, 20]}


def test_tiny_classes_stay_in_training() -> None:
    frame = table({"a": 50, "one": 1, "two": 2})
    found = counts(frame, make_split(frame, "y", "multiclass").parts)
    assert found["one"] == [1, 0, 0]
    assert found["two"][0] >= 1


def test_many_tiny_classes_do_not_starve_the_parts() -> None:
    frame = table({f"c{number}": 4 for number in range(100)})
    sizes = np.bincount(make_split(frame, "y", "multiclass").parts)
    assert sizes.tolist() == [280, 40, 80]


def test_order_of_rows_does_not_matter() -> None:
    frame = table({"a": 60, "b": 40})
    split = make_split(frame, "y", "binary")
    order = np.random.default_rng(1).permutation(len(frame))
    again = make_split(frame.iloc[order], "y", "binary")
    assert again.split_id == split.split_id
    assert (again.parts == split.parts[order]).all()


def test_repeats_and_seeds() -> None:
    frame = table({"a": 60, "b": 40})
    assert make_split(frame, "y", "binary").split_id == make_split(frame, "y", "binary").split_id
    assert make_split(frame, "y", "binary").split_id != make_split(frame, "y", "binary", seed=1).split_id
    fixed = np.arange(len(frame)) % 3
    other = frame.assign(extra=1)
    assert make_split(frame, "y", "binary", fixed=fixed).split_id != make_split(other, "y", "binary", fixed=fixed).split_id


def test_regression_parts_look_alike() -> None:
    target = np.random.default_rng(0).lognormal(size=1000)
    frame = pd.DataFrame({"x": range(1000), "y": target})
    parts = make_split(frame, "y", "regression").parts
    assert np.bincount(parts).tolist() == [700, 100, 200]
    medians = [np.median(target[parts == part]) for part in range(3)]
    assert max(medians) / min(medians) < 1.15


def test_a_fixed_split_is_kept_and_given_a_validation_part() -> None:
    frame = table({"a": 60, "b": 40})
    fixed = np.zeros(100, dtype=int)
    fixed[::4] = 2
    split = make_split(frame, "y", "binary", fixed=fixed)
    assert ((split.parts == 2) == (fixed == 2)).all()
    assert (split.parts == 1).sum() == 10
    whole = np.arange(100) % 3
    assert (make_split(frame, "y", "binary", fixed=whole).parts == whole).all()


@pytest.mark.parametrize(
    ("frame", "options", "message"),
    [
        (table({"a": 1, "b": 1, "c": 1}), {}, "too few to split"),
        (table({"a": 9, "b": 9}), {"validation_share": 0.6, "test_share": 0.4}, "no training rows"),
        (table({"a": 9, "b": 9}), {"fixed": np.zeros(3)}, "fixed split"),
        (table({"a": 9, "b": 9}), {"fixed": np.full(18, 7)}, "fixed split"),
        (table({"a": 9, "b": 9}).assign(y=None), {}, "missing in 18 rows"),
        (table({"a": 9, "b": 9}).rename(columns={"y": "z"}), {}, "no column 'y'"),
    ],
)
def test_faults_are_told_in_one_line(frame: pd.DataFrame, options: dict, message: str) -> None:
    with pytest.raises(CatalogError, match=message) as caught:
        make_split(frame, "y", "multiclass", **options)
    assert "\n" not in str(caught.value)


def test_text_is_no_regression_target() -> None:
    with pytest.raises(CatalogError, match="holds text"):
        make_split(table({"a": 9, "b": 9}), "y", "regression")


def test_a_cap_keeps_shares_order_and_every_class() -> None:
    frame = canonical_order(table({"a": 900, "b": 99, "rare": 1}))
    capped = cap_rows(frame, "y", "multiclass", 100)
    assert len(capped) == 100
    assert capped["y"].value_counts().to_dict()["rare"] == 1
    assert 85 <= capped["y"].value_counts()["a"] <= 92
    pd.testing.assert_frame_equal(canonical_order(capped), capped)
    shuffled = cap_rows(frame.sample(frac=1, random_state=3), "y", "multiclass", 100)
    pd.testing.assert_frame_equal(canonical_order(shuffled), capped)


def test_a_cap_that_caps_nothing() -> None:
    frame = table({"a": 9, "b": 9})
    assert cap_rows(frame, "y", "binary", None) is frame
    assert cap_rows(frame, "y", "binary", 18) is frame
    with pytest.raises(CatalogError, match="at least 1"):
        cap_rows(frame, "y", "binary", 0)
    assert len(cap_rows(frame, "y", "binary", 1)) == 1

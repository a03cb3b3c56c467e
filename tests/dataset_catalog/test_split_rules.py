"""Official splits, splits by group and by time: what holds for whatever table."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedGroupKFold

from dataset_catalog import CatalogError, SplitRule, part_rows

FEW = settings(max_examples=40)
DAYS = st.integers(0, 400).map(lambda day: dt.datetime(2020, 1, 1) + dt.timedelta(days=day))


def table(rows: int, seed: int, **columns) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"x": rng.normal(size=rows), **columns, "y": rng.choice(["a", "b", "c"], size=rows, p=[0.6, 0.3, 0.1])})


def by(kind: str, column: str = "g", **options) -> SplitRule:
    return SplitRule(kind=kind, column=column, **options)


def part_of(frame: pd.DataFrame, rule: SplitRule, **options) -> dict[float, int]:
    parted = part_rows(frame, "y", "multiclass", rule, **options)
    assert rule.column not in parted.frame.columns
    return dict(zip(parted.frame["x"], parted.split.parts.tolist(), strict=True))


@FEW
@given(
    groups=st.lists(st.one_of(st.integers(0, 12), st.none()), min_size=40, max_size=200),
    seed=st.integers(0, 5),
    cap=st.one_of(st.none(), st.integers(20, 60)),
)
def test_groups_stay_together_whatever_the_order_and_the_cap(groups, seed, cap) -> None:
    frame = table(len(groups), seed, g=[None if each is None else f"patient {each}" for each in groups])
    rule = by("group", seed=seed)
    if frame["g"].nunique() + frame["g"].isna().sum() < 3:
        with pytest.raises(CatalogError, match="groups"):
            part_of(frame, rule)
        return
    whole = part_of(frame, rule)
    assert set(whole.values()) == {0, 1, 2}
    assert frame["x"].map(whole).groupby(frame["g"]).nunique().max() <= 1
    shuffled = frame.sample(frac=1, random_state=seed)
    assert part_of(shuffled, rule) == whole
    assert part_rows(shuffled, "y", "multiclass", rule).split.split_id == part_rows(frame, "y", "multiclass", rule).split.split_id
    capped = part_of(frame, rule, row_cap=cap)
    assert len(capped) == min(cap or len(frame), len(frame))
    assert capped.items() <= whole.items()


@FEW
@given(times=st.lists(st.one_of(DAYS, st.none()), min_size=40, max_size=200), cap=st.one_of(st.none(), st.integers(20, 60)))
def test_time_only_goes_forward_and_moments_stay_whole(times, cap) -> None:
    frame = table(len(times), 0, g=pd.Series(times, dtype="datetime64[us]"))
    rule = by("time")
    if frame["g"].nunique() < 3:
        with pytest.raises(CatalogError, match="different times"):
            part_of(frame, rule)
        return
    whole = part_of(frame, rule)
    part = frame["x"].map(whole)
    assert set(part) == {0, 1, 2}
    assert part[frame["g"].isna()].eq(0).all()
    spans = frame.groupby(part)["g"].agg(["min", "max"])
    assert spans.loc[0, "max"] < spans.loc[1, "min"] <= spans.loc[1, "max"] < spans.loc[2, "min"]
    assert part_of(frame.iloc[::-1], rule) == whole
    assert part_of(frame, rule, row_cap=cap).items() <= whole.items()
    spelt = frame.assign(g=frame["g"].dt.strftime("%d/%m/%Y"))
    if (frame["g"].dt.day > 12).any():
        assert part_of(spelt, rule) == whole


@FEW
@given(names=st.lists(st.sampled_from(["train", "Test", "training", "test"]), min_size=40, max_size=200), cap=st.integers(20, 60))
def test_official_test_rows_stay_exactly(names, cap) -> None:
    frame = table(len(names), 0, g=names)
    official = frame.loc[frame["g"].str.lower() == "test", "x"]
    if len(official) in (0, len(frame)):
        with pytest.raises(CatalogError, match="needs training and test rows"):
            part_of(frame, by("column"))
        return
    whole = part_of(frame, by("column"))
    assert {x for x, part in whole.items() if part == 2} == set(official)
    assert 1 in whole.values()
    capped = part_of(frame, by("column"), row_cap=cap)
    assert capped.items() <= whole.items()
    if cap < len(frame):
        assert abs(sum(part == 2 for part in capped.values()) - cap * len(official) / len(frame)) <= 9  # one a part and class


def test_an_official_validation_part_is_taken_as_it_is() -> None:
    frame = table(300, 0, g=np.resize(["train", "dev", "test"], 300))
    part = frame["x"].map(part_of(frame, by("column")))
    assert part.tolist() == np.resize([0, 1, 2], 300).tolist()
    assert part_of(frame.assign(g=np.resize([0, 1, 2], 300)), by("column")) == part_of(frame, by("column"))


def test_shares_and_classes_hold_as_far_as_groups_allow() -> None:
    frame = table(6000, 3, g=np.random.default_rng(4).zipf(1.6, size=6000) % 700)
    part = frame["x"].map(part_of(frame, by("group")))
    shares = pd.crosstab(frame["y"], part, normalize="index")
    assert abs(shares - np.array([0.7, 0.1, 0.2])).max().max() < 0.03
    folds = StratifiedGroupKFold(5, shuffle=True, random_state=0).split(frame, frame["y"], frame["g"])
    theirs = [abs(frame["y"].iloc[test].value_counts() / frame["y"].value_counts() - 0.2).max() for _, test in folds]
    assert abs(shares[2] - 0.2).max() <= max(theirs) + 0.01


@pytest.mark.parametrize("seed", range(5))
def test_each_part_gets_its_share_of_groups_that_are_of_one_class(seed: int) -> None:
    frame = table(1000, seed, g=np.arange(1000) // 10).assign(y=np.where(np.arange(1000) < 200, "rare", "frequent"))
    part = frame["x"].map(part_of(frame, by("group", seed=seed)))
    assert pd.crosstab(frame["y"], part).to_numpy() / 10 == pytest.approx(np.array([[56, 8, 16], [14, 2, 4]]), abs=1)


@pytest.mark.parametrize("sizes", [(100, 100, 100), (298, 1, 1)])
def test_each_part_gets_a_group_where_there_are_no_more_groups_than_parts(sizes: tuple[int, ...]) -> None:
    frame = table(300, 0, g=np.repeat([0, 1, 2], sizes))
    part = frame["x"].map(part_of(frame, by("group")))
    assert sorted(part.groupby(frame["g"]).unique().map(tuple)) == [(0,), (1,), (2,)]


def test_a_seed_deals_out_groups_anew_and_a_repeated_row_without_a_group_stays_in_one_part() -> None:
    frame = table(300, 0, g=np.arange(300) // 3)
    assert part_of(frame, by("group")) != part_of(frame, by("group", seed=1))
    twice = pd.concat([frame.assign(g=None)] * 2)
    parted = part_rows(twice, "y", "multiclass", by("group"))
    assert pd.Series(parted.split.parts).groupby(parted.frame["x"].to_numpy()).nunique().max() == 1


def test_years_and_seconds_are_times_too() -> None:
    frame = table(100, 0, g=np.arange(100) + 1920)
    expected = part_of(frame, by("time"))
    assert sorted(expected.values()) == [0] * 70 + [1] * 10 + [2] * 20
    assert part_of(frame.assign(g=frame["g"].astype(str)), by("time")) == expected
    assert part_of(frame.assign(g=pd.to_timedelta(frame["g"], unit="s")), by("time")) == expected


@pytest.mark.parametrize(
    ("kind", "cells", "message"),
    [
        ("time", ["2020-01-01"] * 39 + ["soon"], "'soon' in 1 rows, which is no time"),
        ("time", [True, False] * 20, "truth values"),
        ("time", [2001, 2002] * 20, "2 different times"),
        ("group", ["a", "b"] * 20, "2 groups"),
        ("column", ["train", "test"] * 19 + ["train", "elsewhere"], "'elsewhere' in 1 rows"),
        ("column", ["train", None] * 20, "holds nothing in 20 rows"),
        ("column", ["train"] * 40, "names no test row"),
    ],
)
def test_faults_are_one_line(kind, cells, message) -> None:
    with pytest.raises(CatalogError, match=message) as caught:
        part_of(table(40, 0, g=cells), by(kind))
    assert "\n" not in str(caught.value)


@FEW
@given(sizes=st.lists(st.integers(1, 12), min_size=4, max_size=40), seed=st.integers(0, 3))
def test_stratified_shares_hold_to_the_row_and_rare_classes_train(sizes, seed) -> None:
    sizes = [*sizes, 30]
    target = np.repeat([f"c{number}" for number in range(len(sizes))], sizes)
    frame = pd.DataFrame({"x": np.random.default_rng(seed).normal(size=len(target)), "y": target})
    parts = part_rows(frame, "y", "multiclass", SplitRule(seed=seed)).split.parts
    counts = pd.crosstab(frame["y"], parts).reindex(columns=[0, 1, 2], fill_value=0)
    assert (counts[0] >= 1).all()
    assert ((counts[2] - 0.2 * counts.sum(axis=1)).abs() <= 1.001).all()
    assert ((counts[1] - 0.1 * counts.sum(axis=1)).abs() <= 1.001).all()

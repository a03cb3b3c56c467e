"""A fingerprint names content: nothing that leaves the content as it is may change it, and anything else must."""

import datetime as dt
import decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dataset_catalog import CatalogError, canonical_order, fingerprint, read_table


@pytest.fixture
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(7)
    return pd.DataFrame(
        {
            "real": [0.1, -0.0, np.nan, 1e300, *rng.normal(size=96)],
            "whole": rng.integers(-5, 5, 100),
            "text": ["a", "1", None, 'é,\n"q"', *rng.choice(["x", "y"], 96)],
            "flag": rng.integers(0, 2, 100) > 0,
        }
    )


def test_known_value_never_changes() -> None:
    frame = pd.DataFrame({"a": [1, 2, 2], "b": ["x", None, "y"], "c": [0.1, np.nan, -0.0], "d": [True, False, True]})
    assert fingerprint(frame) == "f1-7845e8032c1c3118eb4c9ae8f3c07c03"


def test_orders_of_rows_and_columns_do_not_matter(frame: pd.DataFrame) -> None:
    shuffled = frame.sample(frac=1, random_state=1)[["text", "flag", "real", "whole"]]
    assert fingerprint(shuffled) == fingerprint(frame)
    pd.testing.assert_frame_equal(canonical_order(shuffled)[list(frame.columns)], canonical_order(frame))


@pytest.mark.parametrize(
    "change",
    [
        lambda frame: frame.astype({"whole": "int8"}),
        lambda frame: frame.astype({"whole": "float64"}),
        lambda frame: frame.astype({"whole": "Int64", "flag": "boolean", "text": "string"}),
        lambda frame: frame.astype({"text": "category", "whole": "category"}),
        lambda frame: frame.astype({"whole": object, "flag": object, "text": object}),
        lambda frame: frame.set_axis([f"r{row}" for row in range(len(frame))]),
    ],
)
def test_dtypes_and_index_do_not_matter(frame: pd.DataFrame, change) -> None:
    assert fingerprint(change(frame)) == fingerprint(frame)


def test_narrow_floats_stand_for_the_decimals_they_show() -> None:
    values = [0.1, 2.5, 3.14]
    assert fingerprint(pd.DataFrame({"x": np.array(values, dtype=np.float32)})) == fingerprint(pd.DataFrame({"x": values}))
    assert fingerprint(pd.DataFrame({"x": [decimal.Decimal("0.1")]})) == fingerprint(pd.DataFrame({"x": [0.1]}))


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "tsv", "parquet"])
def test_file_formats_do_not_matter(frame: pd.DataFrame, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"table.{suffix}"
    if suffix == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False, sep="\t" if suffix == "tsv" else ",")
    assert fingerprint(read_table(path)) == fingerprint(frame)


@pytest.mark.parametrize(
    "change",
    [
        lambda frame: frame.rename(columns={"whole": "Whole"}),
        lambda frame: frame.rename(columns={"whole": "real", "real": "whole"}),
        lambda frame: frame.drop(columns="flag"),
        lambda frame: frame.iloc[1:],
        lambda frame: pd.concat([frame, frame.iloc[:1]]),
        lambda frame: frame.assign(whole=frame["whole"].astype(str)),
        lambda frame: frame.assign(flag=frame["flag"].astype(int)),
        lambda frame: frame.assign(real=frame["real"].shift(1)),
        lambda frame: frame.assign(text=frame["text"].fillna("")),
        lambda frame: frame.assign(real=np.nextafter(frame["real"], 9)),
    ],
)
def test_another_content_has_another_fingerprint(frame: pd.DataFrame, change) -> None:
    assert fingerprint(change(frame)) != fingerprint(frame)


def test_cells_that_move_between_rows_are_noticed() -> None:
    one = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    assert fingerprint(one) != fingerprint(one.assign(b=["y", "x"]))


def test_whole_numbers_beyond_a_double_are_told_apart() -> None:
    big = 2**60
    assert fingerprint(pd.DataFrame({"id": [big]})) != fingerprint(pd.DataFrame({"id": [big + 1]}))
    assert fingerprint(pd.DataFrame({"id": [big]})) == fingerprint(pd.DataFrame({"id": [float(big)]}))
    assert fingerprint(pd.DataFrame({"id": [10**30, 1]}, dtype=object)) != fingerprint(pd.DataFrame({"id": [10**30 + 1, 1]}, dtype=object))


def test_mixed_and_nested_cells_keep_their_kinds() -> None:
    kinds = [1, "1", True, [1], {"a": 1}, b"1", dt.date(2020, 1, 1), pd.Timestamp("2020-01-01 00:00:01"), None]
    prints = {fingerprint(pd.DataFrame({"x": pd.Series([kind], dtype=object)})) for kind in kinds}
    assert len(prints) == len(kinds)
    mixed = pd.DataFrame({"x": pd.Series(kinds, dtype=object)})
    assert fingerprint(mixed.iloc[::-1]) == fingerprint(mixed)


def test_times_do_not_depend_on_their_unit() -> None:
    times = pd.Series(pd.to_datetime(["2020-01-01 00:00", "2021-06-01 12:00", None]))
    prints = {fingerprint(pd.DataFrame({"t": times.astype(f"datetime64[{unit}]")})) for unit in ("s", "us", "ns")}
    assert len(prints) == 1
    assert fingerprint(pd.DataFrame({"t": times.dt.tz_localize("UTC")})) not in prints


def test_repeated_column_names_are_refused() -> None:
    with pytest.raises(CatalogError, match="repeat: a"):
        fingerprint(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_an_empty_table_has_a_fingerprint() -> None:
    assert fingerprint(pd.DataFrame({"a": []})) != fingerprint(pd.DataFrame({"b": []}))

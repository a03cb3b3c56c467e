"""Fingerprints under whatever tables hypothesis thinks of: what leaves content alone leaves them alone, one changed cell does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from dataset_catalog import fingerprint, read_table

NAMES = st.lists(st.text("abcdefgXYZ_é", min_size=1, max_size=6), min_size=1, max_size=5, unique=True)
NUMBERS = st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False), st.integers(-(2**31), 2**31).map(float))
WORDS = st.one_of(st.none(), st.text("abc ÄßЖ漢'\"\\,;\t|", min_size=1, max_size=8).map(lambda text: f"w{text}w"))
WHOLES = st.integers(-100, 100)
COLUMNS = st.sampled_from([NUMBERS, WORDS, WHOLES, st.booleans()])
SLOWER = settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@st.composite
def tables(draw: Any, rows: int = 2) -> pd.DataFrame:
    """A table of at least so many rows; each column is of one kind, and none is missing from end to end."""
    count = draw(st.integers(rows, 8))
    columns: dict[str, list[Any]] = {}
    for name in draw(NAMES):
        cells = draw(st.lists(draw(COLUMNS), min_size=count, max_size=count))
        assume(any(cell is not None for cell in cells))
        columns[name] = cells
    return pd.DataFrame(columns)


@given(table=tables(), seed=st.integers(0, 2**32 - 1))
@SLOWER
def test_orders_do_not_matter(table: pd.DataFrame, seed: int) -> None:
    shuffled = table.sample(frac=1, random_state=seed)
    turned = shuffled[list(np.random.default_rng(seed).permutation(table.columns))]
    assert fingerprint(turned) == fingerprint(table)


@given(table=tables())
@SLOWER
def test_widths_do_not_matter(table: pd.DataFrame) -> None:
    changed = table.copy()
    for name in table.columns:
        kind = table[name].dtype
        if pd.api.types.is_bool_dtype(kind):
            changed[name] = table[name].astype("boolean")
        elif pd.api.types.is_integer_dtype(kind):
            changed[name] = table[name].astype("int8" if table[name].abs().max() < 100 else "float64")
        elif pd.api.types.is_float_dtype(kind):
            changed[name] = table[name].astype("Float64")
        else:
            changed[name] = table[name].astype("category")
    assert fingerprint(changed) == fingerprint(table)
    assert fingerprint(table.astype(object)) == fingerprint(table)


@given(table=tables())
@SLOWER
def test_formats_do_not_matter(table: pd.DataFrame, tmp_path: Path) -> None:
    written = {
        "csv": lambda path: table.to_csv(path, index=False),
        "tsv": lambda path: table.to_csv(path, index=False, sep="\t"),
        "parquet": lambda path: table.to_parquet(path, index=False),
        "jsonl": lambda path: table.to_json(path, orient="records", lines=True, double_precision=15),
        "csv.gz": lambda path: table.to_csv(path, index=False),
    }
    told = fingerprint(table)
    for suffix, write in written.items():
        if (suffix == "jsonl" and not _survives_json(table)) or (suffix == "tsv" and table.shape[1] == 1):
            continue  # one column has no delimiter to be known by, and its commas are not quoted there
        path = tmp_path / f"table.{suffix}"
        write(path)
        assert fingerprint(read_table(path)) == told, suffix


def _survives_json(table: pd.DataFrame) -> bool:
    """Whether pandas writes each number with all of its digits: it stops at fifteen places, and reads very large ones as they come."""
    numbers = table.select_dtypes("float").stack()
    return all(float(f"{value:.10f}") == value and abs(value) < 1e15 for value in numbers)


@given(table=tables(), data=st.data())
@SLOWER
def test_one_changed_cell_is_seen(table: pd.DataFrame, data: st.DataObject) -> None:
    row, column = data.draw(st.integers(0, len(table) - 1)), data.draw(st.integers(0, table.shape[1] - 1))
    changed = table.astype(object)
    before = changed.iat[row, column]
    after = data.draw(st.one_of(NUMBERS, WORDS, WHOLES, st.booleans()))
    assume(not _same(before, after))
    changed.iat[row, column] = after
    assert fingerprint(changed) != fingerprint(table)


@given(table=tables(), data=st.data())
@SLOWER
def test_a_renamed_column_a_lost_row_and_a_repeated_row_are_seen(table: pd.DataFrame, data: st.DataObject) -> None:
    told = fingerprint(table)
    name = data.draw(st.sampled_from(list(table.columns)))
    assert fingerprint(table.rename(columns={name: f"{name}2"})) != told
    row = data.draw(st.integers(0, len(table) - 1))
    assert fingerprint(table.drop(index=row)) != told
    assert fingerprint(pd.concat([table, table.iloc[[row]]])) != told
    assert fingerprint(table.drop(columns=name)) != told


@given(table=tables(), data=st.data())
@SLOWER
def test_two_cells_that_change_places_are_seen(table: pd.DataFrame, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(list(table.columns)))
    one, other = data.draw(st.tuples(st.integers(0, len(table) - 1), st.integers(0, len(table) - 1)))
    swapped = table.astype(object)
    column = list(table.columns).index(name)
    swapped.iat[one, column], swapped.iat[other, column] = swapped.iat[other, column], swapped.iat[one, column]
    rest = table.drop(columns=name).astype(object)
    alike = _same(table.at[one, name], table.at[other, name]) or all(map(_same, rest.iloc[one], rest.iloc[other]))
    assert (fingerprint(swapped) == fingerprint(table)) == alike


def _same(one: object, other: object) -> bool:
    """Whether two cells are one value: numbers of any kind by size, booleans apart from numbers, every missing one alike."""
    if pd.isna(one) or pd.isna(other):  # type: ignore[call-overload]
        return bool(pd.isna(one) and pd.isna(other))  # type: ignore[call-overload]
    if isinstance(one, bool | np.bool_) != isinstance(other, bool | np.bool_):
        return False
    return bool(one == other)


@pytest.mark.parametrize("suffix", ["xlsx", "arff"])
def test_spreadsheets_and_attribute_files_hold_the_same_content(tmp_path: Path, suffix: str) -> None:
    table = pd.DataFrame({"real": [0.1, 2.5, -1e-7], "whole": [1, 2, 3], "word": ["a b", "c", "d"]})
    path = tmp_path / f"table.{suffix}"
    if suffix == "xlsx":
        table.to_excel(path, index=False, engine="xlsxwriter")
    else:
        rows = "\n".join(f"{row.real!r},{row.whole},'{row.word}'" for row in table.itertuples())
        path.write_text(f"@relation t\n@attribute real numeric\n@attribute whole integer\n@attribute word string\n@data\n{rows}\n")
    assert fingerprint(read_table(path)) == fingerprint(table)

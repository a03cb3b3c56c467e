"""Sketches tell whether two tables share content, through every disguise that the table of recall says."""

import hashlib

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.disguises import CHANGES, cut, one_hot, thinned
from dataset_catalog import NEAR_DUPLICATE, SKETCH_SIZE, CatalogError, similarity, sketch
from dataset_catalog.content._shingles import KINDS
from dataset_catalog.content._sketch import PERMUTATIONS, SKETCH_VERSION
from tests.dataset_catalog.styles import STYLES, people, reviews

CANNOT_BE_SEEN = {
    "figures": {"standardised"},
    "people": {"standardised"},
    "letters": {
        "columns reordered",
        "25% of the columns dropped",
        "50% of the columns dropped",
        "one-hot",
        "categories coded",
        "half the rows, 25% dropped, renamed",
        "half the rows, three digits, reordered",
    },
    "pixels": {"25% of the columns dropped", "50% of the columns dropped", "half the rows, 25% dropped, renamed", "standardised"},
    "reviews": {"one-hot", "categories coded"},
}
"""What content hides, by style; families and listed relatives are for those."""


@pytest.fixture(scope="module")
def originals() -> dict[str, tuple[int, ...]]:
    return {style: sketch(make()) for style, make in STYLES.items()}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("style", STYLES)
def test_relatives_are_found_as_documented(style: str, change: str, originals: dict[str, tuple[int, ...]]) -> None:
    found = similarity(originals[style], sketch(CHANGES[change](STYLES[style]()))) >= NEAR_DUPLICATE
    assert found == (change not in CANNOT_BE_SEEN[style])


def test_strangers_are_not_alike(originals: dict[str, tuple[int, ...]]) -> None:
    for style, make in STYLES.items():
        for other, known in originals.items():
            assert similarity(sketch(make(seed=1)), known) < NEAR_DUPLICATE / 2, (style, other)


def test_a_sketch_is_the_same_on_every_machine(originals: dict[str, tuple[int, ...]]) -> None:
    content = ",".join(map(str, originals["people"])).encode()
    assert hashlib.sha256(content).hexdigest()[:16] == "63e51a7bb9279941"
    assert all(len(each) == SKETCH_SIZE for each in originals.values())


def test_small_tables_are_alike_when_they_are_the_same() -> None:
    table = people(rows=12)
    assert similarity(sketch(table[:6]), sketch(table[:6].sample(frac=1, random_state=0))) == 1
    assert similarity(sketch(table[:6]), sketch(table[6:])) == 0
    assert similarity(sketch(table[:0]), sketch(table[:0])) == 0


def test_columns_that_part_the_rows_are_ignored() -> None:
    table = people()
    parted = table.assign(part=[f"a very long name of part number {row}" for row in range(len(table))])
    assert sketch(parted, ignore=("part",)) == sketch(table)
    assert sketch(parted, ignore=("part", "nothing")) == sketch(table) != sketch(parted)


def test_kinds_of_columns_do_not_matter() -> None:
    days = pd.date_range("2020-01-01", periods=400)
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"day": days, "n": rng.integers(10, 9999, 400), "k": rng.choice(["left", "right"], 400), "b": rng.random(400) < 0.5}
    )
    plain = table.assign(day=days.strftime("%Y-%m-%d"), b=table["b"].astype(int))
    assert sketch(plain) == sketch(table)
    assert sketch(table.astype({"n": "float32", "k": "category", "b": object, "day": object})) == sketch(table)
    assert sketch(table.astype({"n": str, "b": "boolean", "k": "string"})) == sketch(table)


def test_words_are_one_in_any_case_and_punctuation() -> None:
    table = reviews()
    shouted = table.assign(text=table["text"].str.upper().str.replace(" ", " -- ") + "!")
    assert similarity(sketch(shouted), sketch(table)) == 1
    halves = table.assign(text=[text[: len(text) // 2] for text in table["text"]])
    assert similarity(sketch(halves), sketch(table)) >= NEAR_DUPLICATE
    chinese = pd.DataFrame({"text": ["".join(map(chr, np.random.default_rng(row).integers(0x4E00, 0x9000, 60))) for row in range(300)]})
    assert similarity(sketch(chinese.assign(text=chinese["text"].str[:40])), sketch(chinese)) >= NEAR_DUPLICATE


def test_parts_below_a_fortieth_are_beyond_a_sketch() -> None:
    table = people(rows=20_000)
    assert similarity(sketch(thinned(table, 0.05)), sketch(table)) >= NEAR_DUPLICATE
    assert 0 <= similarity(sketch(thinned(table, 0.002)), sketch(table)) <= 1


@given(share=st.floats(0.1, 1), dropped=st.floats(0, 0.3), seed=st.integers(0, 2**31))
@settings(max_examples=15)
def test_any_thinned_and_cut_table_is_found(share: float, dropped: float, seed: int) -> None:
    table = people(rows=800)
    shuffled = thinned(cut(table, dropped), share).sample(frac=1, random_state=seed)
    assert similarity(sketch(one_hot(shuffled)), sketch(table)) >= NEAR_DUPLICATE
    assert similarity(sketch(table), sketch(shuffled)) == similarity(sketch(shuffled), sketch(table))


@pytest.mark.parametrize(
    "odd", [[], [None] * 5, [np.inf, -np.inf, np.nan], [1e308, -1e308, 5e-324], [[1], {"a": 2}, (3,)], ["\ud800", "", "?"]]
)
def test_odd_cells_are_sketched(odd: list) -> None:
    table = pd.DataFrame({"x": pd.Series(odd, dtype=object if not odd or not isinstance(odd[0], float) else None)})
    assert len(sketch(table)) == SKETCH_SIZE
    assert similarity(sketch(table), sketch(people())) == 0


def test_numbers_next_to_a_power_of_ten_are_one_with_it() -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({f"x{number}": 10.0 ** rng.integers(-9, 9, 500) * rng.integers(101, 999, 500) for number in range(6)})
    nearly = table * (1 + 1e-12)
    assert sketch(nearly) == sketch(table)


@pytest.mark.parametrize("strange", [(), (1,) * 64, (3,) + (1,) * (SKETCH_SIZE - 1), (2,) * (SKETCH_SIZE - 1)])
def test_sketches_of_another_version_are_an_error(strange: tuple[int, ...]) -> None:
    with pytest.raises(CatalogError, match="cannot be compared"):
        similarity(strange, sketch(people()))


@pytest.mark.parametrize(("equals", "shared"), [(0, 0), (2, 0), (3, 3 / 128), (64, 64 / 128)])
def test_a_few_equal_numbers_are_chance(equals: int, shared: float) -> None:
    """Of two large tables of one size: numbers drawn from 65,536 meet now and then."""
    counts, kinds = (5000,) * len(KINDS), len(KINDS)
    one = (SKETCH_VERSION, *counts, *range(kinds * PERMUTATIONS))
    other = (
        SKETCH_VERSION,
        *counts,
        *(each if place < equals else each + 10_000 for place, each in enumerate(range(kinds * PERMUTATIONS))),
    )
    assert similarity(one, other) == similarity(other, one) == pytest.approx(2 * shared / (1 + shared))

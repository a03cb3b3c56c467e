"""Held-out data never gets past the guard, by whichever door it comes."""

import numpy as np
import pandas as pd
import pytest

from dataset_catalog import NEAR_DUPLICATE, CatalogError, sketch
from dataset_catalog import similarity as catalogued_similarity
from mining import HeldOut, LeakageError, MiningError, mine, similarity, trial_table
from tests.mining.worlds import SPACES, facts, records, strange_sketch


def mined(rows=None, datasets=None, held_out=None):
    return mine(
        trial_table(rows or records()), datasets or facts(), wide=SPACES, held_out=held_out or HeldOut(), versions={"ludwig": "0.17"}
    )


@pytest.mark.parametrize(
    ("held_out", "told"),
    [
        (HeldOut(fingerprints=frozenset({"fingerprint-d2"})), "fingerprint fingerprint- is held out"),
        (HeldOut(families=frozenset({"family-d2"})), "family family-d2 is held out"),
        (HeldOut(sketches=(strange_sketch(2),), near_duplicate=NEAR_DUPLICATE), "100% of its content"),
    ],
)
def test_a_held_out_dataset_is_refused_and_its_trials_are_named(held_out, told):
    with pytest.raises(LeakageError, match=r"d2 .*12 trials: d2-concat-0000, d2-concat-0001, d2-concat-0002 and 9 more") as caught:
        mined(held_out=held_out)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_one_held_out_trial_among_many_is_enough():
    rows = records()
    rows[5] = rows[5].model_copy(update={"role": "held_out"})
    with pytest.raises(LeakageError, match=r"d0 \(its role is held_out"):
        mined(rows)


def test_a_dataset_of_role_held_out_is_refused_even_without_trials():
    with pytest.raises(LeakageError, match=r"d6 \(its role is held_out; no trial\)"):
        mined(datasets=[*facts(), *facts(["d6"], role="held_out")])


def test_a_renamed_copy_is_found_by_its_rows():
    generator = np.random.default_rng(0)
    table = pd.DataFrame({"a": generator.normal(size=400), "b": generator.integers(0, 9, 400)})
    shuffled = table.sample(frac=0.8, random_state=1).rename(columns={"a": "x"})
    copied = facts(sketch=sketch(shuffled))
    with pytest.raises(LeakageError, match=r"d0 .*content stands in a held-out dataset"):
        mined(datasets=copied, held_out=HeldOut(sketches=(sketch(table),), near_duplicate=NEAR_DUPLICATE))


def test_sketches_that_nothing_says_how_to_compare_are_refused():
    with pytest.raises(MiningError, match="need near_duplicate"):
        HeldOut(sketches=((1, 2),))


def test_a_users_own_trials_are_no_leak_but_are_refused():
    rows = [each.model_copy(update={"role": "user"}) for each in records()]
    with pytest.raises(MiningError, match="role user") as caught:
        mined(rows)
    assert not isinstance(caught.value, LeakageError)


def test_sketches_are_compared_as_the_catalogue_compares_them():
    generator = np.random.default_rng(0)
    table = pd.DataFrame({"a": generator.normal(size=600), "b": generator.normal(size=600).round(3), "c": generator.integers(0, 900, 600)})
    parts = [(0, 600), (0, 300), (200, 500), (500, 600), (0, 20), (0, 0)]
    sketches = [sketch(table.iloc[start:end]) for start, end in parts]
    sketches += [sketch(table[["a", "c"]]), sketch(table.round(2)), sketch(table[["c"]])]
    known, strange = strange_sketch(0), strange_sketch(1)
    sketches += [known, *((*known[: 5 + equal], *strange[5 + equal :]) for equal in (0, 2, 3, 100))]  # two meet by chance
    for one in sketches:
        for other in sketches:
            assert similarity(one, other) == catalogued_similarity(one, other)


@pytest.mark.parametrize("strange", [(), (1, 2), tuple(range(64)), (1, *strange_sketch(0)[1:])])
def test_sketches_that_cannot_be_compared_are_an_error_and_never_a_pass(strange):
    good = strange_sketch(0)
    for compare, error in ((similarity, MiningError), (catalogued_similarity, CatalogError)):
        for one, other in ((strange, good), (good, strange)):
            with pytest.raises(error, match="version 2 with 517 numbers") as caught:
                compare(one, other)
            assert "\n" not in str(caught.value)
    with pytest.raises(MiningError, match="d0: a row sketch is"):
        mined(datasets=facts(sketch=strange), held_out=HeldOut(sketches=(good,), near_duplicate=NEAR_DUPLICATE))

"""Sketches tell whether two tables share rows."""

import numpy as np
import pandas as pd
import pytest

from dataset_catalog import NEAR_DUPLICATE, similarity, sketch


@pytest.fixture
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "n": rng.normal(size=4000),
            "skewed": rng.lognormal(size=4000).round(6),
            "k": rng.choice(["a", "b", "c"], 4000),
            "words": [f"this is review number {number} of many" for number in range(4000)],
            "gone": np.nan,
            "y": rng.choice(["no", "yes"], 4000, p=[0.75, 0.25]),
        }
    )


def test_a_disguised_copy_is_recognised(frame: pd.DataFrame) -> None:
    disguised = frame.sample(frac=1, random_state=1)[frame.columns[::-1]].rename(columns=str.upper).astype({"K": "category"})
    disguised["N"] = disguised["N"].astype(str)
    assert similarity(sketch(disguised), sketch(frame)) == 1
    assert all(0 <= value < 2**53 for value in sketch(frame))


@pytest.mark.parametrize("share", [0.9, 0.5, 0.2])
def test_a_part_is_recognised(frame: pd.DataFrame, share: float) -> None:
    part = frame.sample(frac=share, random_state=2)
    assert similarity(sketch(part), sketch(frame)) >= NEAR_DUPLICATE


def test_strangers_are_not_alike(frame: pd.DataFrame) -> None:
    assert similarity(sketch(frame[:2000]), sketch(frame[2000:])) == 0


def test_small_tables_have_a_sketch_too(frame: pd.DataFrame) -> None:
    assert similarity(sketch(frame[:5]), sketch(frame[:5].sample(frac=1, random_state=0))) == 1
    assert similarity(sketch(frame[:5]), sketch(frame[5:10])) == 0
    assert len(sketch(frame[:0])) == 64

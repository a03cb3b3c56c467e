"""The scikit-learn arms: same split, same rows, same scorer, categories and gaps taken as they are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from automl import Feature, TaskTable
from experiments import ExperimentError
from experiments.validating import ReferenceScore, baselines, constant_reference, encode, ends, hgb_reference


def table(task: str = "binary", rows: int = 400, *, levels: int = 5) -> TaskTable:
    rng = np.random.default_rng(0)
    number = rng.normal(size=rows)
    category = rng.integers(0, levels, size=rows)
    signal = number + (category % 3) + rng.normal(scale=0.3, size=rows)
    truth = {
        "binary": np.where(signal > 1, "yes", "no"),
        "multiclass": np.select([signal < 0.3, signal < 1.5], ["low", "mid"], "high"),
        "regression": signal,
    }[task]
    frame = pd.DataFrame(
        {
            "number": np.where(rng.random(rows) < 0.1, np.nan, number),
            "level": [None if rng.random() < 0.05 else f"l{each}" for each in category],
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(rows), unit="D"),
            "words": ["free text"] * rows,
            "target": truth,
        }
    )
    frame["day"] = frame["day"].astype(str)
    features = (Feature("number", "number"), Feature("level", "category"), Feature("day", "date"), Feature("words", "text"))
    split = np.resize(np.array([0, 0, 0, 0, 0, 0, 0, 1, 2, 2], dtype=np.int8), rows)
    return TaskTable("made", "f", frame, "target", task, features, split, "s", positive="yes" if task == "binary" else None)  # type: ignore[arg-type]


@pytest.mark.parametrize(("task", "better"), [("binary", 1), ("multiclass", -1), ("regression", -1)])
def test_hgb_beats_the_constant_predictor_on_a_signal(task: str, better: int) -> None:
    made = table(task)
    assert better * (hgb_reference(made).score - constant_reference(made).score) > 0


def test_the_constant_predictor_is_what_regret_1_means() -> None:
    assert constant_reference(table("binary")).score == 0.5
    made = table("regression")
    truth = made.frame["target"].to_numpy()
    mean = truth[made.split == 0].mean()
    expected = float(np.sqrt(np.mean((truth[made.split == 2] - mean) ** 2)))
    assert constant_reference(made).score == pytest.approx(expected)


def test_the_test_part_teaches_nothing() -> None:
    made = table("regression")
    before = encode(made).frame[made.split == 0]
    altered = made.frame.copy()
    altered.loc[made.split == 2, "number"] = 1e6
    altered.loc[made.split == 2, "level"] = "never seen"
    other = TaskTable("made", "f", altered, "target", "regression", made.features, made.split, "s")
    pd.testing.assert_frame_equal(before, encode(other).frame[made.split == 0])
    assert encode(other).frame.loc[made.split == 2, "c1"].isna().all()


def test_more_levels_than_hgb_can_bin_are_capped() -> None:
    made = table("binary", rows=6000, levels=3000)
    assert len(encode(made).frame["c1"].cat.categories) == 254
    assert hgb_reference(made).score > 0.5


def test_free_text_is_left_out_and_named() -> None:
    assert encode(table()).left_out == ("words",)


def test_a_table_of_free_text_alone_scores_as_the_constant_predictor() -> None:
    made = table("binary")
    only = TaskTable("made", "f", made.frame, "target", "binary", (Feature("words", "text"),), made.split, "s", positive="yes")
    assert hgb_reference(only).score == 0.5


@pytest.mark.parametrize("task", ["binary", "regression"])
def test_frozen_ends_are_the_best_baseline_and_the_constant_predictor(task: str) -> None:
    made = table(task, rows=300)
    scores = list(baselines(made))
    entry = ends("made", made, scores, constant_reference(made))
    best = (max if task == "binary" else min)(each.score for each in scores)
    assert entry.best == pytest.approx(best, rel=1e-7)
    assert entry.reference == pytest.approx(constant_reference(made).score, rel=1e-7)
    assert "baselines" in entry.how
    assert entry.best_by


def test_a_dataset_that_nothing_learns_has_no_scale() -> None:
    made = table("binary")
    with pytest.raises(ExperimentError, match="no baseline beats"):
        ends("made", made, [ReferenceScore("linear model", 0.49, 0.0)], ReferenceScore("constant predictor", 0.5, 0.0))

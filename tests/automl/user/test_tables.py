"""From anybody's frame to a task table."""

import numpy as np
import pandas as pd
import pytest

from automl import AutoMLError, make_task_table
from automl._columns import safe_names
from automl._tables import ready_table
from dataset_catalog import Split


def frame(rows=200, seed=0):
    rng = np.random.default_rng(seed)
    amount = rng.normal(size=rows)
    return pd.DataFrame(
        {"a.b": amount, 'say "x"': rng.choice(list("pqr"), rows), "split": rng.normal(size=rows), "y": (amount > 0).astype(int)}
    )


def test_a_table_does_not_depend_on_the_order_of_its_rows():
    rows = frame()
    one = make_task_table(rows, "y", name="t")
    other = make_task_table(rows.sample(frac=1, random_state=3), "y", name="t")
    pd.testing.assert_frame_equal(one.frame, other.frame)
    assert (one.split == other.split).all()
    assert (one.split_id, one.fingerprint) == (other.split_id, other.fingerprint)


def test_features_are_typed_on_training_rows_alone():
    rows = frame()
    before = make_task_table(rows, "y", name="t")
    split = Split(before.split, before.split_id)
    plain = before.frame.rename(columns=dict(zip(before.frame.columns, ["a.b", 'say "x"', "split", "y"], strict=True)))
    altered = plain.astype({"a.b": object})
    altered.loc[before.split == 2, "a.b"] = "not a number"
    after = make_task_table(altered, "y", name="t", split=split)
    assert after.features == before.features
    assert after.frame["a_b"][after.split == 2].isna().all()


def test_unsafe_names_are_renamed_and_kept_beside():
    ready = ready_table(frame(), "y", name="t")
    assert {column.name: column.feature for column in ready.columns} == {"a.b": "a_b", 'say "x"': "say_x", "split": "column_split"}


@pytest.mark.parametrize("labels", [["0", "1"], [0.0, 1.0], [True, False], ["no", "yes"]])
def test_class_labels_become_strings_and_a_binary_task_knows_its_positive_class(labels):
    rows = frame().assign(y=lambda each: np.where(each["y"] == 1, labels[1], labels[0]))
    table = make_task_table(rows, "y", name="t")
    assert table.task == "binary"
    assert table.positive in set(table.frame["y"])
    assert all(isinstance(label, str) for label in table.frame["y"])


def test_rows_without_a_target_are_dropped_and_said():
    rows = frame().astype({"y": float})
    rows.loc[:9, "y"] = np.nan
    ready = ready_table(rows, "y", name="t")
    assert len(ready.table.frame) == 190
    assert ready.notes == ("10 rows without a target were dropped",)


def test_a_class_of_one_row_goes_to_training():
    rows = frame().assign(y=lambda each: np.where(each["y"] == 1, "yes", "no"))
    rows.loc[0, "y"] = "maybe"
    table = make_task_table(rows, "y", name="t")
    assert table.split[table.frame["y"] == "maybe"].tolist() == [0]


def test_the_row_cap_holds():
    assert len(make_task_table(frame(), "y", name="t", row_cap=90).frame) == 90


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda rows: rows.head(12), "at least 20"),
        (lambda rows: rows[["y"]], "no column but 'y'"),
        (lambda rows: rows.assign(y=["a"] * 199 + ["b"]), "one class"),
        (lambda rows: rows.assign(y=1), "constant"),
    ],
)
def test_tables_that_cannot_be_learnt_from_are_refused_in_one_line(change, said):
    with pytest.raises(AutoMLError) as caught:
        make_task_table(change(frame()), "y", name="t")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_binary_task_needs_two_classes():
    with pytest.raises(AutoMLError, match="has 3 classes"):
        make_task_table(frame().assign(y=lambda each: np.arange(len(each)) % 3), "y", name="t", task="binary")


def test_safe_names_are_different_and_safe_ones_stay():
    names = ["a", "a b", "a.b", "a_b", "", "naïve", "日本", "split", "1st", "x" * 200, 'q"', "A"]
    chosen = safe_names(names)
    assert chosen["a"] == "a"
    assert chosen["a_b"] == "a_b"
    assert len(set(chosen.values())) == len(names)
    assert all(name.replace("_", "a").isalnum() and name.isascii() and len(name) < 80 for name in chosen.values())
    assert chosen == safe_names(reversed(names))

"""The card's split rule is what trials learn under."""

import numpy as np
import pandas as pd
import pytest

from dataset_catalog import CatalogError, Dataset, canonical_order, card, fingerprint
from experiments._task_tables import task_table


def dataset(**rule) -> Dataset:
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    frame = pd.DataFrame({"x": x, "part": np.resize(["training", "training", "test"], 300), "y": np.where(x > 0, "1", "2")})
    frame = canonical_order(frame)
    phoneme = card("phoneme")
    made = phoneme.model_copy(update={"target": "y", "split": phoneme.split.model_copy(update=rule)})
    return Dataset(made, frame, fingerprint(frame))


def test_shares_and_seed_are_the_cards():
    usual, other = task_table(dataset()), task_table(dataset(validation_share=0.25, test_share=0.5))
    assert np.bincount(usual.split).tolist() == [210, 30, 60]
    assert np.bincount(other.split).tolist() == [75, 75, 150]
    reseeded = task_table(dataset(seed=1))
    assert reseeded.split_id == task_table(dataset(), seed=1).split_id != usual.split_id


def test_a_column_parts_the_rows_and_is_no_feature():
    made = dataset(kind="column", column="part")
    table = task_table(made)
    assert [each.name for each in table.features] == ["x"]
    assert ((table.split == 2) == (made.frame["part"] == "test").to_numpy()).all()
    assert (table.split == 1).sum() == 30
    capped = task_table(made, row_cap=90)
    tests = set(made.frame.loc[made.frame["part"] == "test", "x"])
    assert len(capped.frame) == 90
    assert [value in tests for value in capped.frame["x"]] == (capped.split == 2).tolist()


@pytest.mark.parametrize(("column", "said"), [("y", "none of the"), ("z", "none of the"), ("x", "by training, validation")])
def test_a_column_that_parts_nothing_is_one_line(column, said):
    with pytest.raises(CatalogError, match=said) as caught:
        task_table(dataset(kind="column", column=column))
    assert "\n" not in str(caught.value)

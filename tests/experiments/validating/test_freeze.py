"""Freezing a user's own suite: what is missing is computed and written, what stands is never moved."""

from __future__ import annotations

import pytest

from automl import TaskTable
from dataset_catalog import Catalog, Dataset, card
from experiments._scales import ScaleBook
from experiments.sweeping import find_sweep, load_sweep
from experiments.validating import _freeze, freeze_suite, freeze_training, load_suite
from experiments.validating._held_out import HeldOutTable

TEXT = """\
# my own suite
name: mine
datasets:
- {name: bank_marketing, best: 0.9, reference: 0.5, how: by hand}
- {name: concrete}
model_types: [concat]
budget: {trials: 4, epochs: 3}
seeds: [0, 1]
"""


@pytest.fixture
def loaded(monkeypatch, plan) -> list[str]:
    asked: list[str] = []
    table: TaskTable = plan.tables["concrete"].table

    def load(name, suite, catalog):
        asked.append(name)
        return HeldOutTable(Dataset(card(name), table.frame, table.fingerprint), table)

    monkeypatch.setattr(_freeze, "load_held_out", load)
    return asked


def test_missing_ends_are_written_and_standing_ones_kept(tmp_path, loaded) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text(TEXT, encoding="utf-8")
    said: list[str] = []
    frozen = freeze_suite(path, Catalog(tmp_path), say=said.append)
    assert loaded == ["concrete"]
    assert load_suite(path) == frozen
    bank, concrete = frozen.datasets
    assert (bank.best, bank.reference, bank.how) == (0.9, 0.5, "by hand")
    assert concrete.best < concrete.reference
    assert path.read_text(encoding="utf-8").startswith("# my own suite\n")
    assert any("constant predictor" in each for each in said)


def test_a_frozen_suite_is_left_as_it_is(tmp_path, loaded) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text(TEXT, encoding="utf-8")
    freeze_suite(path, Catalog(tmp_path), say=lambda _: None)
    before = path.read_bytes()
    freeze_suite(path, Catalog(tmp_path), say=lambda _: None)
    assert path.read_bytes() == before
    assert loaded == ["concrete"]


def test_a_dry_run_writes_nothing(tmp_path, loaded) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text(TEXT, encoding="utf-8")
    assert not freeze_suite(path, Catalog(tmp_path), say=lambda _: None, write=False).unfrozen
    assert path.read_text(encoding="utf-8") == TEXT


def test_the_ends_of_training_datasets_are_validation_scores_and_stay_once_they_stand(tmp_path, plan) -> None:
    table: TaskTable = plan.tables["concrete"].table
    path = tmp_path / "scales" / "training.yaml"
    said: list[str] = []
    book = freeze_training(path, [table], say=said.append)
    (ends,) = book.scales
    assert ScaleBook.load(path) == book
    assert book.find(table.fingerprint, table.row_cap, table.split_id) == ends
    assert book.find(table.fingerprint, 50, table.split_id) is None
    assert book.find(table.fingerprint, table.row_cap, "another split") is None
    assert ends.best < ends.reference
    training, validation = (table.frame.loc[table.split == part, "y"] for part in (0, 1))
    assert ends.reference == pytest.approx(float(((validation - training.mean()) ** 2).mean() ** 0.5))
    said.clear()
    assert freeze_training(path, [table], say=said.append) == book
    assert said == []


def test_the_shipped_ends_are_of_the_demos_datasets_as_the_catalogue_has_them() -> None:
    book = ScaleBook.load()
    for name in ("demo", "demo-short"):
        spec = load_sweep(find_sweep(name))
        frozen = {each.name: each for each in book.scales if each.row_cap == spec.row_cap}
        for dataset in spec.datasets:
            assert frozen[dataset].fingerprint == card(dataset).fingerprint
            assert (frozen[dataset].best > frozen[dataset].reference) == (card(dataset).metric == "auc")

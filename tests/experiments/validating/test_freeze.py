"""Freezing a user's own suite: what is missing is computed and written, what stands is never moved."""

from __future__ import annotations

import pytest

from automl import TaskTable
from dataset_catalog import Dataset, card
from experiments.validating import _freeze, freeze_suite, load_suite
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

    def load(name, suite, cache):
        asked.append(name)
        return HeldOutTable(Dataset(card(name), table.frame, table.fingerprint), table)

    monkeypatch.setattr(_freeze, "load_held_out", load)
    return asked


def test_missing_ends_are_written_and_standing_ones_kept(tmp_path, loaded) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text(TEXT, encoding="utf-8")
    said: list[str] = []
    frozen = freeze_suite(path, tmp_path, say=said.append)
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
    freeze_suite(path, tmp_path, say=lambda _: None)
    before = path.read_bytes()
    freeze_suite(path, tmp_path, say=lambda _: None)
    assert path.read_bytes() == before
    assert loaded == ["concrete"]


def test_a_dry_run_writes_nothing(tmp_path, loaded) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text(TEXT, encoding="utf-8")
    assert not freeze_suite(path, tmp_path, say=lambda _: None, write=False).unfrozen
    assert path.read_text(encoding="utf-8") == TEXT

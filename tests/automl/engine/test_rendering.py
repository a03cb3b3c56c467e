from __future__ import annotations

import dataclasses
import subprocess
import sys

import pandas as pd
import pytest

from automl import AutoMLError, Feature, canonical_config, ludwig_frame, render_config, trial_id
from automl._devices import device_class


def test_rendering_is_pure_and_repeats(make_table):
    table = make_table()
    hyperparameters = {"combiner.dropout": 0.1, "trainer.optimizer.type": "adamw"}
    first, second = (render_config(table, "concat", hyperparameters, epochs=2, seed=3) for _ in range(2))
    assert canonical_config(first) == canonical_config(second)
    assert first["combiner"] == {"type": "concat", "dropout": 0.1}
    assert first["trainer"]["optimizer"] == {"type": "adamw"}
    first["input_features"][0]["preprocessing"]["normalization"] = "minmax"
    assert canonical_config(render_config(table, "concat", hyperparameters, epochs=2, seed=3)) == canonical_config(second)


@pytest.mark.parametrize("path", ["trainer.epochs", "input_features.x", "combiner.type", "dropout", "preprocessing.split.type"])
def test_what_the_engine_sets_is_no_hyperparameter(path, make_table):
    with pytest.raises(AutoMLError, match="cannot be a hyperparameter"):
        render_config(make_table(), "concat", {path: 1}, epochs=1)


def test_auto_values_are_refused(make_table):
    with pytest.raises(AutoMLError, match="'auto'"):
        render_config(make_table(), "concat", {"trainer.learning_rate": "auto"}, epochs=1)


def test_the_id_changes_with_what_determines_the_result_and_with_nothing_else(make_table):
    table = make_table()

    def known(table=table, model_type="concat", hyperparameters=None, seed=0, epochs=2, device_class="cpu"):
        return trial_id(table, model_type, hyperparameters or {}, seed=seed, epochs=epochs, device_class=device_class)

    others = {
        known(model_type="tabnet"),
        known(hyperparameters={"combiner.dropout": 0.2}),
        known(seed=1),
        known(epochs=3),
        known(device_class="cuda"),
        known(dataclasses.replace(table, fingerprint="other")),
        known(dataclasses.replace(table, split_id="other")),
        known(dataclasses.replace(table, row_cap=100)),
        known(dataclasses.replace(table, features=table.features[:2])),
    }
    assert len(others | {known()}) == 10
    assert known(dataclasses.replace(table, name="renamed")) == known()
    assert len(known()) == 32


def test_the_package_and_its_ids_need_no_heavy_import():
    code = "import automl, sys; automl.engine_versions(); print([m for m in ('ludwig', 'torch', 'ray', 'sklearn') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_the_device_is_chosen_by_the_environment(monkeypatch):
    monkeypatch.setenv("LODE_DEVICE", "mps")
    assert device_class() == "mps"
    monkeypatch.setenv("LODE_DEVICE", "abacus")
    with pytest.raises(AutoMLError, match="LODE_DEVICE is 'abacus'"):
        device_class()


def test_cells_are_made_plain_for_ludwig():
    frame = pd.DataFrame(
        {
            "n": ["1", "oops", None],
            "c": [1.0, 2.0, None],
            "t": ["some words", None, ""],
            "d": ["2020-01-31", None, "not a date"],
            "b": [True, False, None],
        }
    )
    kinds = {"n": "number", "c": "category", "t": "text", "d": "date", "b": "binary"}
    ready = ludwig_frame(frame, [Feature(name, kind) for name, kind in kinds.items()])
    assert ready["n"].isna().tolist() == [False, True, True]
    assert ready["c"].tolist() == ["1", "2", "<missing>"]
    assert ready["t"].tolist() == ["some words", "", ""]
    assert ready["d"].tolist() == ["2020-01-31T00:00:00", "1970-01-01", "1970-01-01"]
    assert ready["b"].tolist() == ["True", "False", "<missing>"]

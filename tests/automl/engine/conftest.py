from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
import pytest

from automl import Feature, TaskTable, TrialRequest, trial_id


def build_table(task="binary", rows=240, seed=0, name="toy"):
    """Two numbers (one with gaps), a category (with gaps); the target follows from them."""
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=rows), rng.normal(size=rows)
    level = rng.choice(["a", "b", "c"], rows)
    signal = x - z + (level == "a")
    frame = pd.DataFrame({"x": x, "z": z, "level": level.astype(object)})
    frame.loc[rng.random(rows) < 0.1, "z"] = np.nan
    frame.loc[rng.random(rows) < 0.1, "level"] = None
    if task == "binary":
        frame["y"] = np.where(signal > 0.3, "yes", "no").astype(object)
    elif task == "multiclass":
        frame["y"] = np.select([signal < -0.5, signal < 1.0], ["low", "mid"], "high").astype(object)
    else:
        frame["y"] = 1000.0 + 50.0 * signal
    split = np.zeros(rows, dtype=np.int8)
    split[int(rows * 0.6) : int(rows * 0.8)] = 1
    split[int(rows * 0.8) :] = 2
    return TaskTable(
        name=name,
        fingerprint=f"{name}-{task}-{rows}-{seed}",
        frame=frame,
        target="y",
        task=task,
        features=(Feature("x", "number"), Feature("z", "number"), Feature("level", "category")),
        split=split,
        split_id="s0",
        positive="yes" if task == "binary" else None,
    )


def build_request(table, model_type="concat", *, seed=1, epochs=3, rate=0.01, batch=32, time_limit=None, save_model_to=None, **more):
    hyperparameters = {"trainer.learning_rate": rate, "trainer.batch_size": batch} | more
    if model_type == "concat":
        hyperparameters = {"combiner.num_fc_layers": 1, "combiner.output_size": 32} | hyperparameters
    elif model_type == "ft_transformer":
        hyperparameters = {"combiner.hidden_size": 16, "combiner.num_heads": 2, "combiner.num_layers": 1} | hyperparameters
    elif model_type == "tabnet":
        hyperparameters = {"combiner.size": 8, "combiner.output_size": 8} | hyperparameters
    known = trial_id(table, "concat", {}, seed=seed, epochs=epochs)
    return TrialRequest(known, table, model_type, hyperparameters, seed, epochs, time_limit, save_model_to, {"sweep_id": "s"})


@pytest.fixture(scope="session")
def prepared_root(tmp_path_factory):
    return tmp_path_factory.mktemp("prepared")


@pytest.fixture(scope="session")
def engine(prepared_root):
    from automl import TrialEngine

    engine = TrialEngine(prepared_root, device="cpu")
    engine.warm_up()
    return engine


@pytest.fixture(scope="session")
def make_table():
    return build_table


@pytest.fixture(scope="session")
def make_request():
    return build_request

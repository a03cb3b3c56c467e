from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from automl import Feature, TaskTable


def make_table(task="binary", rows=240, seed=0, name="toy", positive="yes"):
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
    features = (Feature("x", "number"), Feature("z", "number"), Feature("level", "category"))
    return TaskTable(
        name=name,
        fingerprint=f"{name}-{task}-{rows}-{seed}",
        frame=frame,
        target="y",
        task=task,
        features=features,
        split=split,
        split_id="s0",
        positive=positive if task == "binary" else None,
    )


@pytest.fixture
def table():
    return make_table()

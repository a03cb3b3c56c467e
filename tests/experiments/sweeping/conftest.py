import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from automl import TaskTable, TrialEngine, TrialRequest, TrialResult, make_task_table
from experiments import Home
from experiments.journaling import JournalRecorder
from experiments.sweeping import SweepPlan, SweepSpec, plan_tables


class InProcessPool:
    """The real engine, one trial after another, without Ray; ``most`` trials at most, as if the driver were killed then."""

    workers = 1

    def __init__(self, home: Home, most: int = 1000) -> None:
        self._engine = TrialEngine(home.prepared, JournalRecorder(home.journal))
        self.most = most
        self.ran: list[str] = []

    def wait_ready(self, *, at_least: int | None = None) -> list[int]:
        return [os.getpid()]

    def run(self, requests: Iterable[TrialRequest]) -> Iterator[TrialResult]:
        for request in requests:
            if len(self.ran) == self.most:
                raise KeyboardInterrupt
            result = self._engine.run(request)
            self.ran.append(request.trial_id)
            yield result


def make_table(name: str, seed: int) -> TaskTable:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"x": rng.normal(size=120), "level": rng.choice(["a", "b", "c"], 120)})
    frame["y"] = np.where(frame["x"] + 0.3 * rng.normal(size=120) > 0, "yes", "no")
    return make_task_table(frame, "y", name=name, positive="yes")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    monkeypatch.setenv("LODE_HOME", str(tmp_path / "home"))
    return Home.find()


@pytest.fixture
def spec() -> SweepSpec:
    return SweepSpec.model_validate(
        {"name": "toy", "datasets": ["one", "two"], "model_types": ["concat"], "configurations": {"count": 2}, "epochs": 2}
    )


@pytest.fixture
def toy_plan(spec: SweepSpec) -> SweepPlan:
    return plan_tables(spec, {"one": make_table("one", 1), "two": make_table("two", 2)}, {"one": "ones", "two": "twos"})

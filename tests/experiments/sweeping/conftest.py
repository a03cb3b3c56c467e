import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from automl import EpochReport, OnEpoch, Status, TaskTable, TrialEngine, TrialRequest, TrialResult, make_task_table
from experiments import Home
from experiments.journaling import JournalRecorder
from experiments.sweeping import SweepPlan, SweepSpec, plan_tables

FAMILIES = {"one": "ones", "two": "twos"}


class InProcessPool:
    """The real engine, one trial after another, without Ray; ``most`` trials at most, as if the driver were killed then."""

    workers = 1

    def __init__(self, home: Home, most: int = 1000) -> None:
        self._engine = TrialEngine(home.prepared, JournalRecorder(home.journal))
        self.most = most
        self.ran: list[str] = []

    def wait_ready(self, *, at_least: int | None = None) -> list[int]:
        return [os.getpid()]

    def submit(self, request: TrialRequest, on_epoch: OnEpoch | None = None) -> Future[TrialResult]:
        future: Future[TrialResult] = Future()
        if len(self.ran) == self.most:
            future.set_exception(KeyboardInterrupt())
            return future
        try:
            future.set_result(self._engine.run(request, on_epoch))
            self.ran.append(request.trial_id)
        except Exception as fault:
            future.set_exception(fault)
        return future


class FakePool:
    """Answers at once, with records but without training: ``fate`` says how a trial's ``n``-th try ends, by its place in the plan."""

    def __init__(self, home: Home, fate: Callable[[TrialRequest, int], Status] = lambda _request, _number: "completed", workers: int = 2):
        self.workers = workers
        self.tries: list[str] = []
        self.ran: list[str] = []
        self._recorder = JournalRecorder(home.journal)
        self._fate = fate
        self._threads = ThreadPoolExecutor(workers)
        self.refused = False

    def wait_ready(self, *, at_least: int | None = None) -> list[int]:
        return [os.getpid()]

    def submit(self, request: TrialRequest, on_epoch: OnEpoch | None = None) -> Future[TrialResult]:
        return self._threads.submit(self.answer, request, on_epoch)

    def answer(self, request: TrialRequest, on_epoch: OnEpoch | None) -> TrialResult:
        self.tries.append(request.trial_id)
        status = self._fate(request, self.tries.count(request.trial_id))
        score = int(request.trial_id[:6], 16) / 16**6
        curve = []
        for epoch in range(1, request.epochs + 1):
            curve.append(EpochReport(epoch, epoch, 0.001 * epoch, score))
            if on_epoch is not None and epoch < request.epochs and not on_epoch(curve[-1]):
                status = "stopped_early"
                break
        result = fake_result(request, status, tuple(curve), score, refused=self.refused)
        if status != "preempted" and (result.refused or status not in request.again):
            self._recorder.record(request, result)
        self.ran.append(request.trial_id)
        return result


def fake_result(request: TrialRequest, status: Status, curve: tuple[EpochReport, ...], score: float, *, refused: bool = False):
    return TrialResult(
        trial_id=request.trial_id,
        model_type=request.model_type,
        hyperparameters=dict(request.hyperparameters),
        status=status,
        metric="auc",
        direction="maximize",
        validation_score=score if status in ("completed", "stopped_early") else None,
        test_score=None,
        extra_scores={},
        curve=curve,
        train_seconds=0.01,
        prepare_seconds=0.0,
        wall_seconds=0.02,
        peak_memory_bytes=2**20,
        n_parameters=1,
        config="{}",
        device="cpu",
        node_type="here",
        versions={},
        started_at=datetime.now(UTC),
        error=None if status in ("completed", "stopped_early") else f"it was {status}",
        refused=refused,
    )


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
    return plan_tables(spec, {"one": make_table("one", 1), "two": make_table("two", 2)}, FAMILIES)

"""How a sweep of thousands of trials fares with the journal, on this disk: a real sweep whose trainer is a fake that answers at once.

Run: ``python -m benchmarks.journal [--trials 5000] [--json]``. Each trial's record is flushed and renamed into place by the recorder, as a
worker does it, while the driver tallies and packs records into parts. Printed are trials a second, the last thousand against the first, the
seconds that a resume takes to find its place, what reading costs, and what one look at a running sweep costs that
reads only what is new. State goes to a temporary folder below the working directory.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from concurrent.futures import Future
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd

from automl import EpochReport, OnEpoch, TrialRequest, TrialResult, engine_versions, make_task_table, scorer_for
from experiments import Home
from experiments.journaling import Journal, JournalRecorder
from experiments.sweeping import SweepPlan, SweepSpec, plan_tables, run_plan

EPOCHS = 20


class FakePool:
    """A pool whose trials take no time, journaled as a worker journals them; ``ended`` is when each was there."""

    workers = 1

    def __init__(self, home: Home) -> None:
        self._recorder = JournalRecorder(home.journal)
        self.ended: list[float] = []

    def wait_ready(self, *, at_least: int | None = None) -> list[int]:
        """Return this process."""
        return [os.getpid()]

    def submit(self, request: TrialRequest, on_epoch: OnEpoch | None = None) -> Future[TrialResult]:
        """Answer with a drawn curve of usual length and a configuration of usual size."""
        result = _result(request)
        self._recorder.record(request, result)
        future: Future[TrialResult] = Future()
        future.set_result(result)
        self.ended.append(time.perf_counter())
        return future


def _result(request: TrialRequest) -> TrialResult:
    scorer = scorer_for(request.table.task)
    score = int(request.trial_id[:8], 16) / 2**32
    return TrialResult(
        trial_id=request.trial_id,
        model_type=request.model_type,
        hyperparameters=dict(request.hyperparameters),
        status="completed",
        metric=scorer.metric,
        direction=scorer.direction,
        validation_score=score,
        test_score=score,
        extra_scores={"accuracy": score},
        curve=tuple(EpochReport(each, each, each / 10, score, 0.5) for each in range(1, EPOCHS + 1)),
        train_seconds=2.0,
        prepare_seconds=0.0,
        wall_seconds=2.0,
        peak_memory_bytes=2**30,
        n_parameters=1000,
        config="x" * 4000,
        device="cpu",
        node_type="local",
        versions=engine_versions(),
        started_at=datetime.now(UTC),
    )


def planned(trials: int) -> SweepPlan:
    """Plan a sweep of one drawn table."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=200), "level": rng.choice(list("abc"), 200)})
    frame["y"] = np.where(frame["x"] > 0, "yes", "no")
    spec = SweepSpec.model_validate(
        {"name": "journal", "datasets": ["drawn"], "model_types": ["concat"], "configurations": {"count": trials}, "epochs": EPOCHS}
    )
    return plan_tables(spec, {"drawn": make_task_table(frame, "y", name="drawn")}, {"drawn": "drawn"})


def measure(trials: int, folder: Path) -> dict[str, float]:
    """Run the sweep, resume it, and read it; return the figures."""
    home, plan = Home(folder), planned(trials)
    count = len(plan.manifest.trials)
    thousand = min(1000, count // 2)
    pool, began = FakePool(home), time.perf_counter()
    assert run_plan(plan, home, pool=pool, track=False).ran == count
    whole = time.perf_counter() - began
    moments = [began, *pool.ended]
    places: list[float] = []
    first, last = moments[thousand] - moments[0], moments[-1] - moments[-1 - thousand]
    resumed = time.perf_counter()
    assert run_plan(plan, home, pool=FakePool(home), track=False, progress=lambda _: places.append(time.perf_counter())).reused == count
    resumed = places[0] - resumed
    reading = _reading(home, plan.sweep_id)
    known = [trial.trial_id for trial in plan.manifest.trials[thousand:]]
    look = time.perf_counter()
    assert len(Journal(home.journal).records(plan.sweep_id, without=frozenset(known))) == thousand
    look = time.perf_counter() - look
    parts = len(list((home.journal / plan.sweep_id / "parts").glob("*.parquet")))
    return {
        "trials": count,
        "trials_per_second": (len(moments) - 1) / (moments[-1] - moments[0]),
        "whole_sweep_seconds": whole,
        "first_thousand_seconds": first,
        "last_thousand_seconds": last,
        "last_to_first": last / first,
        "resume_seconds": resumed,
        "parts": parts,
        "read_seconds_per_1000": reading,
        "look_at_the_newest_thousand_seconds": look,
    }


def _reading(home: Home, sweep_id: str) -> float:
    began = time.perf_counter()
    count = len(Journal(home.journal).records(sweep_id))
    return 1000 * (time.perf_counter() - began) / count


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=5000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=".", prefix=".benchmark-") as folder:
        figures = measure(given.trials, Path(folder).resolve())
    if given.json:
        print(json.dumps(figures, indent=1, sort_keys=True))
        return
    print(f"{figures['trials']:.0f} trials journaled: {figures['trials_per_second']:.0f} trials/s (wanted: 100 or more)")
    print(
        f"last thousand {figures['last_thousand_seconds']:.2f} s, first {figures['first_thousand_seconds']:.2f} s:"
        f" ratio {figures['last_to_first']:.2f} (wanted: at most 1.2)"
    )
    print(f"a resume finds its place in {figures['resume_seconds']:.2f} s (wanted: at most 5)")
    print(
        f"{figures['parts']:.0f} parts were packed meanwhile; reading takes {figures['read_seconds_per_1000']:.2f} s a thousand trials,"
        f" a look at the newest thousand {figures['look_at_the_newest_thousand_seconds']:.2f} s"
    )


if __name__ == "__main__":
    main()

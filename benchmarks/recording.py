"""How fast trials are journaled and logged to MLflow, on this machine: records a second, and their cost beside a two-second trial.

What logging takes from trials is measured, too: how long the driver takes to hand a trial to the background, and a fixed piece of work in a
process of its own, while nothing is logged and while the background logs as fast as it can.

Run: ``python -m benchmarks.recording [RECORDS]`` (200 by default). State goes to a temporary folder.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from experiments import Home
from experiments.journaling import Journal
from experiments.tracking import BackgroundTracker, SweepRun, Tracker
from mining import CurvePoint, TrialRecord

TRIAL_SECONDS = 2.0
EPOCHS = 20


def make_record(number: int) -> TrialRecord:
    """Return a record of usual size: twelve hyperparameters, a curve of twenty epochs, a configuration of some kilobytes."""
    return TrialRecord(
        trial_id=f"{number:032x}",
        sweep_id="benchmark",
        dataset="synthetic",
        fingerprint="f1-0",
        family="synthetic",
        role="training",
        task="binary",
        target="y",
        row_cap=None,
        rows=2000,
        columns=20,
        split_id="s1-0",
        model_type="concat",
        hyperparameters={f"combiner.parameter_{index}": index / 7 for index in range(12)},
        config="x" * 4000,
        seed=0,
        fidelity=EPOCHS,
        epochs_run=EPOCHS,
        status="completed",
        metric="auc",
        direction="maximize",
        validation_score=0.8,
        test_score=0.8,
        extra_scores={"accuracy": 0.8},
        curve=tuple(CurvePoint(epoch=each, step=each, seconds=each / 10, score=0.8, train_loss=0.5) for each in range(1, EPOCHS + 1)),
        train_seconds=TRIAL_SECONDS,
        prepare_seconds=0.0,
        wall_seconds=TRIAL_SECONDS,
        peak_memory_bytes=2**30,
        n_parameters=1000,
        device="cpu",
        node_type="local",
        versions={"ludwig": "0"},
        started_at=datetime.now(UTC),
    )


def main() -> None:
    """Journal and log records, and print the rates."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    os.environ.pop("MLFLOW_TRACKING_URI", None)
    records = [make_record(number) for number in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        journal = Journal(home.journal)
        began = time.perf_counter()
        for record in records:
            journal.append(record)
        journaled = (time.perf_counter() - began) / count
        began = time.perf_counter()
        assert len(journal.records()) == count
        read = (time.perf_counter() - began) / count
        began = time.perf_counter()
        tracker = Tracker(home, SweepRun("benchmark", "benchmark"))
        opened = time.perf_counter() - began
        began, processor = time.perf_counter(), time.process_time()
        for record in records:
            tracker.log(record)
        logged = (time.perf_counter() - began) / count
        worked = (time.process_time() - processor) / count
        idle, busy, handed = beside_logging(home, records)
    share = 100 * journaled / TRIAL_SECONDS
    print(f"journal: {1 / journaled:.0f} records/s written, {1 / read:.0f} read; {share:.2f} % of a two-second trial")
    print(
        f"MLflow: {1 / logged:.1f} trials/s logged (in the background), {1000 * worked:.0f} ms of processor each; opened in {opened:.1f} s"
    )
    print(
        f"handing a trial to the background: {1e6 * handed:.0f} µs; work beside logging at full speed takes {busy / idle:.2f} times as long"
    )


def beside_logging(home: Home, records: list[TrialRecord]) -> tuple[float, float, float]:
    """Return seconds of a piece of work in another process without and with logging going on, and the driver's seconds a record."""
    work = [
        sys.executable,
        "-c",
        "import time; began = time.perf_counter(); sum(i * i for i in range(10**7)); print(time.perf_counter() - began)",
    ]
    idle = min(float(subprocess.check_output(work)) for _ in range(3))
    tracker = BackgroundTracker(home, SweepRun("beside", "beside"))
    tracker.start()
    began = time.perf_counter()
    for record in records:
        tracker.put(record)
    handed = (time.perf_counter() - began) / len(records)
    busy = min(float(subprocess.check_output(work)) for _ in range(3))
    assert tracker.close(patience=600).waiting == 0
    return idle, busy, handed


if __name__ == "__main__":
    main()

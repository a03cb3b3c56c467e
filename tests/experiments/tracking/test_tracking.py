import shlex
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from experiments import Home
from experiments.journaling import Journal
from experiments.tracking import BackgroundTracker, SweepFigures, SweepRun, Tracker, TrackingError, connect, shown, sync, ui_command
from mining import CurvePoint, TrialRecord

RUN = SweepRun("s1", "toy sweep", parameters={"epochs": "2"})


def make_record(trial_id: str, **changes: object) -> TrialRecord:
    content: dict[str, object] = {
        "trial_id": trial_id,
        "sweep_id": "s1",
        "dataset": "toy",
        "fingerprint": "f",
        "family": "toys",
        "role": "training",
        "task": "binary",
        "target": "y",
        "row_cap": None,
        "rows": 3,
        "columns": 1,
        "split_id": "x",
        "model_type": "concat",
        "hyperparameters": {"trainer.learning_rate": 0.01, "combiner.norm": None},
        "config": "{}",
        "seed": 0,
        "fidelity": 2,
        "epochs_run": 2,
        "status": "completed",
        "metric": "auc",
        "direction": "maximize",
        "validation_score": 0.8,
        "test_score": 0.7,
        "curve": [CurvePoint(epoch=1, step=1, seconds=0.1, score=0.5), CurvePoint(epoch=2, step=2, seconds=0.2, score=0.8, train_loss=0.3)],
        "train_seconds": 0.2,
        "prepare_seconds": 0.0,
        "wall_seconds": 0.3,
        "peak_memory_bytes": 2**20,
        "n_parameters": 4,
        "device": "cpu",
        "node_type": "local",
        "versions": {"ludwig": "0.17.10"},
        "started_at": datetime(2026, 1, 1, tzinfo=UTC),
    }
    return TrialRecord.model_validate(content | changes)


def everything(home: Home) -> dict[str, dict[str, object]]:
    """Return all that MLflow holds of a home's runs but the ids that it gave out, by trial id (the parent as ``parent``)."""
    client = connect(home)
    experiment = client.get_experiment_by_name("motherlode")
    runs = list(client.search_runs([experiment.experiment_id]))
    (parent,) = (run.info.run_id for run in runs if run.data.tags["lode.kind"] == "sweep")
    found = {}
    for run in runs:
        told = dict(run.data.tags)
        assert told.pop("mlflow.parentRunId", parent) == parent
        found[told.get("lode.trial_id", "parent")] = {
            "state": (run.info.status, run.info.start_time, run.info.end_time, run.info.run_name),
            "parameters": dict(run.data.params),
            "tags": told,
            "metrics": {
                name: sorted((each.timestamp, each.step, each.value) for each in client.get_metric_history(run.info.run_id, name))
                for name in run.data.metrics
            },
        }
    return found


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    return Home(tmp_path / "home")


@pytest.fixture
def count_runs(home: Home) -> Callable[[], int]:
    def count() -> int:
        client = connect(home)
        experiment = client.get_experiment_by_name("motherlode")
        return len(client.search_runs([experiment.experiment_id], "tags.`lode.kind` = 'trial'"))

    return count


def test_a_sweep_is_a_parent_and_its_trials_are_children(home: Home) -> None:
    tracker = Tracker(home, RUN)
    assert tracker.log(make_record("t1"))
    assert tracker.log(make_record("t2", status="failed", validation_score=None, test_score=None, curve=[], error="no luck"))
    tracker.finish(SweepFigures.of("s1", [make_record("t1")]))
    client = connect(home)
    experiment = client.get_experiment_by_name("motherlode")
    runs = {run.data.tags.get("lode.trial_id"): run for run in client.search_runs([experiment.experiment_id])}
    parent, child = runs[None], runs["t1"]
    assert child.data.tags["mlflow.parentRunId"] == parent.info.run_id
    assert parent.data.params == {"epochs": "2"}
    assert parent.data.metrics == {"trials": 1.0, "failed": 0.0, "reused": 0.0, "train_seconds": 0.2, "best_auc.toy": 0.8}
    assert parent.info.end_time == child.info.end_time
    assert child.data.params["trainer.learning_rate"] == "0.01"
    assert child.data.params["combiner.norm"] == "None"
    assert child.data.metrics["test_auc"] == 0.7
    assert child.data.metrics["peak_memory_mib"] == 1.0
    assert [(each.step, each.value) for each in client.get_metric_history(child.info.run_id, "validation_auc")] == [(1, 0.5), (2, 0.8)]
    assert (child.info.status, runs["t2"].info.status) == ("FINISHED", "FAILED")
    assert runs["t2"].data.tags["lode.error"] == "no luck"
    assert child.info.end_time - child.info.start_time == 300


def test_a_replay_logs_each_trial_once(home: Home, count_runs: Callable[[], int]) -> None:
    journal = Journal(home.journal)
    for number in range(3):
        journal.append(make_record(f"t{number}"))
    assert sync(home, RUN).logged == 3
    journal.append(make_record("t3"))
    report = sync(home, RUN)
    assert (report.logged, report.already) == (1, 3)
    assert count_runs() == 4


def test_a_half_written_run_is_written_anew(home: Home, count_runs: Callable[[], int]) -> None:
    tracker = Tracker(home, RUN)
    tracker._client.create_run(  # what a process killed between two calls leaves behind
        tracker._experiment, tags={"lode.kind": "trial", "lode.sweep_id": "s1", "lode.trial_id": "t1"}
    )
    Journal(home.journal).append(make_record("t1"))
    assert sync(home, RUN).logged == 1
    assert count_runs() == 1


def test_one_sweep_in_two_homes_has_runs_of_its_own_in_each(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/shared.db")
    runs = [replace(RUN, started=1_700_000_000_000 + number) for number in range(2)]
    first, second = (Tracker(each, run) for each, run in zip((home, Home(tmp_path / "other")), runs, strict=True))
    assert first.log(make_record("t1"))
    half = first._client.create_run(first._experiment, tags=first._mark | {"lode.kind": "trial", "lode.sweep_id": "s1"})
    third = Tracker(Home(tmp_path / "other"), runs[1])  # resumed while the first is at work
    assert not third.known
    assert first._client.get_run(half.info.run_id).info.lifecycle_stage == "active"
    assert second.log(make_record("t1"))
    for tracker in (first, second):
        tracker.finish(SweepFigures.of("s1", [make_record("t1")]))
    assert len({first._parent, second._parent}) == 2
    assert third._parent == second._parent
    assert Tracker(home, runs[0]).known == Tracker(Home(tmp_path / "other"), runs[1]).known == {"t1"}
    assert first._client.get_run(half.info.run_id).info.lifecycle_stage == "deleted"  # by its own home


def test_runs_of_an_earlier_version_are_taken_for_ones_own(home: Home, count_runs: Callable[[], int]) -> None:
    run = replace(RUN, started=1_700_000_000_000)
    tracker = Tracker(home, run)
    tracker.log(make_record("t1"))
    for run_id in (tracker._parent, *tracker._known.values()):
        tracker._client.delete_tag(run_id, "lode.begun")
    Journal(home.journal).append(make_record("t1"))
    assert sync(home, run).already == 1
    assert count_runs() == 1


def test_a_server_that_failed_is_tried_again_after_pauses_that_double(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BackgroundTracker, "_log_all", fail)
    tracker = BackgroundTracker(home, RUN)
    pauses: list[float] = []

    def note(_closing: Callable[[], bool], timeout: float) -> None:
        pauses.append(timeout)
        tracker._closing = len(pauses) == 9

    monkeypatch.setattr(tracker._changed, "wait_for", note)
    tracker._keep_logging()
    assert pauses == [5, 10, 20, 40, 80, 160, 300, 300, 300]


def fail(_tracker: BackgroundTracker) -> None:
    raise TrackingError("away")


def test_a_server_that_is_away_loses_nothing(home: Home, monkeypatch: pytest.MonkeyPatch, count_runs: Callable[[], int]) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    record = make_record("t1")
    Journal(home.journal).append(record)
    tracker = BackgroundTracker(home, RUN)
    tracker.start()
    tracker.put(record)
    report = tracker.close(patience=30)
    assert report.waiting == 1
    assert "127.0.0.1:9" in (report.error or "")
    with pytest.raises(TrackingError, match="cannot be used"):
        sync(home, RUN)
    monkeypatch.delenv("MLFLOW_TRACKING_URI")
    assert sync(home, RUN).logged == 1
    assert sync(home, RUN).logged == 0
    assert count_runs() == 1


def test_the_background_logs_what_it_is_given(home: Home, count_runs: Callable[[], int]) -> None:
    tracker = BackgroundTracker(home, RUN)
    tracker.start()
    for number in range(5):
        tracker.put(make_record(f"t{number}"))
    tracker.put(make_record("t0"))
    report = tracker.close(patience=60)
    assert (report.logged, report.already, report.waiting, report.error) == (5, 1, 0, None)
    assert count_runs() == 5


def test_a_replay_gives_the_same_runs_as_an_undisturbed_sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    records = [
        make_record("t1"),
        make_record("t2", status="failed", validation_score=None, test_score=None, curve=[], error="no luck", train_seconds=0.1),
        make_record("t3", validation_score=0.9, dataset="other set (2)", train_seconds=0.7),
    ]
    homes = Home(tmp_path / "undisturbed"), Home(tmp_path / "away")
    for home in homes:
        for record in records:
            Journal(home.journal).append(record)
        Journal(home.journal).write_manifest("s1", {"trials": [record.trial_id for record in records]})
    run = SweepRun("s1", "toy sweep", parameters={"epochs": "2"}, started=1_700_000_000_000)
    tracker = BackgroundTracker(homes[0], run)
    tracker.start()
    for record in reversed(records):
        tracker.put(record)
    assert tracker.close(patience=60).error is None
    assert sync(homes[1], run).logged == 3
    undisturbed, replayed = (everything(home) for home in homes)
    assert replayed == undisturbed
    assert len(replayed) == 4
    for _ in range(2):
        assert sync(homes[1], run).logged == 0
        assert everything(homes[1]) == undisturbed


def test_a_server_that_comes_back_is_told_what_it_missed(
    home: Home, monkeypatch: pytest.MonkeyPatch, count_runs: Callable[[], int]
) -> None:
    home.root.mkdir()
    blocked = home.root / "blocked"
    blocked.write_text("a file where the database's folder should be")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{blocked}/mlflow.db")
    tracker = BackgroundTracker(home, RUN, first_pause=0.05)
    tracker.start()
    tracker.put(make_record("t1"))
    until = time.monotonic() + 60
    while tracker._error is None and time.monotonic() < until:
        time.sleep(0.02)
    assert "cannot be used" in (tracker._error or "")
    blocked.unlink()
    tracker.put(make_record("t2"))
    report = tracker.close(patience=60)
    assert (report.logged, report.waiting, report.error) == (2, 0, None)
    assert count_runs() == 2


def test_the_command_that_shows_it(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, *rest = shlex.split(ui_command(Home(tmp_path / "my home")))
    assert Path(program).is_file()
    assert rest == ["ui", "--backend-store-uri", f"sqlite:///{tmp_path}/my home/mlflow.db"]
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://tracking.example:5000")
    assert shlex.split(ui_command(home))[1:] == ["-m", "webbrowser", "http://tracking.example:5000"]


@pytest.mark.parametrize(
    ("uri", "told"),
    [
        ("postgresql://me:s3cr:et@host/db", "postgresql://me:***@host/db"),
        ("http://me:s3cret@host:5000", "http://me:***@host:5000"),
        ("http://me:s3/cr@et@host:5000", "http://me:***@host:5000"),
        ("postgresql://host/db?user=me&password=s3cret", "postgresql://host/db?user=me&password=***"),
        ("http://host:5000/a@b", "http://host:5000/a@b"),
        ("sqlite:////some/where.db", "sqlite:////some/where.db"),
    ],
)
def test_no_password_is_shown(uri: str, told: str) -> None:
    assert shown(uri) == told


def test_a_tracking_server_that_is_away_is_told_without_its_password(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://me:s3cret@127.0.0.1:1")
    with pytest.raises(TrackingError) as caught:
        connect(home)
    assert "s3cret" not in str(caught.value)
    assert "me:***@" in str(caught.value)

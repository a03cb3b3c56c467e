import errno
import json
import multiprocessing
import warnings
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from automl import EpochReport, Feature, TaskTable, TrialRequest, TrialResult
from experiments import ExperimentError
from experiments.journaling import Journal, JournalRecorder, build_record, compact
from mining import TrialRecord


def make_request(trial_id: str = "abc123", **labels: str) -> TrialRequest:
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": ["a", "b", "a"]})
    table = TaskTable("toy", "f" * 16, frame, "y", "binary", (Feature("x", "number"),), np.array([0, 1, 2], np.int8), "split0", 3, "b")
    return TrialRequest(
        trial_id,
        table,
        "concat",
        {"trainer.learning_rate": 0.01, "combiner.num_fc_layers": 2, "combiner.norm": None, "flag": True},
        7,
        3,
        labels={"sweep_id": "s1", "role": "training", "dataset": "toy", "family": "toys"} | labels,
    )


def make_result(request: TrialRequest, **changes: object) -> TrialResult:
    result = TrialResult(
        trial_id=request.trial_id,
        model_type=request.model_type,
        hyperparameters=request.hyperparameters,
        status="completed",
        metric="auc",
        direction="maximize",
        validation_score=0.7,
        test_score=0.6,
        extra_scores={"accuracy": 0.5, "nonsense": float("nan")},
        curve=(EpochReport(1, 1, 0.1, 0.6, 1.0), EpochReport(2, 2, 0.2, float("inf"), float("nan"))),
        train_seconds=0.2,
        prepare_seconds=0.1,
        wall_seconds=0.4,
        peak_memory_bytes=10,
        n_parameters=5,
        config="{}",
        device="cpu",
        node_type="local",
        versions={"ludwig": "0.17.10"},
        started_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    return replace(result, **changes)  # type: ignore[arg-type]


def make_record(trial_id: str = "abc123", sweep_id: str = "s1", **changes: object) -> TrialRecord:
    request = make_request(trial_id, sweep_id=sweep_id)
    return build_record(request, make_result(request, **changes))


def test_a_record_survives_the_disk_unchanged(tmp_path: Path) -> None:
    record = make_record()
    assert Journal(tmp_path).append(record)
    assert Journal(tmp_path).records("s1") == [record]
    assert Journal(tmp_path).get("abc123") == record
    kept = Journal(tmp_path).records()[0]
    assert {name: type(value) for name, value in kept.hyperparameters.items()} == {
        "trainer.learning_rate": float,
        "combiner.num_fc_layers": int,
        "combiner.norm": type(None),
        "flag": bool,
    }
    assert kept.curve[1].score is None
    assert "nonsense" not in kept.extra_scores


def test_the_recorder_writes_once(tmp_path: Path) -> None:
    request = make_request()
    recorder = JournalRecorder(tmp_path)
    recorder.record(request, make_result(request))
    recorder.record(request, make_result(request, validation_score=0.1))
    assert [each.validation_score for each in Journal(tmp_path).records()] == [0.7]
    assert Journal(tmp_path).has("abc123")
    assert not Journal(tmp_path).has("abc124")


def test_a_trial_settled_elsewhere_is_referred_to(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.append(make_record(sweep_id="s1"))
    assert not journal.append(make_record(sweep_id="s2"))
    assert len(journal.records()) == 1
    assert [each.sweep_id for each in journal.records("s2")] == ["s1"]
    assert journal.summary("s2").references == 1


def test_a_users_trial_is_copied_under_the_sweeps_own_labels(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    request = make_request(sweep_id="mine", role="user", dataset="table.csv", family="table.csv")
    journal.append(build_record(request, make_result(request)))
    (own,) = journal.answers({"abc123"})["abc123"]
    for _ in range(2):
        copied = journal.adopt(own, sweep_id="s1", dataset="toy", family="toys", role="training")
    assert copied == own.model_copy(update={"sweep_id": "s1", "dataset": "toy", "family": "toys", "role": "training"})
    assert journal.records("s1") == [copied]
    assert journal.records(role="training") == [copied]
    assert journal.records("mine") == journal.records(role="user") == [own]
    assert journal.adopt(copied, sweep_id="s2", dataset="toy", family="toys", role="training") == copied
    assert journal.summary("s2").references == 1


def test_a_stopped_trial_gives_way_to_a_settled_one(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.append(make_record(status="stopped_early", curve=(EpochReport(1, 1, 0.1, 0.6),)))
    assert not journal.has("abc123")
    journal.append(make_record(status="stopped_early"))
    assert journal.records()[0].epochs_run == 2
    journal.append(make_record())
    assert [each.status for each in journal.records("s1")] == ["completed"]
    assert journal.has("abc123")


def test_a_trial_that_timed_out_stays_open_for_more_time(tmp_path: Path) -> None:
    journal = Journal(tmp_path)

    def late(limit: float) -> TrialRecord:
        request = replace(make_request(), time_limit=limit)
        return build_record(request, make_result(request, status="timed_out"))

    journal.append(late(10.0))
    assert not journal.has("abc123")
    assert journal.answers({"abc123"}, 5.0)["abc123"][0].time_limit == 10.0
    assert not journal.answers({"abc123"}, 20.0)
    assert not journal.answers({"abc123"}, None)
    assert journal.append(late(20.0))  # as many epochs, but more time
    assert journal.records("s1") == [late(20.0)]
    journal.refer("s2", "abc123", "s1")
    assert journal.records("s2") == [late(20.0)]
    journal.append(make_record())
    assert journal.answers({"abc123"}, None)["abc123"][0].status == "completed"
    assert [each.status for each in journal.records("s1")] == ["completed"]


def test_an_unreadable_record_is_counted_and_made_good(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.append(make_record("one"))
    journal.append(make_record("two"))
    path = next(tmp_path.rglob("two.json"))
    path.write_bytes(path.read_bytes()[:40])
    with pytest.warns(UserWarning, match="1 records of the journal could not be read"):
        assert [each.trial_id for each in journal.records()] == ["one"]
    assert not journal.has("two")
    assert journal.append(make_record("two"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(journal.records()) == 2


def test_a_record_that_cannot_be_read_now_is_not_set_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path)
    journal.append(make_record("one"))

    def refuse(_path: Path) -> bytes:
        raise OSError(errno.EMFILE, "too many open files")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "read_bytes", refuse)
        with pytest.raises(OSError, match="too many open files"):
            journal.append(make_record("one"))
    assert journal.has("one")


def test_names_cannot_leave_the_journal(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match="no sweep id"):
        Journal(tmp_path).records("../elsewhere")
    with pytest.raises(ExperimentError, match="no trial id"):
        Journal(tmp_path).append(make_record("../../x"))


def test_labels_are_asked_for() -> None:
    request = make_request(role="")
    with pytest.raises(ExperimentError, match="labels lack role"):
        build_record(request, make_result(request))


def _append(root: str, start: int) -> None:
    for number in range(20):
        Journal(Path(root)).append(make_record(f"t{number}", started_at=datetime(2026, 1, 1, start, tzinfo=UTC)))


def test_many_writers_leave_one_record_a_trial(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_append, args=(str(tmp_path), hour)) for hour in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    assert len(Journal(tmp_path).records()) == 20
    assert not list(tmp_path.rglob(".writing-*"))


def test_compaction_keeps_every_trial(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    journal.append(make_record("one"))
    journal.append(make_record("two", status="failed", validation_score=None, curve=(), error="no"))
    (path,) = compact(journal, tmp_path / "trials")
    frame = pd.read_parquet(path)
    assert frame["trial_id"].tolist() == ["one", "two"]
    assert [json.loads(value) for value in frame["param.trainer.learning_rate"]] == [0.01, 0.01]
    assert len(journal.records()) == 2


@pytest.mark.parametrize("torn", [b"", b'{"trials": [', b"[]"])
def test_a_torn_plan_says_how_to_mend_it_and_is_written_anew(tmp_path: Path, torn: bytes) -> None:
    journal = Journal(tmp_path)
    assert journal.write_manifest("s1", {"trials": []})
    (tmp_path / "s1" / "plan.json").write_bytes(torn)
    with pytest.raises(ExperimentError, match=r"is damaged: run the file of this sweep again"):
        journal.manifest("s1")
    assert journal.write_manifest("s1", {"trials": []})
    assert journal.manifest("s1") == {"trials": []}
    assert (tmp_path / "s1" / "plan.unreadable").read_bytes() == torn

"""Trials of another home, in this one's journal."""

import json
import multiprocessing
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dataset_catalog import card
from experiments._errors import ExperimentError
from experiments._home import Home
from experiments._mine import mine_sweeps
from experiments.commands import run
from experiments.importing import _finding, import_trials
from experiments.journaling import Journal, _intake
from experiments.sweeping import SweepPlan, SweepSpec, alone, plan_tables, run_plan, unfinished_sweep
from mining import TrialRecord
from tests.experiments.sweeping.conftest import FakePool, make_table

from .trials import made, written


def counts(outcome) -> tuple[int, ...]:
    (count,) = outcome.files
    return count.rows, count.taken, count.known, count.contradicting, count.refused


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl"])
def test_what_one_home_exports_another_holds_equal(home: Home, tmp_path, monkeypatch, suffix) -> None:
    records = [
        *made(),
        *made(["letter"], sweep="there-2", status="failed", validation_score=None, test_score=None, curve=(), error="no\nmore"),
        *made(["diamonds"], 1, sweep="there-2", status="timed_out", time_limit=1.5),
    ]
    there = tmp_path / "there"
    for each in records:
        Journal(there / "journal").append(each)
    path = tmp_path / f"trials{suffix}"
    monkeypatch.setenv("LODE_HOME", str(there))
    assert run(["trials", "export", str(path)]) == 0
    monkeypatch.setenv("LODE_HOME", str(home.root))
    assert run(["trials", "import", str(path)]) == 0
    journal = Journal(home.journal)
    assert journal.records() == Journal(there / "journal").records()
    assert journal.sweeps() == ["there-1", "there-2"]
    assert not journal.has("diamonds-000")  # over its time limit: open to whoever gives it more
    assert counts(import_trials([str(path)], home)) == (13, 0, 13, 0, 0)
    assert journal.summary("there-2").trials == 5


def test_imported_trials_are_mined_and_never_resumed(home: Home, tmp_path, capsys) -> None:
    records = made(["adult", "california", "diamonds", "letter", "phoneme", "telco_churn"], 12)
    import_trials([written(tmp_path / "t.parquet", records)], home)
    assert mine_sweeps(home).provenance.trials == mine_sweeps(home, ["there-1"]).provenance.trials == 72
    with pytest.raises(ExperimentError, match="no unfinished sweep"):
        unfinished_sweep(home)
    capsys.readouterr()
    assert run(["sweep", "status", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sweeps"] == []
    assert run(["sweep", "resume"]) == 2
    assert run(["sweep", "resume", "there-1"]) == 2
    assert "there-1 has trials in" in capsys.readouterr().err.splitlines()[-1]
    assert run(["trials", "list", "--sweep", "there-1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["total"] == 72


@pytest.fixture
def sweep() -> SweepPlan:
    """A sweep of a table that passes for a catalogued one."""
    described = card("adult")
    table = make_table("adult", 1)
    frame = table.frame.rename(columns={"y": described.target})
    from automl import make_task_table

    named = make_task_table(frame, described.target, name="adult", positive="yes", fingerprint=described.fingerprint)
    spec = {"name": "toy", "datasets": ["adult"], "model_types": ["concat"], "configurations": {"count": 4}, "epochs": 2}
    return plan_tables(SweepSpec.model_validate(spec), {"adult": named}, {"adult": described.family})


def test_a_sweep_of_the_same_file_runs_nothing_twice(home: Home, tmp_path, sweep: SweepPlan) -> None:
    there = Home(tmp_path / "there")
    run_plan(sweep, there, pool=FakePool(there), track=False)
    records = Journal(there.journal).records(sweep.sweep_id)
    assert counts(import_trials([written(tmp_path / "some.jsonl", records[:3])], home)) == (3, 3, 0, 0, 0)
    pool = FakePool(home)
    outcome = run_plan(sweep, home, pool=pool, track=False)
    assert (outcome.ran, outcome.reused) == (1, 3)
    assert pool.ran == [records[3].trial_id]
    other = Home(tmp_path / "other")
    import_trials([written(tmp_path / "all.parquet", records)], other)
    assert run_plan(sweep, other, pool=FakePool(other), track=False).ran == 0
    assert Journal(other.journal).records(sweep.sweep_id) == records
    with pytest.raises(ExperimentError, match="no unfinished sweep"):
        unfinished_sweep(other)


def test_a_running_sweep_is_left_alone(home: Home, tmp_path) -> None:
    path = written(tmp_path / "t.parquet", made())
    with alone(home, "there-1"), pytest.raises(ExperimentError, match="there-1 is being run by another process"):
        import_trials([path], home)
    assert Journal(home.journal).records() == []


def test_a_contradiction_is_told_and_not_taken(home: Home, tmp_path, capsys) -> None:
    ours, *rest = made(["adult"])
    journal = Journal(home.journal)
    journal.append(ours)
    slower = ours.model_copy(update={"train_seconds": 9.0, "sweep_id": "there-2"})
    better = rest[0].model_copy(update={"validation_score": 0.99})
    journal.append(rest[0].model_copy(update={"sweep_id": "here"}))
    path = written(tmp_path / "t.jsonl", [slower, better, rest[1], rest[1].model_copy(update={"test_score": 0.5})])
    assert run(["trials", "import", path, "--dry-run", "--json"]) == 1
    dry = json.loads(capsys.readouterr().out)
    assert len(journal.records()) == 2
    assert run(["trials", "import", path, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert {**dry, "written": True} == told
    assert told["files"][0] | {"file": ""} == {"file": "", "rows": 4, "taken": 1, "known": 1, "contradicting": 2, "refused": 0}
    assert [(each["row"], each["kind"]) for each in told["skipped"]] == [(2, "contradicts"), (4, "contradicts")]
    assert "(here): validation_score" in told["skipped"][0]["reason"]
    assert "0.99 in the row" in told["skipped"][0]["reason"]
    assert journal.records("there-2") == [ours]  # by reference
    assert {each.trial_id: each for each in journal.records()}[better.trial_id].validation_score == rest[0].validation_score
    assert run(["trials", "import", path]) == 1
    shown = capsys.readouterr()
    assert "row 2, contradicts: the journal holds another result" in shown.err


def test_a_censored_trial_gives_way_as_in_a_sweep(home: Home, tmp_path) -> None:
    whole = made(["adult"], 1)[0]
    stopped = whole.model_copy(update={"status": "stopped_early", "epochs_run": 2, "curve": whole.curve[:2]})
    first, second = written(tmp_path / "a.jsonl", [stopped]), written(tmp_path / "b.jsonl", [whole])
    assert counts(import_trials([first], home))[1:3] == (1, 0)
    assert counts(import_trials([first], home))[1:3] == (0, 1)
    assert counts(import_trials([second], home))[1:3] == (1, 0)
    assert Journal(home.journal).records() == [whole]
    assert counts(import_trials([first], home))[1:3] == (0, 1)
    changed = stopped.model_copy(update={"validation_score": 0.123})
    other = Home(tmp_path / "other")
    import_trials([first], other)
    assert counts(import_trials([written(tmp_path / "c.jsonl", [changed])], other))[3] == 1


def test_a_damaged_record_of_the_journal_is_made_good(home: Home, tmp_path) -> None:
    records = made(["adult"])
    for each in records:
        Journal(home.journal).append(each)
    torn = home.journal / "there-1" / "trials" / "adult-001.json"
    torn.write_bytes(torn.read_bytes()[:30])
    assert counts(import_trials([written(tmp_path / "t.parquet", records)], home))[1:3] == (1, 3)
    assert Journal(home.journal).records() == records
    assert torn.with_suffix(".unreadable").exists()


def _import_and_die(path: str, root: str, step: int) -> None:
    """Import, and die by SIGKILL just before the ``step``-th thing that is done to the disk."""
    left = [step]

    def counted(act: Callable[..., Any]) -> Callable[..., Any]:
        def acting(*arguments: Any, **options: Any) -> Any:
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return act(*arguments, **options)

        return acting

    for name in ("fsync", "unlink", "replace", "link", "rename", "mkdir"):
        setattr(os, name, counted(getattr(os, name)))
    import_trials([path], Home(Path(root)))
    os._exit(7)


@pytest.mark.slow
def test_kill_9_at_every_step_of_an_import_leaves_nothing_half_written(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(_intake, "RECORDS_A_PART", 3)
    records: list[TrialRecord] = [
        *made(),
        *made(["letter"], 1, sweep="there-2"),
        *made(["diamonds"], 1, sweep="there-2", status="stopped_early"),
    ]
    records.sort(key=lambda each: each.trial_id)
    path = written(tmp_path / "t.parquet", records)
    import_trials([path], Home(tmp_path / "warm"))  # what is imported late is imported before the fork
    context, step, killed = multiprocessing.get_context("fork"), 0, 0
    while True:
        step += 1
        home = Home(tmp_path / str(step))
        importing = context.Process(target=_import_and_die, args=(path, str(home.root), step))
        importing.start()
        importing.join()
        assert importing.exitcode in (7, -signal.SIGKILL)
        killed += importing.exitcode != 7
        stands = Journal(home.journal).records()
        assert [each for each in records if each in stands] == stands
        taken, known = counts(import_trials([path], home))[1:3]
        assert taken + known == len(records)
        assert known == len(stands)
        assert Journal(home.journal).records() == records
        assert counts(import_trials([path], home))[1:3] == (0, len(records))
        shutil.rmtree(home.root)
        if importing.exitcode == 7:
            break
    assert killed > 15


def test_a_shipped_table_goes_by_its_name(home: Home, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(_finding, "TABLES_FOLDER", tmp_path / "tables")
    assert run(["trials", "import", "dozen"]) == 2
    assert capsys.readouterr().err == "lode: no such file of trials: dozen; tables shipped: none\n"
    (tmp_path / "tables").mkdir()
    written(tmp_path / "tables" / "dozen.parquet", made())
    written(tmp_path / "tables" / "score.parquet", made())
    assert run(["trials", "import", "nothing"]) == 2
    assert "tables shipped: dozen, score" in capsys.readouterr().err
    assert run(["trials", "import", "dozens"]) == 2
    assert "did you mean dozen?" in capsys.readouterr().err
    assert run(["trials", "import", "dozen"]) == 0
    assert len(Journal(home.journal).records("there-1")) == 8


@pytest.mark.parametrize(
    ("name", "said"), [("t.csv", "CSV cannot tell"), ("t.pkl", "trials are read from files"), ("folder.parquet", "is a folder")]
)
def test_other_files_are_one_line(home: Home, tmp_path, capsys, name, said) -> None:
    (tmp_path / "t.csv").write_text("trial_id\n")
    (tmp_path / "t.pkl").write_bytes(b"x")
    (tmp_path / "folder.parquet").mkdir()
    assert run(["trials", "import", str(tmp_path / name)]) == 2
    told = capsys.readouterr().err.strip()
    assert said in told
    assert "\n" not in told

"""How a sweep is seen from another terminal, and plans that cannot be read."""

import errno
import json
import math
import os
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from filelock import FileLock

from automl import Status, TrialRequest
from experiments import Home
from experiments.commands import _sweep_show
from experiments.commands._root import run
from experiments.journaling import Journal
from experiments.sweeping import Spent, SweepBudget, SweepPlan, SweepProgress, SweepSpec, SweepTally, look, plan_tables, run_plan
from experiments.sweeping._manifests import alone
from experiments.tracking import _sync
from experiments.tracking._background import tracking_lock

from .conftest import FAMILIES, FakePool, make_table


def test_a_running_sweep_is_followed_to_its_end(home: Home, spec: SweepSpec) -> None:
    planned = plan_tables(spec.model_copy(update={"epochs": 3}), {"one": make_table("one", 1)}, {"one": "ones"})
    watcher: list[subprocess.Popen[str]] = []

    def slowly(_request: TrialRequest, _number: int) -> Status:
        if not watcher:
            command = [sys.executable, "-c", "from experiments.commands import main; main()"]
            arguments = ["sweep", "status", "--watch", "--json", "--every", "0.2"]
            watcher.append(subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, text=True))
            assert watcher[0].stdout is not None
            first.append(watcher[0].stdout.readline())
        time.sleep(0.1)
        return "completed"

    first: list[str] = []
    run_plan(planned, home, pool=FakePool(home, slowly, workers=1), track=False)
    rest = watcher[0].communicate(timeout=60)[0].splitlines()
    assert watcher[0].returncode == 0
    looks = [json.loads(line) for line in [*first, *rest]]
    assert looks[0]["state"] in ("starting", "running")
    assert (looks[-1]["state"], looks[-1]["done"], looks[-1]["planned"]) == ("complete", 2, 2)
    assert [each["done"] for each in looks] == sorted(each["done"] for each in looks)
    assert {"dataset", "running", "stopped", "failed", "best", "seconds_left"} <= looks[0]["datasets"][0].keys()


def test_one_look_at_a_sweep_that_nobody_runs(home: Home, toy_plan: SweepPlan, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sweep", "status", "--watch"]) == 2
    assert "no sweep in" in capsys.readouterr().err
    run_plan(toy_plan, home, pool=FakePool(home), track=False)
    (home.journal / toy_plan.sweep_id / "progress.json").write_text("{torn")
    progress, running = look(home, toy_plan.sweep_id)
    assert (progress.done, progress.planned, running) == (4, 4, False)
    assert run(["sweep", "status", "--watch"]) == 0
    assert f"{toy_plan.sweep_id}: complete, 4 of 4 done, 0 running, 0 stopped, 0 failed" in capsys.readouterr().out


def test_what_is_not_known_yet_is_not_told_as_nothing(home: Home, toy_plan: SweepPlan) -> None:
    tally = SweepTally.of(toy_plan.manifest)
    told = SweepProgress(toy_plan.sweep_id, "starting", datetime.now(UTC), 1, "", Spent(), 4, 0, tuple(tally.datasets.values()))
    assert _sweep_show._line(told, True).endswith(": starting, 0 of 4 done, 0 running, 0 stopped, 0 failed, – left")


def test_no_more_trials_run_than_there_are_workers(toy_plan: SweepPlan) -> None:
    tally = SweepTally.of(toy_plan.manifest)
    tally.now_running([toy_plan.manifest.datasets[0].name] * 2, workers=1)
    assert tally.running == 1


@pytest.mark.parametrize(
    "changed",
    [{"at": "2026-01-01T00:00:00"}, {"pid": 2**70}, {"pid": -1}, {"datasets": None}, "[" * 100_000, "[]", {"spent": {"seconds": math.inf}}],
    ids=["no time zone", "no process id", "negative", "no datasets", "deep", "a list", "endless"],
)
def test_what_no_driver_wrote_is_left_for_the_journal(home: Home, toy_plan: SweepPlan, changed: dict | str) -> None:
    run_plan(toy_plan, home, pool=FakePool(home), track=False)
    path = home.journal / toy_plan.sweep_id / "progress.json"
    told = json.loads(path.read_text()) | {"state": "running", "at": datetime.now(UTC).isoformat(), "pid": os.getpid(), "done": 1}
    path.write_text(json.dumps(told))
    assert look(home, toy_plan.sweep_id)[0].done == 1
    path.write_text(changed if isinstance(changed, str) else json.dumps(told | changed))
    progress, running = look(home, toy_plan.sweep_id)
    assert (progress.done, progress.planned, running) == (4, 4, False)


def test_a_watch_ends_with_a_driver_that_was_killed(home: Home, toy_plan: SweepPlan, capsys: pytest.CaptureFixture[str]) -> None:
    run_plan(toy_plan, home, pool=FakePool(home), track=False)
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    path = home.journal / toy_plan.sweep_id / "progress.json"
    told = json.loads(path.read_text()) | {"state": "running", "at": datetime.now(UTC).isoformat(), "pid": gone.pid, "done": 1}
    path.write_text(json.dumps(told))
    next((home.journal / toy_plan.sweep_id / "trials").glob("*.json")).unlink()
    assert run(["sweep", "status", "--watch", "--json", toy_plan.sweep_id]) == 0
    (look_,) = capsys.readouterr().out.splitlines()
    assert (json.loads(look_)["state"], json.loads(look_)["done"]) == ("interrupted", 3)


def test_a_sweep_that_goes_on_is_not_told_to_have_ended_before_it_says_so_itself(home: Home, toy_plan: SweepPlan) -> None:
    short = plan_tables(toy_plan.manifest.spec.model_copy(update={"budget": SweepBudget(trials=1)}), toy_plan.tables, FAMILIES)
    run_plan(short, home, pool=FakePool(home), track=False)
    assert "its budget is spent" in (look(home, short.sweep_id)[0].ended or "")
    with alone(home, short.sweep_id):
        progress, running = look(home, short.sweep_id)
        assert (progress.state, progress.ended, progress.done, running) == ("starting", None, 1, True)


def test_a_sweep_that_runs_keeps_no_other_from_being_logged(
    home: Home, toy_plan: SweepPlan, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = plan_tables(toy_plan.manifest.spec.model_copy(update={"name": "other", "epochs": 3}), toy_plan.tables, FAMILIES)
    for each in (toy_plan, other):
        run_plan(each, home, pool=FakePool(home), track=False)
    monkeypatch.setattr(_sync, "_LOCK_SECONDS", 0.1)
    with FileLock(tracking_lock(home, toy_plan.sweep_id)):
        assert run(["sweep", "sync", "--json"]) == 0
        told = capsys.readouterr()
        assert [(each["sweep_id"], each["logged"]) for each in json.loads(told.out)["sweeps"]] == [(other.sweep_id, 4)]
        assert f"left out: another process is logging {toy_plan.sweep_id}" in told.err
        assert run(["sweep", "sync", toy_plan.sweep_id]) == 2


def test_no_name_leads_out_of_the_journal(home: Home, toy_plan: SweepPlan, capsys: pytest.CaptureFixture[str]) -> None:
    run_plan(toy_plan, home, pool=FakePool(home), track=False)
    outside = home.root / "outside"
    outside.mkdir()
    (home.journal / toy_plan.sweep_id / "progress.json").rename(outside / "progress.json")
    assert run(["sweep", "status", "--watch", "../outside"]) == 2
    assert "'../outside' is no sweep id" in capsys.readouterr().err


def test_one_damaged_plan_keeps_no_other_sweep_waiting(home: Home, toy_plan: SweepPlan, capsys: pytest.CaptureFixture[str]) -> None:
    run_plan(toy_plan, home, pool=FakePool(home), track=False)
    for name, content in (("torn", "{"), ("strange", '{"sweep_id": "strange"}')):
        (home.journal / name / "trials").mkdir(parents=True)
        (home.journal / name / "plan.json").write_text(content)
    assert run(["sweep", "status", "--json"]) == 0
    told = capsys.readouterr()
    assert [each["sweep_id"] for each in json.loads(told.out)["sweeps"]] == [toy_plan.sweep_id]
    lines = told.err.strip().splitlines()
    assert len(lines) == 2
    assert all("left out" in line for line in lines)
    assert run(["sweep", "sync", "--json"]) == 0
    told = capsys.readouterr()
    assert toy_plan.sweep_id in {each["sweep_id"] for each in json.loads(told.out)["sweeps"]}
    assert "torn" in told.err
    assert run(["sweep", "resume"]) == 2
    assert "no unfinished sweep" in capsys.readouterr().err
    assert run(["sweep", "status", "torn"]) == 2
    assert "is damaged" in capsys.readouterr().err


def test_what_ends_a_sweep_is_told_by_its_exit(home: Home, toy_plan: SweepPlan, capsys: pytest.CaptureFixture[str]) -> None:
    import typer

    from experiments.commands._sweep import _end
    from experiments.sweeping import Limits, SweepBudget

    def outcome(fate: Status, **changed: object):
        spec = toy_plan.manifest.spec.model_copy(update=changed)
        planned = plan_tables(spec, toy_plan.tables, FAMILIES)
        return run_plan(planned, home, pool=FakePool(home, lambda *_: fate, workers=1), track=False)

    with pytest.raises(typer.Exit) as end:
        _end(home, outcome("completed", budget=SweepBudget(trials=1)), as_json=False)
    assert end.value.exit_code == 3
    assert "its budget is spent: 1 of 1 trials were run; 3 trials are open" in capsys.readouterr().err
    with pytest.raises(typer.Exit) as end:
        _end(home, outcome("failed", limits=Limits(failed_trials=0)), as_json=False)
    assert end.value.exit_code == 1
    assert "limits.failed_trials is 0" in capsys.readouterr().err
    assert Path(home.journal).is_dir()
    assert len(Journal(home.journal).records(toy_plan.sweep_id)) >= 2


@pytest.mark.parametrize("change", [{"sweep_id": "another"}, {"datasets": []}, {"created_at": "2026-01-01T00:00:00"}])
def test_a_plan_that_is_not_this_sweeps_is_one_line(
    home: Home, toy_plan: SweepPlan, capsys: pytest.CaptureFixture[str], change: dict
) -> None:
    run_plan(toy_plan, home, pool=FakePool(home), track=False)
    path = home.journal / toy_plan.sweep_id / "plan.json"
    path.write_text(json.dumps(json.loads(path.read_bytes()) | change))
    assert run(["sweep", "status", toy_plan.sweep_id]) == 2
    told = capsys.readouterr().err.strip().splitlines()
    assert len(told) == 1
    assert str(path) in told[0]
    assert run(["sweep", "status"]) == 0
    assert "left out" in capsys.readouterr().err
    assert run_plan(toy_plan, home, pool=FakePool(home), track=False).ran == 0
    assert run(["sweep", "status", toy_plan.sweep_id]) == 0


def test_a_plan_that_cannot_be_read_keeps_no_other_waiting(home: Home, toy_plan: SweepPlan, capsys: pytest.CaptureFixture[str]) -> None:
    run_plan(toy_plan, home, pool=FakePool(home), track=False)
    (home.journal / "folder" / "trials").mkdir(parents=True)
    (home.journal / "folder" / "plan.json").mkdir()
    assert run(["sweep", "status", "--json"]) == 0
    told = capsys.readouterr()
    assert [each["sweep_id"] for each in json.loads(told.out)["sweeps"]] == [toy_plan.sweep_id]
    assert "left out" in told.err


def test_a_journal_that_may_only_be_read_is_looked_at(
    home: Home, toy_plan: SweepPlan, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run_plan(toy_plan, home, pool=FakePool(home), track=False)

    def refuse(_lock: FileLock, **_options: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(FileLock, "acquire", refuse)
    assert run(["sweep", "status", "--json"]) == 0
    assert [each["state"] for each in json.loads(capsys.readouterr().out)["sweeps"]] == ["complete"]


@pytest.mark.parametrize("every", ["nan", "inf", "0", "1e300"])
def test_a_pause_that_is_none_is_one_line(home: Home, capsys: pytest.CaptureFixture[str], every: str) -> None:
    assert run(["sweep", "status", "--watch", "--every", every]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1

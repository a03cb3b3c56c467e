"""What comes of a sweep's trials, on a pool that answers at once: tries, budgets, limits, and sweeps that want the same trials."""

import json
import threading
import time

import pytest

from automl import PoolLostError, Status, TrialRequest
from experiments import Home
from experiments.commands import run
from experiments.journaling import Journal
from experiments.sweeping import Limits, RetryPolicy, Stopping, SweepBudget, SweepPlan, SweepSpec, plan_tables, read_progress, run_plan

from .conftest import FAMILIES, FakePool, make_table

QUICK = RetryPolicy(wait=0.01)


@pytest.fixture
def tables() -> dict:
    return {"one": make_table("one", 1), "two": make_table("two", 2)}


def laid_out(spec: SweepSpec, tables: dict, **changed: object) -> SweepPlan:
    return plan_tables(SweepSpec.model_validate(spec.model_dump() | {"retries": QUICK} | changed), tables, FAMILIES)


def test_a_preempted_trial_is_run_again_and_is_no_failure(home: Home, spec: SweepSpec, tables: dict) -> None:
    pool = FakePool(home, lambda _, number: "preempted" if number <= 2 else "completed")
    outcome = run_plan(laid_out(spec, tables), home, pool=pool, track=False)
    assert (outcome.ran, outcome.failed, outcome.statuses) == (4, 0, {"completed": 4})
    assert len(pool.tries) == 12


def test_a_trial_whose_workers_die_always_stays_open(home: Home, spec: SweepSpec, tables: dict) -> None:
    planned = laid_out(spec, tables, retries=RetryPolicy(preempted=1, wait=0.01))
    outcome = run_plan(planned, home, pool=FakePool(home, lambda *_: "preempted"), track=False)
    assert (outcome.ran, outcome.failed, outcome.statuses) == (0, 0, {})
    assert not Journal(home.journal).records(planned.sweep_id)
    assert run_plan(planned, home, pool=FakePool(home), track=False).ran == 4


@pytest.mark.parametrize("status", ["failed", "timed_out"])
def test_failures_are_tried_again_as_the_policy_says(home: Home, spec: SweepSpec, tables: dict, status: Status) -> None:
    pool = FakePool(home, lambda _, number: status if number <= 2 else "completed")
    planned = laid_out(spec, tables, limits=Limits(trial_seconds=5), retries=RetryPolicy(failed=1, timed_out=2, wait=0.01))
    outcome = run_plan(planned, home, pool=pool, track=False)
    if status == "failed":  # two tries each, and both failed: the second is kept
        assert (len(pool.tries), outcome.statuses) == (8, {"failed": 4})
    else:
        assert (len(pool.tries), outcome.statuses) == (12, {"completed": 4})
    assert len(list((home.journal / planned.sweep_id / "trials").glob("*.json"))) == 4


@pytest.mark.parametrize("status", ["failed", "diverged", "out_of_memory"])
def test_a_bad_configuration_is_never_tried_again(home: Home, spec: SweepSpec, tables: dict, status: Status) -> None:
    pool = FakePool(home, lambda *_: status)
    pool.refused = status == "failed"
    planned = laid_out(spec, tables, retries=RetryPolicy(failed=5, wait=0.01))
    outcome = run_plan(planned, home, pool=pool, track=False)
    assert (len(pool.tries), outcome.statuses) == (4, {status: 4})


def test_more_memory_is_another_question(home: Home, spec: SweepSpec, tables: dict) -> None:
    small, large = ({"limits": Limits(trial_memory=size)} for size in ("1GiB", "2GiB"))  # type: ignore[arg-type]
    starved = run_plan(laid_out(spec, tables, **small), home, pool=FakePool(home, lambda *_: "out_of_memory"), track=False)
    assert starved.statuses == {"out_of_memory": 4}
    assert run_plan(laid_out(spec, tables, **small), home, pool=FakePool(home), track=False).ran == 0
    outcome = run_plan(laid_out(spec, tables, **large), home, pool=FakePool(home), track=False)
    assert (outcome.ran, outcome.statuses) == (4, {"completed": 4})
    assert run_plan(laid_out(spec, tables, **small), home, pool=FakePool(home), track=False).statuses == {"completed": 4}


def test_pauses_grow_to_a_cap_and_are_the_same_each_time() -> None:
    policy = RetryPolicy(wait=2, factor=3, longest_wait=10)
    pauses = [policy.pause("abc", tried) for tried in range(4)]
    assert pauses == [policy.pause("abc", tried) for tried in range(4)]
    assert all(whole / 2 <= pause <= whole for pause, whole in zip(pauses, (2, 6, 10, 10), strict=True))
    assert policy.pause("abd", 0) != pauses[0]


def test_too_many_failures_end_the_sweep_and_a_resume_goes_on(home: Home, spec: SweepSpec, tables: dict) -> None:
    planned = laid_out(spec, tables, limits=Limits(failed_trials=1), configurations={"count": 20})
    outcome = run_plan(planned, home, pool=FakePool(home, lambda *_: "failed", workers=1), track=False)
    assert outcome.ended is not None
    assert outcome.ended.why == "failures"
    assert outcome.ended.text.startswith("2 trials failed, and limits.failed_trials is 1; the last: ")
    assert 2 <= outcome.ran <= 4
    assert len(Journal(home.journal).records(planned.sweep_id)) == outcome.ran
    again = run_plan(planned, home, pool=FakePool(home), track=False)
    assert (again.ended, again.ran, again.reused) == (None, 40 - outcome.ran, outcome.ran)


def test_a_budget_of_trials_is_kept_over_all_passes(home: Home, spec: SweepSpec, tables: dict) -> None:
    planned = laid_out(spec, tables, budget=SweepBudget(trials=3))
    outcome = run_plan(planned, home, pool=FakePool(home), track=False)
    assert (outcome.ran, outcome.ended is not None and outcome.ended.text) == (3, "its budget is spent: 3 of 3 trials were run")
    again = run_plan(planned, home, pool=FakePool(home), track=False)
    assert (again.ran, again.reused, again.ended is not None) == (0, 3, True)
    larger = laid_out(spec, tables, budget=SweepBudget(trials=4))
    assert larger.sweep_id == planned.sweep_id
    assert run_plan(larger, home, pool=FakePool(home), track=False).ran == 1
    manifest = Journal(home.journal).manifest(planned.sweep_id)
    assert manifest is not None
    assert manifest["spec"]["budget"]["trials"] == 4  # type: ignore[index]


@pytest.mark.parametrize(
    ("budget", "said"),
    [(SweepBudget(dollars=1e-6, dollars_per_hour=3600), "dollars are spent"), (SweepBudget(hours=1e-9), "hours are over")],
    ids=["dollars", "hours"],
)
def test_a_budget_of_dollars_or_hours_counts_hours_of_work(
    home: Home, spec: SweepSpec, tables: dict, budget: SweepBudget, said: str
) -> None:
    planned = laid_out(spec, tables, budget=budget, configurations={"count": 50})
    outcome = run_plan(planned, home, pool=FakePool(home, workers=1), track=False)
    assert outcome.ended is not None
    assert said in outcome.ended.text
    assert 0 < outcome.ran < 100
    told = read_progress(home, planned.sweep_id)
    assert told is not None
    assert (told.state, told.done, told.ended) == ("ended", outcome.ran, outcome.ended.text)
    assert told.spent == outcome.spent
    again = run_plan(planned, home, pool=FakePool(home), track=False)
    assert (again.ran, again.spent.dollars >= outcome.spent.dollars) == (0, True)


def test_two_sweeps_that_want_the_same_trials_run_them_once(home: Home, spec: SweepSpec, tables: dict) -> None:
    def slowly(_request: TrialRequest, _number: int) -> Status:
        time.sleep(0.02)
        return "completed"

    plans = [laid_out(spec, tables, name=name, configurations={"count": count}) for name, count in (("a", 10), ("b", 14))]
    pools = [FakePool(home, slowly) for _ in plans]
    outcomes = []
    threads = [
        threading.Thread(target=lambda each, pool: outcomes.append(run_plan(each, home, pool=pool, track=False)), args=pair)
        for pair in zip(plans, pools, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ran = [trial for pool in pools for trial in pool.tries]
    assert sorted(ran) == sorted({trial.trial_id for each in plans for trial in each.manifest.trials})
    assert {outcome.planned: outcome.ran + outcome.reused for outcome in outcomes} == {20: 20, 28: 28}
    for each in plans:
        assert len(Journal(home.journal).records(each.sweep_id)) == len(each.manifest.trials)
    assert [path.name for path in (home.root / "claims").iterdir() if path.is_file() and path.suffix != ".lock"] == []


def test_stopping_ends_bad_trials_and_they_answer_for_this_sweep_alone(
    home: Home, spec: SweepSpec, tables: dict, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = {"epochs": 9, "configurations": {"count": 12}}
    planned = laid_out(spec, tables, stopping=Stopping(grace_period=1, reduction_factor=3), **changed)
    outcome = run_plan(planned, home, pool=FakePool(home, workers=1), track=False)
    assert outcome.statuses["stopped_early"] > 4
    assert outcome.ran == 24
    assert outcome.failed == 0
    assert outcome.tally.stopped == outcome.statuses["stopped_early"]
    assert run(["sweep", "resume", planned.sweep_id, "--dry-run", "--json", "--workers", "5"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (len(told["journaled"]), told["forecast"]["hours"], told["forecast"]["parallel"]) == (24, 0.0, 5)
    again = run_plan(planned, home, pool=FakePool(home), track=False)
    assert (again.ran, again.reused) == (0, 24)
    whole = laid_out(spec, tables, name="whole", **changed)
    assert {each.trial_id for each in whole.manifest.trials} == {each.trial_id for each in planned.manifest.trials}
    unstopped = run_plan(whole, home, pool=FakePool(home), track=False)
    assert (unstopped.ran, unstopped.statuses) == (outcome.statuses["stopped_early"], {"completed": 24})


def test_a_lost_pool_is_told(home: Home, spec: SweepSpec, tables: dict) -> None:
    def die(_request: TrialRequest, _number: int) -> Status:
        raise PoolLostError("the worker pool was closed")

    planned = laid_out(spec, tables)
    with pytest.raises(PoolLostError):
        run_plan(planned, home, pool=FakePool(home, die), track=False)
    assert run_plan(planned, home, pool=FakePool(home), track=False).ran == 4

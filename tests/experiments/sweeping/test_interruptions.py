"""Pools that are lost under a sweep, disks that cannot be written to, and what it takes to go on."""

import errno
import time
from collections import Counter
from pathlib import Path

import pytest

import automl
from automl import AutoMLError, OnEpoch, PoolLostError, Status, TrialRequest, TrialResult
from experiments import Home
from experiments._claims import Claims
from experiments.journaling import Journal
from experiments.sweeping import InterruptedSweepError, Limits, RetryPolicy, SweepBudget, SweepPlan, plan_tables, run_plan
from experiments.sweeping import _runner as runner
from experiments.sweeping._runner import _Sweep

from .conftest import FAMILIES, FakePool


def changed(planned: SweepPlan, **settings: object) -> SweepPlan:
    return plan_tables(planned.manifest.spec.model_copy(update=settings), planned.tables, FAMILIES)


class LosingPool(FakePool):
    """Dies after ``after`` trials: the next one is journaled, but nobody hears of it."""

    def __init__(self, home: Home, after: int) -> None:
        super().__init__(home, workers=1)
        self._after = after

    def answer(self, request: TrialRequest, on_epoch: OnEpoch | None) -> TrialResult:
        if len(self.tries) > self._after:
            raise PoolLostError("the worker pool was closed")
        result = super().answer(request, on_epoch)
        if len(self.tries) > self._after:
            raise PoolLostError("the worker pool was closed")
        return result


@pytest.fixture
def pools(monkeypatch: pytest.MonkeyPatch) -> list[FakePool]:
    """Let a sweep that starts its own Ray get these pools, one after another."""
    given: list[FakePool] = []
    monkeypatch.setattr(_Sweep, "_work_on_own", lambda self, driver, _workers: self._work(driver, given.pop(0)))
    monkeypatch.setattr(runner, "_RAY_PAUSE_SECONDS", 0.0)
    return given


def test_a_trial_that_was_journaled_before_its_pool_was_lost_is_not_run_again(
    home: Home, toy_plan: SweepPlan, pools: list[FakePool]
) -> None:
    lost, other = LosingPool(home, after=1), FakePool(home)
    pools += [lost, other]
    outcome = run_plan(changed(toy_plan, budget=SweepBudget(trials=4)), home, track=False)
    assert (outcome.ran, outcome.reused, outcome.spent.trials, outcome.ended) == (4, 0, 4, None)
    assert Counter(lost.ran + other.ran) == {trial.trial_id: 1 for trial in toy_plan.manifest.trials}


def test_ray_is_started_again_for_as_long_as_trials_end_between_its_deaths(home: Home, toy_plan: SweepPlan, pools: list[FakePool]) -> None:
    pools += [*(LosingPool(home, after=0) for _ in range(4)), FakePool(home)]
    assert run_plan(toy_plan, home, track=False).statuses == {"completed": 4}
    longer = changed(toy_plan, name="longer", epochs=3)
    pools[:] = [LosingPool(home, after=-1) for _ in range(4)]
    with pytest.raises(InterruptedSweepError, match=f"stands still: .*go on with: lode sweep resume {longer.sweep_id}"):
        run_plan(longer, home, track=False)
    assert len(pools) == 1


def test_a_disk_that_is_full_when_all_trials_have_ended_interrupts(
    home: Home, toy_plan: SweepPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "trials.parquet")

    with monkeypatch.context() as patched:
        patched.setattr(runner, "compact", refuse)
        with pytest.raises(InterruptedSweepError, match=r"trials\.parquet: no space left on device; mend that, then: lode sweep resume"):
            run_plan(toy_plan, home, pool=FakePool(home), track=False)
    outcome = run_plan(toy_plan, home, pool=FakePool(home), track=False)
    assert (outcome.ran, outcome.reused) == (0, 4)
    assert (home.trials / f"{toy_plan.sweep_id}.parquet").is_file()


def test_as_many_trials_at_a_time_as_the_file_says(home: Home, toy_plan: SweepPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int | None] = []

    def refuse(workers: int | None) -> bool:
        asked.append(workers)
        raise AutoMLError("no Ray here")

    monkeypatch.setattr(automl, "start_ray", refuse)
    for workers in (None, 5):
        with pytest.raises(AutoMLError, match="no Ray here"):
            run_plan(changed(toy_plan, limits=Limits(parallel=3)), home, workers=workers, track=False)
    assert asked == [3, 5]


def test_a_trial_waits_for_its_pause_before_it_is_run_again(home: Home, toy_plan: SweepPlan) -> None:
    policy = RetryPolicy(wait=0.2, factor=2, longest_wait=0.3)
    planned = changed(toy_plan, retries=policy)
    began: dict[str, list[float]] = {}

    def die_twice(request: TrialRequest, number: int) -> Status:
        began.setdefault(request.trial_id, []).append(time.monotonic())
        return "preempted" if number <= 2 else "completed"

    assert run_plan(planned, home, pool=FakePool(home, die_twice), track=False).statuses == {"completed": 4}
    for trial_id, (first, second, third) in began.items():
        assert second - first >= policy.pause(trial_id, 0)
        assert third - second >= policy.pause(trial_id, 1)


def test_a_spent_budget_waits_for_no_trial_that_others_are_at_work_on(home: Home, toy_plan: SweepPlan) -> None:
    planned = changed(toy_plan, budget=SweepBudget(trials=1))
    with Claims(home.root / "claims") as others:
        for trial in planned.manifest.trials[:3]:
            assert others.take(trial.trial_id)
        outcome = run_plan(planned, home, pool=FakePool(home), track=False)
    assert (outcome.ran, outcome.ended is not None and outcome.ended.why) == (1, "budget")


def test_a_second_pass_keeps_the_moment_at_which_the_sweep_began(home: Home, toy_plan: SweepPlan) -> None:
    run_plan(toy_plan, home, pool=FakePool(home), track=False)
    before = Path(home.journal / toy_plan.sweep_id / "plan.json").read_bytes()
    later = changed(toy_plan)
    assert later.manifest.created_at > toy_plan.manifest.created_at
    run_plan(later, home, pool=FakePool(home), track=False)
    assert Path(home.journal / toy_plan.sweep_id / "plan.json").read_bytes() == before
    run_plan(changed(toy_plan, budget=SweepBudget(trials=9)), home, pool=FakePool(home), track=False)
    manifest = Journal(home.journal).manifest(toy_plan.sweep_id)
    assert manifest is not None
    assert manifest["created_at"] == toy_plan.manifest.model_dump(mode="json")["created_at"]

"""What a budget counts, and when it is spent."""

import time
from pathlib import Path

import pytest

from experiments import Home
from experiments._errors import ExperimentWarning
from experiments.sweeping import SweepBudget, SweepPlan, run_plan
from experiments.sweeping._spending import Spending, Spent

from .conftest import FakePool


def test_dollars_are_hours_at_their_price() -> None:
    budget = SweepBudget(dollars=2, dollars_per_hour=4)
    assert Spending(budget, 0, 1799).exhausted() is None
    spending = Spending(budget, 7, 1800)
    assert spending.exhausted() == "2.00 of 2 dollars are spent"
    assert spending.spent == Spent(7, 1800, 2.0)
    assert not spending.room(0)


def test_a_budget_of_trials_counts_those_under_way() -> None:
    spending = Spending(SweepBudget(trials=3), 1, 0)
    assert spending.room(1)
    assert not spending.room(2)
    assert spending.exhausted() is None
    spending.ran()
    spending.ran()
    assert spending.exhausted() == "3 of 3 trials were run"


def test_the_sleep_of_a_machine_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    spending = Spending(SweepBudget(hours=1), 0, 0)
    for moment in (101.5, 101.5 + 8 * 3600):
        now[0] = moment
        spending.tick()
    assert spending.spent.seconds == pytest.approx(1.5 + 30)


def test_what_cannot_be_read_of_earlier_passes_is_told(home: Home, toy_plan: SweepPlan) -> None:
    run_plan(toy_plan, home, pool=FakePool(home), track=False)
    told: Path = home.journal / toy_plan.sweep_id / "progress.json"
    told.write_text("{torn")
    with pytest.warns(ExperimentWarning, match=r"progress\.json cannot be read: the sweep's hours and dollars count from now on"):
        run_plan(toy_plan, home, pool=FakePool(home), track=False)

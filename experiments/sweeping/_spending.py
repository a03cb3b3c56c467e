"""What a sweep has spent of its budget, over all its passes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from experiments.sweeping._settings import SweepBudget

_LONGEST_TICK = 30.0
"""A driver looks up at least once a second; a longer silence is a machine that slept, and costs nothing."""


@dataclass(frozen=True)
class Spent:
    """Trials run, seconds in which a driver worked, and what they cost."""

    trials: Annotated[int, Field(ge=0)] = 0
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    dollars: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0


class Spending:
    """Counts what is spent, from what earlier passes spent on."""

    def __init__(self, budget: SweepBudget, trials: int, seconds: float) -> None:
        self._budget = budget
        self._trials, self._seconds = trials, seconds
        self._looked = time.monotonic()

    @property
    def spent(self) -> Spent:
        """What was spent so far."""
        return Spent(self._trials, self._seconds, self._seconds / 3600 * self._budget.dollars_per_hour)

    def tick(self) -> None:
        """Count the time since the last call."""
        now = time.monotonic()
        self._seconds += min(now - self._looked, _LONGEST_TICK)
        self._looked = now

    def ran(self) -> None:
        """Count a trial."""
        self._trials += 1

    def room(self, under_way: int) -> bool:
        """Say whether one more trial may be begun while ``under_way`` are."""
        trials = self._budget.trials
        return self.exhausted() is None and (trials is None or self._trials + under_way < trials)

    def exhausted(self) -> str | None:
        """Say which part of the budget is spent; ``None``: none is."""
        budget, spent = self._budget, self.spent
        if budget.trials is not None and spent.trials >= budget.trials:
            return f"{spent.trials} of {budget.trials} trials were run"
        if budget.hours is not None and spent.seconds >= budget.hours * 3600:
            return f"{spent.seconds / 3600:.2f} of {budget.hours:g} hours are over"
        if budget.dollars is not None and spent.dollars >= budget.dollars:
            return f"{spent.dollars:.2f} of {budget.dollars:g} dollars are spent"
        return None

"""How a sweep is carried out: limits, budget, tries. Nothing here decides which trials a sweep has, nor their ids."""

from __future__ import annotations

import hashlib
import math
import re
from typing import Any, Self

from pydantic import ByteSize, Field, field_validator, model_validator

from automl import Status
from experiments.sweeping._strict import Strict

_SIZE = re.compile(r"\s*\d+(\.\d+)?\s*[A-Za-z]*\s*", re.ASCII)
MOST_PARALLEL = 10_000
_LEAST_MEMORY = 64 * 2**20
"""Far less than an interpreter with Ludwig in it holds: whoever asks for less left a unit out."""


class Limits(Strict):
    """What one trial may take, and the sweep at a time.

    ``parallel`` is the number of trials at a time (default: one a core). More than ``failed_trials`` failures in one pass end the sweep.
    ``trial_seconds`` ends a trial after so many seconds of training as ``timed_out``, ``trial_memory`` ("1.5GiB", or bytes: what the
    trial's process holds of main memory, Ludwig itself among it) as ``out_of_memory``.
    """

    parallel: int | None = Field(default=None, ge=1, le=MOST_PARALLEL)
    failed_trials: int | None = Field(default=None, ge=0)
    trial_seconds: float | None = Field(default=None, gt=0)
    trial_memory: ByteSize | None = Field(default=None, gt=0, lt=2**60)

    @field_validator("trial_memory", mode="before")
    @classmethod
    def _a_whole_size(cls, value: Any) -> Any:
        """Take nothing for a size that merely begins like one ("4,5GiB" would be four bytes)."""
        if (isinstance(value, str) and not _SIZE.fullmatch(value)) or (isinstance(value, float) and not math.isfinite(value)):
            raise ValueError("give a number of bytes, or a number with its unit, such as 4GiB")
        return value

    @model_validator(mode="after")
    def _room_for_ludwig(self) -> Self:
        if self.trial_memory is not None and self.trial_memory < _LEAST_MEMORY:
            raise ValueError(f'trial_memory: {int(self.trial_memory)} bytes hold no trial (Ludwig alone takes about 1 GiB); write "4GiB"')
        return self


class SweepBudget(Strict):
    """What the sweep may spend over all its passes; when a part of it is spent, no trial is begun any more, and those under way end.

    ``trials`` counts those that were run, not those that the journal held; ``hours`` the time in which a driver worked on the sweep;
    ``dollars`` those hours at ``dollars_per_hour`` (of all machines together).
    """

    trials: int | None = Field(default=None, ge=1)
    hours: float | None = Field(default=None, gt=0)
    dollars: float | None = Field(default=None, gt=0)
    dollars_per_hour: float = Field(default=0.0, ge=0)

    @model_validator(mode="after")
    def _priced(self) -> Self:
        if self.dollars is not None and self.dollars_per_hour == 0:
            raise ValueError("budget.dollars needs budget.dollars_per_hour, what an hour of the machines costs")
        return self


class RetryPolicy(Strict):
    """How often a trial is run again, by how it ended, and after what pause.

    ``preempted``: its workers died under it. ``failed`` and ``timed_out`` are not tried again unless asked: the same seed mostly comes to
    the same end. What refused its configuration, diverged, or ran out of memory is never tried again. The first pause is ``wait`` seconds,
    each further one ``factor`` times as long, none longer than ``longest_wait``; up to half of it is taken off, by the trial's id.
    """

    preempted: int = Field(default=3, ge=0, le=100)
    failed: int = Field(default=0, ge=0, le=100)
    timed_out: int = Field(default=0, ge=0, le=100)
    wait: float = Field(default=1.0, ge=0)
    factor: float = Field(default=2.0, ge=1, le=100)
    longest_wait: float = Field(default=60.0, ge=0)

    def tries(self, status: Status) -> int:
        """Return how often a trial that ends so is run again."""
        return {"preempted": self.preempted, "failed": self.failed, "timed_out": self.timed_out}.get(status, 0)

    def again(self, tried: int) -> tuple[Status, ...]:
        """Return the states in which a trial that was run again ``tried`` times would be once more."""
        states: tuple[Status, ...] = ("preempted", "failed", "timed_out")
        return tuple(each for each in states if tried < self.tries(each))

    def pause(self, trial_id: str, tried: int) -> float:
        """Return the seconds to wait before a trial is run again, which was so ``tried`` times already: the same each time it is asked."""
        whole = min(self.longest_wait, self.wait * self.factor ** min(tried, 64))
        draw = int(hashlib.sha256(f"{trial_id}:{tried}".encode()).hexdigest()[:8], 16) / 16**8
        return whole * (1 - draw / 2)


class Stopping(Strict):
    """Asynchronous successive halving (Li et al., 2020): trials of a dataset that stand badly are stopped.

    After ``grace_period`` epochs, and after each ``reduction_factor`` times as many, a trial goes on when it is among the best
    ``1 / reduction_factor`` of the dataset's trials that came so far. A sweep that is to be mined has no stopping: its curves stay whole.
    """

    grace_period: int = Field(ge=1)
    reduction_factor: float = Field(default=4.0, ge=1.1)

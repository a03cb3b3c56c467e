"""When a record settles its trial, and which of several records of one trial says most."""

from __future__ import annotations

import math
from datetime import datetime

from mining import TrialRecord

CENSORED = frozenset({"stopped_early", "preempted", "timed_out"})
"""States that leave a trial open: what ended it (a scheduler, a death, a time limit) is no part of the trial's id."""


def settles(record: TrialRecord, time_limit: float | None = None) -> bool:
    """Say whether ``record`` answers for its trial when that is asked for under ``time_limit`` (seconds of training; ``None``: no limit).

    A trial that was over its time limit answers where no more time is given than it had.
    """
    if record.status == "timed_out" and time_limit is not None:
        return record.time_limit is not None and record.time_limit >= time_limit
    return record.status not in CENSORED


def better(first: TrialRecord | None, second: TrialRecord | None) -> TrialRecord | None:
    """Return the record that says more: settled before censored, then more epochs, then more time given, then the earlier one."""
    if first is None or second is None:
        return first or second

    def rank(record: TrialRecord) -> tuple[bool, int, float, datetime]:
        if record.status not in CENSORED:
            return False, 0, 0.0, record.started_at
        return True, -record.epochs_run, -(math.inf if record.time_limit is None else record.time_limit), record.started_at

    return min(first, second, key=rank)

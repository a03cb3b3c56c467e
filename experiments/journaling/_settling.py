"""When a record settles its trial, and which of several records of one trial says most."""

from __future__ import annotations

import math
from datetime import datetime

from mining import TrialRecord

CENSORED = frozenset({"stopped_early", "preempted", "timed_out"})
"""States that leave a trial open: what ended it (a scheduler, a death, a time limit) is no part of the trial's id."""


def is_censored(record: TrialRecord) -> bool:
    """Say whether ``record`` leaves its trial open to whoever asks for more than it was given: epochs, time, memory."""
    return record.status in CENSORED or (record.status == "out_of_memory" and record.memory_limit is not None)


def settles(record: TrialRecord, time_limit: float | None = None, memory_limit: int | None = None) -> bool:
    """Say whether ``record`` answers for its trial when that is asked for under limits (seconds of training, bytes; ``None``: no limit).

    A trial that was over its limit answers where no more time, or memory, is given than it had.
    """
    if record.status == "timed_out" and time_limit is not None:
        return record.time_limit is not None and record.time_limit >= time_limit
    if record.status == "out_of_memory" and record.memory_limit is not None:
        return memory_limit is not None and record.memory_limit >= memory_limit
    return record.status not in CENSORED


def better(first: TrialRecord | None, second: TrialRecord | None) -> TrialRecord | None:
    """Return the record that says more: settled before censored, then more epochs, then more time given, then the earlier one."""
    if first is None or second is None:
        return first or second

    def rank(record: TrialRecord) -> tuple[bool, int, float, datetime]:
        if not is_censored(record):
            return False, 0, 0.0, record.started_at
        return True, -record.epochs_run, -(math.inf if record.time_limit is None else record.time_limit), record.started_at

    return min(first, second, key=rank)

"""The journal as the trial engine's recorder, and as what a search asks before it runs a trial."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from automl import TrialRequest, TrialResult
from experiments._claims import Claims
from experiments._errors import ExperimentError
from experiments.journaling._journal import Journal
from experiments.journaling._records import build_record, read_result
from experiments.journaling._settling import settles

_LOOK_SECONDS = 0.2


@dataclass(frozen=True)
class JournalRecorder:
    """Writes each trial into the journal at ``root`` (an absolute folder that all workers see).

    An ``automl.TrialArchive``, and an ``automl.TrialClaimer`` whose claims lie beside the journal.
    """

    root: Path

    def record(self, request: TrialRequest, result: TrialResult) -> None:
        """Make the trial's record durable. Idempotent; raises :class:`experiments.ExperimentError` when it could not be."""
        record = build_record(request, result)
        try:
            Journal(self.root).append(record)
        except OSError as error:
            place = error.filename or self.root
            raise ExperimentError(f"trial {request.trial_id} could not be journaled: {place}: {error.strerror or error}") from error

    def lookup(self, request: TrialRequest) -> tuple[TrialResult, ...]:
        """Return what any sweep, validation or run journaled of the trial; one over its time limit only where it answers for this one's."""
        found = Journal(self.root).recorded(request.trial_id)
        limits = request.time_limit, request.memory_limit
        return tuple(read_result(each) for each in found if each.status == "stopped_early" or settles(each, *limits))

    def claim(self, request: TrialRequest, until: float | None = None) -> Callable[[], None]:
        """Wait until no other sweep, search or validation runs the trial, or until that moment; return what gives the claim back."""
        claims = Claims(self.root.parent / "claims")
        claims.begin()
        try:
            while not claims.take(request.trial_id) and (until is None or time.time() < until):
                time.sleep(_LOOK_SECONDS)
        except BaseException:
            claims.end()
            raise
        return claims.end

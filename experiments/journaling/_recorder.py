"""The journal as the trial engine's recorder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from automl import TrialRequest, TrialResult
from experiments._errors import ExperimentError
from experiments.journaling._journal import Journal
from experiments.journaling._records import build_record


@dataclass(frozen=True)
class JournalRecorder:
    """Writes each trial into the journal at ``root`` (an absolute folder that all workers see). An ``automl.TrialRecorder``."""

    root: Path

    def record(self, request: TrialRequest, result: TrialResult) -> None:
        """Make the trial's record durable. Idempotent; raises :class:`experiments.ExperimentError` when it could not be."""
        record = build_record(request, result)
        try:
            Journal(self.root).append(record)
        except OSError as error:
            place = error.filename or self.root
            raise ExperimentError(f"trial {request.trial_id} could not be journaled: {place}: {error.strerror or error}") from error

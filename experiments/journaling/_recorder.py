"""The journal as the trial engine's recorder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from automl import TrialRequest, TrialResult
from experiments.journaling._journal import Journal
from experiments.journaling._records import build_record


@dataclass(frozen=True)
class JournalRecorder:
    """Writes each trial into the journal at ``root`` (an absolute folder that all workers see). An ``automl.TrialRecorder``."""

    root: Path

    def record(self, request: TrialRequest, result: TrialResult) -> None:
        """Make the trial's record durable. Idempotent; raises :class:`experiments.ExperimentError` or ``OSError`` when it could not be."""
        Journal(self.root).append(build_record(request, result))

"""MLflow as a view of the journal: a parent run a sweep, a child run a trial. It can be lost and rebuilt at any time."""

from experiments.tracking._background import BackgroundTracker
from experiments.tracking._client import LoggedElsewhereError, TrackingError, connect, shown, ui_command
from experiments.tracking._figures import SweepFigures
from experiments.tracking._sync import sync
from experiments.tracking._tracker import EXPERIMENT, SweepRun, Tracker, TrackingReport

__all__ = [
    "EXPERIMENT",
    "BackgroundTracker",
    "LoggedElsewhereError",
    "SweepFigures",
    "SweepRun",
    "Tracker",
    "TrackingError",
    "TrackingReport",
    "connect",
    "shown",
    "sync",
    "ui_command",
]

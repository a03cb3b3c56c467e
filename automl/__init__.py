"""From a table and a heuristics version to a Ludwig configuration, a search on Ray Tune, and the best model."""

from automl._errors import AutoMLError
from automl._features import infer_features
from automl._tables import infer_task, make_task_table
from automl._trial import (
    EpochReport,
    Feature,
    FeatureType,
    Scorer,
    Status,
    Task,
    TaskTable,
    TrialRecorder,
    TrialRequest,
    TrialResult,
)
from automl._untuned import untuned_space_hash, untuned_spaces

__all__ = [
    "AutoMLError",
    "EpochReport",
    "Feature",
    "FeatureType",
    "Scorer",
    "Status",
    "Task",
    "TaskTable",
    "TrialRecorder",
    "TrialRequest",
    "TrialResult",
    "infer_features",
    "infer_task",
    "make_task_table",
    "untuned_space_hash",
    "untuned_spaces",
]

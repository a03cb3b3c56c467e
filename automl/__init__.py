"""From a table and a heuristics version to a Ludwig configuration, a search on Ray Tune, and the best model."""

from automl._cluster import start_ray, stop_ray
from automl._devices import DeviceClass, device_class, node_type
from automl._engine import OnEpoch, TrialEngine
from automl._errors import AutoMLError
from automl._features import infer_features
from automl._frames import ludwig_frame
from automl._identity import ENGINE_VERSION, engine_versions, trial_id
from automl._plan import Budget, SearchPlan, search_plan
from automl._pool import Lease, WorkerPool
from automl._preparation import Prepared, preparation_key, prepare
from automl._rendering import canonical_config, render_config
from automl._scoring import Scores, score, scorer_for
from automl._search import SearchResult, run_search
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
    "ENGINE_VERSION",
    "AutoMLError",
    "Budget",
    "DeviceClass",
    "EpochReport",
    "Feature",
    "FeatureType",
    "Lease",
    "OnEpoch",
    "Prepared",
    "Scorer",
    "Scores",
    "SearchPlan",
    "SearchResult",
    "Status",
    "Task",
    "TaskTable",
    "TrialEngine",
    "TrialRecorder",
    "TrialRequest",
    "TrialResult",
    "WorkerPool",
    "canonical_config",
    "device_class",
    "engine_versions",
    "infer_features",
    "infer_task",
    "ludwig_frame",
    "make_task_table",
    "node_type",
    "preparation_key",
    "prepare",
    "render_config",
    "run_search",
    "score",
    "scorer_for",
    "search_plan",
    "start_ray",
    "stop_ray",
    "trial_id",
    "untuned_space_hash",
    "untuned_spaces",
]

"""From a table and a heuristics version to a Ludwig configuration, a search on Ray Tune, and the best model."""

from automl._cluster import start_ray, stop_ray, trials_at_a_time
from automl._devices import DeviceClass, device_class, node_type
from automl._engine import OnEpoch, TrialEngine
from automl._errors import AutoMLError, MachineError, PoolLostError
from automl._features import infer_features
from automl._frames import ludwig_frame
from automl._identity import ENGINE_VERSION, engine_versions, trial_id
from automl._kept_models import KeptModel, keep_best, kept_model
from automl._lease import Lease
from automl._plan import Budget, SearchPlan, search_plan
from automl._pool import WorkerPool
from automl._predict import ModelCard, predict, read_model_card
from automl._preparation import preparation_key, prepare
from automl._preparation_store import PreparedEntry, PreparedStore
from automl._prepared import Prepared
from automl._reasons import data_reasons, plan_reasons
from automl._rendering import canonical_config, render_config
from automl._run import (
    ROW_CAP,
    AutoMLOutcome,
    UserTable,
    affordable,
    check_out,
    first_configuration,
    read_user_table,
    row_cap_for,
    run_automl,
)
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
    TrialArchive,
    TrialClaimer,
    TrialRecorder,
    TrialRequest,
    TrialResult,
)
from automl._untuned import untuned_space_hash, untuned_spaces

__all__ = [
    "ENGINE_VERSION",
    "ROW_CAP",
    "AutoMLError",
    "AutoMLOutcome",
    "Budget",
    "DeviceClass",
    "EpochReport",
    "Feature",
    "FeatureType",
    "KeptModel",
    "Lease",
    "MachineError",
    "ModelCard",
    "OnEpoch",
    "PoolLostError",
    "Prepared",
    "PreparedEntry",
    "PreparedStore",
    "Scorer",
    "Scores",
    "SearchPlan",
    "SearchResult",
    "Status",
    "Task",
    "TaskTable",
    "TrialArchive",
    "TrialClaimer",
    "TrialEngine",
    "TrialRecorder",
    "TrialRequest",
    "TrialResult",
    "UserTable",
    "WorkerPool",
    "affordable",
    "canonical_config",
    "check_out",
    "data_reasons",
    "device_class",
    "engine_versions",
    "first_configuration",
    "infer_features",
    "infer_task",
    "keep_best",
    "kept_model",
    "ludwig_frame",
    "make_task_table",
    "node_type",
    "plan_reasons",
    "predict",
    "preparation_key",
    "prepare",
    "read_model_card",
    "read_user_table",
    "render_config",
    "row_cap_for",
    "run_automl",
    "run_search",
    "score",
    "scorer_for",
    "search_plan",
    "start_ray",
    "stop_ray",
    "trial_id",
    "trials_at_a_time",
    "untuned_space_hash",
    "untuned_spaces",
]

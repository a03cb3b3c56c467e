"""The versioned heuristics database: documents, their invariants, their lifecycle."""

from heuristics_db._adaptive import AdaptiveCandidate, AdaptiveSeeds
from heuristics_db._canonical import canonical_json, content_hash, read_document
from heuristics_db._changes import Change, ChangeKind
from heuristics_db._channels import CHANNELS, NOTHING
from heuristics_db._compare import compare_documents
from heuristics_db._diff import diff_documents
from heuristics_db._document import (
    DatasetProvenance,
    EarlyStoppingPolicy,
    HeuristicsDocument,
    Modality,
    ModalityHeuristics,
    ModelChoice,
    ModelTypeHeuristics,
    Provenance,
    ResourceModel,
    TaskHeuristics,
    TrialLimits,
)
from heuristics_db._errors import ConflictError, HeuristicsError, InvariantError
from heuristics_db._explain import Choice, SeedValue, explain_document
from heuristics_db._gate import Check, GateVerdict, Incumbent, decide, upper_bound
from heuristics_db._invariants import broken_invariants, check_invariants
from heuristics_db._opening import Upgrade, upgrade_database
from heuristics_db._policy import DEFAULT_POLICY, GATES, GatePolicy, GateRules, Thresholds
from heuristics_db._records import Difference, HistoryAudit, HistoryEntry, State, Version
from heuristics_db._releases import LARGEST_FILE
from heuristics_db._schema import document_schema
from heuristics_db._simulation import ErrorRate, Supposed, measured_noise, seeds_needed, simulate
from heuristics_db._spaces import (
    CategoricalDomain,
    Condition,
    Configuration,
    Domain,
    Evidence,
    FloatDomain,
    Hyperparameter,
    IntDomain,
    Scalar,
    SearchSpace,
    SeedConfiguration,
)
from heuristics_db._store import HeuristicsStore
from heuristics_db._summary import Arm, ArmResult, ReferenceResult, SuiteDataset, ValidationBudget, ValidationSummary
from heuristics_db._wording import evidence_text, hyperparameter_text, limits_text, seed_text, stopping_text

__all__ = [
    "CHANNELS",
    "DEFAULT_POLICY",
    "GATES",
    "LARGEST_FILE",
    "NOTHING",
    "AdaptiveCandidate",
    "AdaptiveSeeds",
    "Arm",
    "ArmResult",
    "CategoricalDomain",
    "Change",
    "ChangeKind",
    "Check",
    "Choice",
    "Condition",
    "Configuration",
    "ConflictError",
    "DatasetProvenance",
    "Difference",
    "Domain",
    "EarlyStoppingPolicy",
    "ErrorRate",
    "Evidence",
    "FloatDomain",
    "GatePolicy",
    "GateRules",
    "GateVerdict",
    "HeuristicsDocument",
    "HeuristicsError",
    "HeuristicsStore",
    "HistoryAudit",
    "HistoryEntry",
    "Hyperparameter",
    "Incumbent",
    "IntDomain",
    "InvariantError",
    "Modality",
    "ModalityHeuristics",
    "ModelChoice",
    "ModelTypeHeuristics",
    "Provenance",
    "ReferenceResult",
    "ResourceModel",
    "Scalar",
    "SearchSpace",
    "SeedConfiguration",
    "SeedValue",
    "State",
    "SuiteDataset",
    "Supposed",
    "TaskHeuristics",
    "Thresholds",
    "TrialLimits",
    "Upgrade",
    "ValidationBudget",
    "ValidationSummary",
    "Version",
    "broken_invariants",
    "canonical_json",
    "check_invariants",
    "compare_documents",
    "content_hash",
    "decide",
    "diff_documents",
    "document_schema",
    "evidence_text",
    "explain_document",
    "hyperparameter_text",
    "limits_text",
    "measured_noise",
    "read_document",
    "seed_text",
    "seeds_needed",
    "simulate",
    "stopping_text",
    "upgrade_database",
    "upper_bound",
]

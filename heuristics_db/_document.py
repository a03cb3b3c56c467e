"""The heuristics document: what a version of the heuristics says, and what it rests on."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from heuristics_db._adaptive import AdaptiveSeeds
from heuristics_db._spaces import Evidence, Frozen, SearchSpace, SeedConfiguration

SCHEMA_VERSION: Literal[1] = 1
Modality = Literal["tabular", "text"]
Task = Literal["binary", "multiclass", "regression", "text_classification"]


class ModelChoice(Frozen):
    """The model types worth searching, best first, with each one's mean normalised regret over the training datasets."""

    order: tuple[str, ...] = Field(min_length=1)
    regret: dict[str, float]
    reason: str
    evidence: Evidence


class EarlyStoppingPolicy(Frozen):
    """When a search gives up a trial: asynchronous successive halving (Li et al., 2020) on the validation score.

    A trial runs ``grace_period`` epochs at least and ``max_epochs`` at most; at each rung only one in ``reduction_factor`` goes on.
    ``reduction_factor`` of ``None`` stops nothing.
    """

    grace_period: int = Field(ge=1)
    reduction_factor: float | None = Field(default=None, gt=1)
    max_epochs: int = Field(ge=1)
    reason: str = ""
    evidence: Evidence | None = None


class TrialLimits(Frozen):
    """How many trials a search of this kind is worth, and how many epochs a trial."""

    trials: int = Field(ge=1)
    epochs: int = Field(ge=1)
    reason: str = ""


class ResourceModel(Frozen):
    """Seconds and memory of a trial of one model type: log-linear in rows and columns, with a high quantile of the residual.

    ``log(seconds per epoch) = intercept + rows * log(rows) + columns * log(columns)``, of all rows after the cap (the three parts)
    and of features; ``upper`` is added for a careful bound.
    """

    intercept: float
    rows: float
    columns: float
    upper: float = Field(ge=0)
    peak_memory_bytes: int = Field(ge=0)
    evidence: Evidence


class ModelTypeHeuristics(Frozen):
    """What was mined for one model type: its space, its own portfolio (ordered), its resource model."""

    space: SearchSpace
    portfolio: tuple[SeedConfiguration, ...]
    resources: ResourceModel | None = None


class TaskHeuristics(Frozen):
    """What holds for one task of a modality in place of what was pooled over tasks; a part that is left out is as pooled.

    ``model_types`` replaces, or adds, those that it names.
    """

    model_choice: ModelChoice | None = None
    model_types: dict[str, ModelTypeHeuristics] = Field(default_factory=dict)
    portfolio: tuple[SeedConfiguration, ...] | None = None
    early_stopping: EarlyStoppingPolicy | None = None
    limits: TrialLimits | None = None


class ModalityHeuristics(Frozen):
    """What was mined for one modality, pooled over tasks; ``tasks`` holds what a task has of its own.

    ``portfolio`` is the joint order over model types that a search follows; ``adaptive`` says how further seeds are picked by what the
    search has seen, where that was found to gain.
    """

    model_choice: ModelChoice
    model_types: dict[str, ModelTypeHeuristics]
    portfolio: tuple[SeedConfiguration, ...]
    early_stopping: EarlyStoppingPolicy
    limits: TrialLimits
    tasks: dict[Task, TaskHeuristics] = Field(default_factory=dict)
    adaptive: AdaptiveSeeds | None = None
    adaptive_reason: str = ""

    def for_task(self, task: str | None) -> ModalityHeuristics:
        """Return what a search for ``task`` follows: the pooled heuristics with the task's own put in; as pooled where it has none."""
        own = next((each for name, each in self.tasks.items() if name == task), TaskHeuristics())
        return ModalityHeuristics(
            model_choice=own.model_choice or self.model_choice,
            model_types=self.model_types | own.model_types,
            portfolio=self.portfolio if own.portfolio is None else own.portfolio,
            early_stopping=own.early_stopping or self.early_stopping,
            limits=own.limits or self.limits,
            # a task's own seeds or spaces stand in place of what was picked from the pooled ones
            adaptive=self.adaptive if own.portfolio is None and not own.model_types else None,
        )


class DatasetProvenance(Frozen):
    """One training dataset that the document was mined from, with the frozen ends of its regret scale."""

    name: str
    fingerprint: str
    family: str
    role: Literal["training", "held_out"]
    task: str
    metric: str
    rows: int
    trials: int
    best_score: float
    reference_score: float
    reference: str = "median of the drawn configurations"
    sketch: tuple[int, ...] = ()


class Provenance(Frozen):
    """Where a document comes from: trials, datasets, versions, recipe and backtest."""

    trial_set_hash: str
    trials: int
    failed_trials: int
    sweeps: tuple[str, ...]
    datasets: tuple[DatasetProvenance, ...]
    versions: dict[str, str]
    recipe: dict[str, str | int | float | bool | None]
    untuned_space_hash: str
    backtest: dict[str, float] = Field(default_factory=dict)


class HeuristicsDocument(Frozen):
    """An immutable heuristics document; its content hash names the version."""

    schema_version: Literal[1] = SCHEMA_VERSION
    modalities: dict[Modality, ModalityHeuristics] = Field(min_length=1)
    provenance: Provenance

"""What a search does: its spaces, its seeds, its model types, when it gives up a trial, how much it may spend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from automl._errors import AutoMLError
from automl._untuned import untuned_spaces
from heuristics_db import (
    AdaptiveSeeds,
    EarlyStoppingPolicy,
    HeuristicsDocument,
    Modality,
    ModalityHeuristics,
    ResourceModel,
    SearchSpace,
    SeedConfiguration,
    TrialLimits,
)

UNTUNED_STOPPING = EarlyStoppingPolicy(
    grace_period=1, reduction_factor=4, max_epochs=100, reason="Ray Tune's own default: nothing was mined"
)
UNTUNED_LIMITS = TrialLimits(trials=20, epochs=20, reason="nothing was mined")


@dataclass(frozen=True)
class SearchPlan:
    """All that a search follows. ``label`` names the heuristics version, or ``untuned``; ``remarks`` say for people what was left out.

    ``portfolio`` holds the seeds that are tried first, in their order; each lies in its space; ``adaptive`` picks further ones by
    what the search has seen. ``resources`` are per model type.
    """

    spaces: Mapping[str, SearchSpace]
    portfolio: tuple[SeedConfiguration, ...]
    model_order: tuple[str, ...]
    early_stopping: EarlyStoppingPolicy
    limits: TrialLimits
    label: str
    resources: Mapping[str, ResourceModel | None]
    remarks: tuple[str, ...] = ()
    adaptive: AdaptiveSeeds | None = None

    def restricted(self, model_types: tuple[str, ...], remark: str) -> SearchPlan:
        """Return the plan with only these of its model types, and a remark that says why.

        Raises ``AutoMLError`` when none of them is in the plan.
        """
        order = tuple(each for each in self.model_order if each in model_types)
        if not order:
            raise AutoMLError(f"none of {', '.join(model_types)} is searched by {self.label}; it has {', '.join(self.model_order)}")
        seeds = tuple(seed for seed in self.portfolio if seed.model_type in order)
        return replace(self, model_order=order, portfolio=seeds, remarks=(*self.remarks, remark))


@dataclass(frozen=True)
class Budget:
    """What a search may spend: ``trials`` and ``seconds`` at most (``None``: no limit), ``epochs`` at most a trial."""

    trials: int | None
    seconds: float | None
    epochs: int

    def __post_init__(self) -> None:
        if self.trials is None and self.seconds is None:
            raise AutoMLError("a search needs a budget: trials, seconds or both")
        if self.epochs < 1 or (self.trials is not None and self.trials < 1) or (self.seconds is not None and self.seconds <= 0):
            raise AutoMLError(f"a budget must be above 0: trials {self.trials}, seconds {self.seconds}, epochs {self.epochs}")


def search_plan(
    document: HeuristicsDocument | None, modality: Modality = "tabular", *, task: str | None = None, label: str = ""
) -> SearchPlan:
    """Return the plan that ``document`` makes for ``modality``; without a document the untuned search.

    What the document says of ``task`` alone comes before what it says of all tasks together.

    The untuned search is what one would do knowing nothing: wide spaces, no seeds, every model type, Ray Tune's default asynchronous
    hyperband. Raises ``AutoMLError`` when the document says nothing of the modality.
    """
    if document is None:
        spaces = untuned_spaces()
        order = tuple(spaces)
        return SearchPlan(spaces, (), order, UNTUNED_STOPPING, UNTUNED_LIMITS, label or "untuned", dict.fromkeys(order))
    found = document.modalities.get(modality)
    if found is None:
        raise AutoMLError(f"heuristics {label or 'document'} say nothing of {modality} data; they know {', '.join(document.modalities)}")
    found = found.for_task(task)
    order = tuple(each for each in found.model_choice.order if each in found.model_types)
    return SearchPlan(
        spaces={each: found.model_types[each].space for each in order},
        portfolio=tuple(seed for seed in found.portfolio if seed.model_type in order),
        model_order=order,
        early_stopping=found.early_stopping,
        limits=found.limits,
        label=label or "heuristics",
        resources={each: found.model_types[each].resources for each in order},
        remarks=_left_out(found, order),
        adaptive=found.adaptive,
    )


def _left_out(found: ModalityHeuristics, order: tuple[str, ...]) -> tuple[str, ...]:
    """Say which seeds are not tried since their model type was not chosen: nothing is dropped in silence."""
    counts = Counter(seed.model_type for seed in found.portfolio if seed.model_type not in order)
    return tuple(f"{count} seeds of {each} are not tried: it is not among the model types chosen" for each, count in sorted(counts.items()))

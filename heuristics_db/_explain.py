"""Why a document says what it says: each mined choice with what it rests on."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from heuristics_db._document import HeuristicsDocument, ModalityHeuristics, ModelTypeHeuristics
from heuristics_db._spaces import Evidence, Frozen, Scalar, SeedConfiguration
from heuristics_db._wording import choice_text, hyperparameter_text, limits_text, resources_text, seed_text, stopping_text


class SeedValue(Frozen):
    """What one seed of the portfolio gives a hyperparameter, and the training datasets that the seed was best on."""

    place: str
    value: Scalar
    best_on: tuple[str, ...] = ()


class Choice(Frozen):
    """One mined choice: where, what (in words), why, and what it rests on. ``seeds`` is filled in for hyperparameters."""

    where: str
    value: str
    reason: str = ""
    importance: float | None = Field(default=None, ge=0)
    evidence: Evidence | None = None
    seeds: tuple[SeedValue, ...] = ()


def explain_document(document: HeuristicsDocument, part: str = "") -> list[Choice]:
    """Return the mined choices: the one at the place ``part``, or else those with ``part`` in their place; all, unless it is given.

    Places are written as in invariants and comparisons: ``tabular.tabnet.trainer.learning_rate``, ``tabular.portfolio[3]``.
    """
    found = list(_choices(document))
    return [each for each in found if each.where == part] or [each for each in found if part in each.where]


def _choices(document: HeuristicsDocument) -> Iterator[Choice]:
    for modality, pooled in document.modalities.items():
        yield from _modality(modality, pooled)
        for task in pooled.tasks:
            yield from _modality(f"{modality}.{task}", pooled.for_task(task))


def _modality(place: str, heuristics: ModalityHeuristics) -> Iterator[Choice]:
    choice, stopping, limits = heuristics.model_choice, heuristics.early_stopping, heuristics.limits
    yield Choice(where=f"{place}.model_choice", value=choice_text(choice), reason=choice.reason, evidence=choice.evidence)
    yield Choice(where=f"{place}.early_stopping", value=stopping_text(stopping), reason=stopping.reason, evidence=stopping.evidence)
    yield Choice(where=f"{place}.limits", value=limits_text(limits), reason=limits.reason)
    for model_type, described in heuristics.model_types.items():
        yield from _model_type(f"{place}.{model_type}", described)
    yield from _seeds(f"{place}.portfolio", heuristics.portfolio)


def _model_type(place: str, described: ModelTypeHeuristics) -> Iterator[Choice]:
    for each in described.space.hyperparameters:
        seeds = tuple(
            SeedValue(place=f"{place}.portfolio[{position}]", value=seed.configuration[each.name], best_on=seed.best_on)
            for position, seed in enumerate(described.portfolio)
            if each.name in seed.configuration
        )
        where, value = f"{place}.{each.name}", hyperparameter_text(each)
        yield Choice(where=where, value=value, reason=each.reason, importance=each.importance, evidence=each.evidence, seeds=seeds)
    yield from _seeds(f"{place}.portfolio", described.portfolio)
    if described.resources is not None:
        resources = described.resources
        yield Choice(where=f"{place}.resources", value=resources_text(resources), evidence=resources.evidence)


def _seeds(place: str, portfolio: tuple[SeedConfiguration, ...]) -> Iterator[Choice]:
    for position, seed in enumerate(portfolio):
        reason = f"best on {', '.join(seed.best_on)}" if seed.best_on else ""
        yield Choice(where=f"{place}[{position}]", value=f"{seed.model_type} {seed_text(seed)}", reason=reason, evidence=seed.evidence)

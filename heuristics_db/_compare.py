"""What changed between two heuristics documents, in the field's terms rather than by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from heuristics_db._changes import Change, same
from heuristics_db._compare_seeds import portfolio_changes
from heuristics_db._compare_spaces import space_changes
from heuristics_db._document import (
    EarlyStoppingPolicy,
    HeuristicsDocument,
    ModalityHeuristics,
    ModelChoice,
    ModelTypeHeuristics,
    Provenance,
    TaskHeuristics,
    TrialLimits,
)
from heuristics_db._places import figure
from heuristics_db._spaces import Evidence
from heuristics_db._wording import choice_text, limits_text, resources_text, stopping_text


def compare_documents(before: HeuristicsDocument, after: HeuristicsDocument) -> list[Change]:
    """Return what changed: ranges widened, narrowed or moved, scales, what is fixed or free, seeds in, out or moved, models, policies.

    What is used comes first, then what it rests on. Empty exactly when the documents have the same content. `diff_documents` tells the
    same by leaf.
    """
    found: list[Change] = []
    old, new = before.modalities, after.modalities
    for modality in [*old, *(name for name in new if name not in old)]:
        if modality in old and modality in new:
            found += _modality_changes(modality, old[modality], new[modality])
        else:
            found.append(_part(modality, old.get(modality), new.get(modality)))
    return found + list(_provenance_changes(before.provenance, after.provenance))


def _modality_changes(place: str, before: ModalityHeuristics, after: ModalityHeuristics) -> Iterator[Change]:
    yield from _shared_changes(place, before, after)
    old, new = before.tasks, after.tasks
    for task in [*old, *(name for name in new if name not in old)]:
        if task in old and task in new:
            yield from _shared_changes(f"{place}.{task}", old[task], new[task])
        else:
            yield _part(f"{place}.{task}", old.get(task), new.get(task))


def _shared_changes(
    place: str, before: ModalityHeuristics | TaskHeuristics, after: ModalityHeuristics | TaskHeuristics
) -> Iterator[Change]:
    """Yield the changes of what modalities and tasks both have; a task has only those parts that are its own."""
    for name in ("model_choice", "model_types", "portfolio", "early_stopping", "limits"):
        one, other = getattr(before, name), getattr(after, name)
        where = place if name == "model_types" else f"{place}.{name}"
        if (one is None) != (other is None):
            yield _part(where, one, other)
        elif isinstance(one, ModelChoice) and isinstance(other, ModelChoice):
            yield from _choice_changes(where, one, other)
        elif name == "model_types":
            yield from _model_type_changes(place, one, other)
        elif isinstance(one, tuple) and isinstance(other, tuple):
            yield from portfolio_changes(where, one, other)
        elif not same(one, other):
            yield _policy_change(where, one, other)


def _choice_changes(place: str, before: ModelChoice, after: ModelChoice) -> Iterator[Change]:
    evidence = {"evidence_before": before.evidence, "evidence_after": after.evidence}
    if before.order != after.order:
        yield Change(place=place, kind="model choice changed", before=choice_text(before), after=choice_text(after), **evidence)
    elif not same(before, after):
        yield Change(place=place, kind="evidence changed", before=figure(before.regret), after=figure(after.regret), **evidence)


def _model_type_changes(place: str, old: Mapping[str, ModelTypeHeuristics], new: Mapping[str, ModelTypeHeuristics]) -> Iterator[Change]:
    for name in [*old, *(name for name in new if name not in old)]:
        where = f"{place}.{name}"
        if name not in new:
            yield Change(place=where, kind="model type removed", before=_size(old[name]))
        elif name not in old:
            yield Change(place=where, kind="model type added", after=_size(new[name]))
        else:
            before, after = old[name], new[name]
            yield from space_changes(where, before.space, after.space)
            yield from portfolio_changes(f"{where}.portfolio", before.portfolio, after.portfolio)
            if not same(before.resources, after.resources):
                yield _policy_change(f"{where}.resources", before.resources, after.resources)


def _policy_change(place: str, before: Any, after: Any) -> Change:
    old, new = _policy(before), _policy(after)
    evidence = {"evidence_before": getattr(before, "evidence", None), "evidence_after": getattr(after, "evidence", None)}
    return Change(place=place, kind="evidence changed" if old == new else "policy changed", before=old, after=new, **evidence)


def _policy(policy: Any) -> str:
    if policy is None:
        return "none"
    if isinstance(policy, EarlyStoppingPolicy):
        return stopping_text(policy)
    return limits_text(policy) if isinstance(policy, TrialLimits) else resources_text(policy)


def _part(place: str, before: Any, after: Any) -> Change:
    """Return the change of a whole part that only one of the two has: a modality, a task, or what a task has of its own."""
    kept = after if before is None else before
    size = f"{len(kept)} seeds" if isinstance(kept, tuple) else ", ".join(name for name, value in kept if value) if _is_model(kept) else ""
    if before is None:
        return Change(place=place, kind="part added", after=size, evidence_after=_evidence(after))
    return Change(place=place, kind="part removed", before=size, evidence_before=_evidence(before))


def _provenance_changes(before: Provenance, after: Provenance) -> Iterator[Change]:
    old, new = ({each.name: each for each in provenance.datasets} for provenance in (before, after))
    for name in old:
        if name not in new:
            yield Change(place=f"provenance.datasets[{name}]", kind="dataset out", before=f"{old[name].trials} trials")
    for name in new:
        if name not in old:
            yield Change(place=f"provenance.datasets[{name}]", kind="dataset in", after=f"{new[name].trials} trials")
    one, other = before.model_dump(mode="json"), after.model_dump(mode="json")
    if not same(one.pop("datasets"), other.pop("datasets")):
        yield from _dataset_changes(before, after)
    for field in one:
        if same(one[field], other[field]):
            continue
        if isinstance(one[field], dict):
            keys = [key for key in sorted(one[field] | other[field]) if not same(one[field].get(key), other[field].get(key))]
            told = [(f"{field}.{key}", one[field].get(key), other[field].get(key)) for key in keys]
        else:
            told = [(field, one[field], other[field])]
        for name, earlier, later in told or [(field, one[field], other[field])]:
            yield Change(place=f"provenance.{name}", kind="provenance changed", before=figure(earlier), after=figure(later))


def _dataset_changes(before: Provenance, after: Provenance) -> Iterator[Change]:
    """Yield what changed of the datasets that both have, and their order; of repeated names the last counts."""
    old, new = ({each.name: each for each in provenance.datasets} for provenance in (before, after))
    found = 0
    for name in (name for name in old if name in new):
        one, other = old[name].model_dump(mode="json"), new[name].model_dump(mode="json")
        for field in (field for field in one if not same(one[field], other[field])):
            found += 1
            place = f"provenance.datasets[{name}].{field}"
            yield Change(place=place, kind="provenance changed", before=figure(one[field]), after=figure(other[field]))
    names, order = [each.name for each in before.datasets], [each.name for each in after.datasets]
    if names != order and sorted(names) == sorted(order):
        yield Change(place="provenance.datasets", kind="order changed", before=figure(names), after=figure(order))
    elif not found and old.keys() == new.keys():
        yield Change(place="provenance.datasets", kind="provenance changed", before=figure(names), after=figure(order))


def _size(described: ModelTypeHeuristics) -> str:
    return f"{len(described.space.hyperparameters)} hyperparameters, {len(described.portfolio)} seeds"


def _is_model(part: Any) -> bool:
    return isinstance(part, BaseModel)


def _evidence(part: Any) -> Evidence | None:
    found = getattr(part, "evidence", None)
    return found if isinstance(found, Evidence) else None

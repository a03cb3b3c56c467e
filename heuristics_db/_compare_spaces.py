"""What changed in a search space: ranges, scales, choices, priors, conditions, what is searched and what is fixed."""

from __future__ import annotations

from collections.abc import Iterator

from heuristics_db._changes import Change, ChangeKind, same
from heuristics_db._places import figure
from heuristics_db._spaces import CategoricalDomain, Domain, FloatDomain, Hyperparameter, IntDomain, SearchSpace
from heuristics_db._wording import domain_text, hyperparameter_text


def space_changes(place: str, before: SearchSpace, after: SearchSpace) -> Iterator[Change]:
    """Yield the changes of one model type's space; at least one exactly when the two are not written alike."""
    old, new = ({each.name: each for each in space.hyperparameters} for space in (before, after))
    for name in [*old, *(name for name in new if name not in old)]:
        where = f"{place}.{name}"
        if name not in new:
            yield Change(
                place=where, kind="hyperparameter removed", before=hyperparameter_text(old[name]), evidence_before=old[name].evidence
            )
        elif name not in old:
            yield Change(place=where, kind="hyperparameter added", after=hyperparameter_text(new[name]), evidence_after=new[name].evidence)
        else:
            yield from _hyperparameter_changes(where, old[name], new[name])
    kept, order = [name for name in old if name in new], [name for name in new if name in old]
    if kept != order:
        yield Change(place=f"{place}.space", kind="order changed", before=", ".join(kept), after=", ".join(order))
    if before.model_type != after.model_type:
        yield Change(place=f"{place}.space.model_type", kind="kind changed", before=before.model_type, after=after.model_type)


def _hyperparameter_changes(place: str, before: Hyperparameter, after: Hyperparameter) -> Iterator[Change]:
    found = list(_facets(before, after))
    if not found and not same(before, after):
        found = [("evidence changed", before.reason, after.reason)]
    for kind, old, new in found:
        yield Change(place=place, kind=kind, before=old, after=new, evidence_before=before.evidence, evidence_after=after.evidence)


def _facets(before: Hyperparameter, after: Hyperparameter) -> Iterator[tuple[ChangeKind, str, str]]:
    if before.searched != after.searched:
        yield "fixed" if before.searched else "freed", hyperparameter_text(before), hyperparameter_text(after)
    elif not same(before.fixed, after.fixed):
        yield "fixed value changed", figure(before.fixed), figure(after.fixed)
    if not same(before.domain, after.domain):
        yield from _domain_facets(before.domain, after.domain)
    if not same(before.weights, after.weights):
        yield "prior changed", figure(before.weights), figure(after.weights)
    if not same(before.condition, after.condition):
        yield "condition changed", _condition(before), _condition(after)


def _domain_facets(before: Domain, after: Domain) -> Iterator[tuple[ChangeKind, str, str]]:
    old, new = domain_text(before), domain_text(after)
    if before.kind != after.kind:
        yield "kind changed", f"{before.kind}: {old}", f"{after.kind}: {new}"
    elif isinstance(before, CategoricalDomain) and isinstance(after, CategoricalDomain):
        had, has = ({figure(choice) for choice in domain.choices} for domain in (before, after))
        yield "order changed" if had == has else _extent(has >= had, had >= has), old, new
    elif isinstance(before, FloatDomain | IntDomain) and isinstance(after, FloatDomain | IntDomain):
        if before.log != after.log:
            yield "scale changed", "log" if before.log else "linear", "log" if after.log else "linear"
        if not (same(before.low, after.low) and same(before.high, after.high)):
            wider, narrower = after.low <= before.low and after.high >= before.high, after.low >= before.low and after.high <= before.high
            yield _extent(wider, narrower), old, new


def _extent(wider: bool, narrower: bool) -> ChangeKind:
    return "range moved" if wider == narrower else "range widened" if wider else "range narrowed"


def _condition(hyperparameter: Hyperparameter) -> str:
    condition = hyperparameter.condition
    return "always" if condition is None else f"while {condition.parent} is one of {figure(list(condition.values))}"

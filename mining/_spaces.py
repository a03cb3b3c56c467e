"""The mined search space: the wide one, trimmed by the cuts, and wide enough for its seeds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from heuristics_db import CategoricalDomain, Configuration, FloatDomain, Hyperparameter, IntDomain, Scalar, SearchSpace
from mining._trimming import Cut
from mining._windows import Range, Weights


def mined_space(
    wide: SearchSpace,
    cuts: Mapping[str, Cut],
    reasons: Mapping[str, str],
    importances: Mapping[str, float],
    seeds: Sequence[Configuration],
) -> SearchSpace:
    """Return ``wide`` with each cut made, then widened again as far as the ``seeds`` need; each hyperparameter says why it is as it is."""
    found = []
    for each in wide.hyperparameters:
        cut = cuts.get(each.name)
        new = each if cut is None else _trimmed(each, cut)
        reason = reasons.get(each.name, each.reason) if cut is None else cut.reason
        needed = [seed[each.name] for seed in seeds if each.name in seed and not new.admits(seed[each.name])]
        if needed:
            new = _widened(new, each, needed)
            reason += f"; widened to hold {len(needed)} seed{'s' if len(needed) > 1 else ''}"
        evidence = cut.evidence if cut else each.evidence
        found.append(new.model_copy(update={"reason": reason, "evidence": evidence, "importance": importances.get(each.name)}))
    # validated anew: model_copy checks nothing
    return SearchSpace.model_validate(SearchSpace(model_type=wide.model_type, hyperparameters=tuple(found)).model_dump())


def _trimmed(hyperparameter: Hyperparameter, cut: Cut) -> Hyperparameter:
    domain, window = hyperparameter.domain, cut.window
    if isinstance(domain, CategoricalDomain) and isinstance(window, Weights):
        kept = [index for index, weight in enumerate(window.values) if weight > 0]
        choices = tuple(domain.choices[index] for index in kept)
        weights = tuple(window.values[index] for index in kept)
        return hyperparameter.model_copy(update={"domain": CategoricalDomain(choices=choices), "weights": weights})
    if isinstance(domain, IntDomain) and isinstance(window, Range):
        ends = (math.ceil(_value(domain, window.low) - 1e-9), math.floor(_value(domain, window.high) + 1e-9))
        return hyperparameter.model_copy(update={"domain": IntDomain(low=min(ends), high=max(ends), log=domain.log)})
    if isinstance(domain, FloatDomain) and isinstance(window, Range):
        low, high = (min(max(float(f"{_value(domain, end):.3g}"), domain.low), domain.high) for end in (window.low, window.high))
        return hyperparameter.model_copy(update={"domain": FloatDomain(low=low, high=high, log=domain.log)})
    raise TypeError(f"{hyperparameter.name}: a {type(window).__name__} does not trim a {domain.kind} domain")


def _widened(trimmed: Hyperparameter, wide: Hyperparameter, needed: Sequence[Scalar]) -> Hyperparameter:
    domain = trimmed.domain
    if isinstance(domain, CategoricalDomain) and isinstance(wide.domain, CategoricalDomain):
        kept = [choice for choice in wide.domain.choices if domain.contains(choice) or _among(choice, needed)]
        weights = trimmed.weights or tuple(1.0 for _ in domain.choices)
        least = min(weight for weight in weights if weight > 0)
        own = {_key(choice): weight for choice, weight in zip(domain.choices, weights, strict=True)}
        return trimmed.model_copy(
            update={"domain": CategoricalDomain(choices=tuple(kept)), "weights": tuple(own.get(_key(choice), least) for choice in kept)}
        )
    numbers = [each for each in needed if isinstance(each, int | float)]
    if isinstance(domain, IntDomain):
        whole = [int(each) for each in numbers]
        new: IntDomain | FloatDomain = IntDomain(low=min(domain.low, *whole), high=max(domain.high, *whole), log=domain.log)
    elif isinstance(domain, FloatDomain):
        new = FloatDomain(low=min(domain.low, *numbers), high=max(domain.high, *numbers), log=domain.log)
    else:
        raise TypeError(f"{wide.name}: a {domain.kind} domain cannot be widened to hold {needed}")
    return trimmed.model_copy(update={"domain": new})


def _value(domain: FloatDomain | IntDomain, place: float) -> float:
    if domain.log:
        return math.exp(math.log(domain.low) + place * math.log(domain.high / domain.low))
    return domain.low + place * (domain.high - domain.low)


def _among(choice: Scalar, values: Sequence[Scalar]) -> bool:
    return any(_key(choice) == _key(each) for each in values)


def _key(choice: Scalar) -> tuple[bool, Scalar]:
    return isinstance(choice, bool), choice

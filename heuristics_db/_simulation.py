"""The gate's error rates, by simulation: how often its bounds refuse what is as good, and how often they find what does harm. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from heuristics_db._bounds import Floats, bootstrapped, pooled
from heuristics_db._errors import HeuristicsError
from heuristics_db._policy import GateRules
from heuristics_db._spaces import Frozen
from heuristics_db._summary import ValidationSummary

REFUSED_AT_MOST = 0.10
"""How often an identical version may be refused."""

FOUND_AT_LEAST = 0.80
"""How often harm must be found."""

REPEATS = 20_000
REPEATS_OF_BOOTSTRAP = 200
MOST_SEEDS = 50


class Supposed(Frozen):
    """What a simulation takes to be true.

    ``noise`` is the standard deviation of a paired difference from seed to seed on one dataset, ``gain`` how much better than the untuned
    search the version in the channel is on each dataset, both in normalised regret. ``datasets`` and ``seeds`` are how many are looked at,
    ``look`` is the number of the look.
    """

    noise: float
    gain: float
    datasets: int
    seeds: int
    look: int = 1


class ErrorRate(Frozen):
    """How often versions of one kind are refused (of all repeats), and the bar for it. ``rules`` tells how often by which rule."""

    scenario: str
    refused: float
    at_most: float | None = None
    at_least: float | None = None
    rules: dict[str, float]

    @property
    def holds(self) -> bool:
        """Say whether the rate keeps its bar."""
        return (self.at_most is None or self.refused <= self.at_most) and (self.at_least is None or self.refused >= self.at_least)


class _Scenario(NamedTuple):
    name: str
    shift: Floats  # regret added on each dataset to that of the version in the channel
    gain: float
    at_most: float | None = None
    at_least: float | None = None


def simulate(rules: GateRules, supposed: Supposed, *, repeats: int = REPEATS, seed: int = 0) -> tuple[ErrorRate, ...]:
    """Return the error rates of the bounds of ``rules``, each from ``repeats`` validations drawn at random.

    Three versions are drawn at each repeat, with normal noise of their own: the one before the gate, the one in the channel, and the
    untuned search. The bounds are those of the gate itself; what no noise can change (leaks, provenance, budget) is left out.

    Raises:
        HeuristicsError: what is supposed makes no validation.

    """
    if supposed.noise < 0 or supposed.datasets < 1 or supposed.seeds < 1 or repeats < 1:
        raise HeuristicsError("a simulation needs noise of at least 0, and at least 1 dataset, 1 seed and 1 repeat")
    repeats = repeats if rules.confidence is None else min(repeats, REPEATS_OF_BOOTSTRAP)
    random = np.random.default_rng(seed)
    return tuple(_rate(rules, supposed, each, random, repeats) for each in _scenarios(rules, supposed))


def seeds_needed(rules: GateRules, supposed: Supposed, *, repeats: int = 4000) -> int | None:
    """Return the fewest seeds a dataset at which every rate holds, or ``None`` when none up to `MOST_SEEDS` do."""
    for seeds in range(2, MOST_SEEDS + 1):
        if all(rate.holds for rate in simulate(rules, supposed.model_copy(update={"seeds": seeds}), repeats=repeats)):
            return seeds
    return None


def measured_noise(summaries: list[ValidationSummary]) -> float | None:
    """Return the standard deviation of paired differences from seed to seed, pooled over the datasets of all ``summaries``, if it shows."""
    groups = [np.asarray(values) for each in summaries for values in each.differences().values() if len(values) > 1]
    freedom = sum(len(group) - 1 for group in groups)
    return float(np.sqrt(sum(((group - group.mean()) ** 2).sum() for group in groups) / freedom)) if freedom else None


def _scenarios(rules: GateRules, supposed: Supposed) -> Iterator[_Scenario]:
    none, one = np.zeros(supposed.datasets), np.zeros(supposed.datasets)
    one[-1] = 2 * rules.margin  # the last is no reserved one, where there is another
    yield _Scenario("identical to the version in the channel", none, supposed.gain, at_most=REFUSED_AT_MOST)
    yield _Scenario(f"harm of {2 * rules.margin:g} on one dataset", one, supposed.gain, at_least=FOUND_AT_LEAST)
    yield _Scenario(f"harm of {rules.margin:g} on every dataset", none + rules.margin, supposed.gain, at_least=FOUND_AT_LEAST)
    yield _Scenario("no better than the untuned search", none, 0.0, at_least=FOUND_AT_LEAST)


def _rate(rules: GateRules, supposed: Supposed, scenario: _Scenario, random: np.random.Generator, repeats: int) -> ErrorRate:
    shape = (3, repeats, supposed.datasets, supposed.seeds)
    # the difference of two searches has the noise that was asked for
    candidate, incumbent, untuned = random.normal(0, supposed.noise / np.sqrt(2), shape)
    candidate = candidate + scenario.shift[:, None]
    against = {"the untuned search": candidate - untuned - scenario.gain, "the version in the channel": candidate - incumbent}
    refused = dict(_refusals(rules, supposed, against))
    return ErrorRate(
        scenario=scenario.name,
        refused=float(np.logical_or.reduce(list(refused.values())).mean()),
        at_most=scenario.at_most,
        at_least=scenario.at_least,
        rules={name: float(each.mean()) for name, each in refused.items()},
    )


def _refusals(rules: GateRules, supposed: Supposed, against: dict[str, Floats]) -> Iterator[tuple[str, np.ndarray]]:
    level, deciding = rules.level(supposed.look), rules.reserved or supposed.datasets
    for whom, differences in against.items():
        estimate = pooled([differences[:, index] for index in range(min(deciding, supposed.datasets))])
        yield f"against {whom}", estimate.upper(level) >= (0.0 if whom == "the untuned search" else rules.margin)
        yield f"worst dataset, {whom}", differences.mean(axis=-1).max(axis=-1) > rules.margin
    if rules.confidence is not None:
        sure = rules.family_level(supposed.look)
        families = against["the untuned search"][:, :deciding]
        yield "other families", np.array([bootstrapped([[each] for each in repeat], sure) >= 0 for repeat in families])

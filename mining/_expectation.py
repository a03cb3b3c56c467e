"""The expected best of a few draws from a finite list of trials: random search, exactly and without drawing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mining._regret import Floats


def expected_best(regrets: Floats, draws: Sequence[int], weights: Floats | None = None, ceiling: float = np.inf) -> Floats:
    """Return, for each number of ``draws`` (with replacement), the expectation of the least regret drawn, or ``ceiling`` if that is less.

    ``regrets`` has one finite value a configuration, ``weights`` how often each is drawn (even when not given; not all 0).
    """
    order = np.argsort(regrets, kind="stable")
    values = np.minimum(regrets[order], ceiling)
    shares = np.ones(len(values)) if weights is None else weights[order]
    beyond = np.maximum(1 - np.cumsum(shares) / shares.sum(), 0)
    steps = np.diff(values)
    found = []
    for count in draws:
        if count == 0:
            found.append(ceiling)
        else:
            found.append(values[0] + float(np.sum(steps * beyond[:-1] ** count)))
    return np.asarray(found)


def expected_best_of_groups(groups: Sequence[Floats], draws: Sequence[float]) -> float:
    """Return the expectation of the least regret when ``draws[i]`` are drawn from ``groups[i]``, of all groups together."""
    values = np.unique(np.concatenate(groups))
    survival = np.ones(len(values))
    for group, count in zip(groups, draws, strict=True):
        beyond = 1 - np.searchsorted(np.sort(group), values, side="right") / len(group)
        survival = survival * beyond**count
    return float(values[0] + np.sum(np.diff(values) * survival[:-1]))


def effective_size(weights: Floats) -> float:
    """Return how many evenly drawn configurations the weights amount to (Kish)."""
    return float(weights.sum() ** 2 / (weights**2).sum()) if weights.any() else 0.0

"""The expected best of a few draws from a finite list of trials: random search, exactly and without drawing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

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


def expected_best_of_groups(groups: Sequence[Floats], draws: Sequence[float], ceiling: float = np.inf) -> float:
    """Return the expectation of the least regret when ``draws[i]`` different trials of ``groups[i]`` are drawn, of all groups together.

    Drawing without replacement makes it an unbiased estimate of what as many fresh draws from the space would come to. A part of a draw
    counts as that part; more draws than trials count as all of them; ``ceiling`` is the least regret there is already.
    """
    values = np.unique(np.concatenate(groups))
    survival = np.ones(len(values))
    for group, count in zip(groups, draws, strict=True):
        worse = len(group) - np.searchsorted(np.sort(group), values, side="right")
        survival = survival * _all_among(worse, len(group), min(count, len(group)))
    capped = np.minimum(values, ceiling)
    return float(capped[0] + np.sum(np.diff(capped) * survival[:-1]))


def _all_among(some: npt.NDArray[np.int64], of: int, draws: float) -> Floats:
    """Return the chance that all of ``draws`` things drawn from ``of`` are among ``some`` of them, for each number in ``some``."""
    from scipy.special import gammaln

    found = np.zeros(len(some))
    enough = some - draws > -1 + 1e-9
    logs = gammaln(some[enough] + 1) - gammaln(some[enough] - draws + 1) - gammaln(of + 1) + gammaln(of - draws + 1)
    found[enough] = np.exp(logs)
    return found


def effective_size(weights: Floats) -> float:
    """Return how many evenly drawn configurations the weights amount to (Kish)."""
    return float(weights.sum() ** 2 / (weights**2).sum()) if weights.any() else 0.0

"""What curves of regret tell, and how surely: means with bootstrap intervals, and paired differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mining._regret import Floats

_RESAMPLES = 10_000


@dataclass(frozen=True)
class Mean:
    """A mean over families and its 95 % bootstrap interval (families drawn with replacement; a family's datasets count as one)."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Comparison:
    """One method less another, after ``trials`` trials; below 0 the first is better.

    ``wins``, ``ties`` and ``losses`` count datasets; a difference up to ``margin`` is a tie. ``p`` is of a two-sided Wilcoxon signed-rank
    test over families (1 when they are all alike).
    """

    trials: int
    difference: Mean
    ratio: float
    p: float
    wins: int
    ties: int
    losses: int
    margin: float


def mean_of(values: Floats, families: Sequence[str], seed: int) -> Mean:
    """Return the mean of ``values`` (one a dataset) over families, with its interval."""
    means = _family_means(values, families)
    drawn = np.random.default_rng(seed).integers(0, len(means), size=(_RESAMPLES, len(means)))
    low, high = np.quantile(means[drawn].mean(axis=1), [0.025, 0.975])
    return Mean(float(means.mean()), float(low), float(high))


def compare(ours: Floats, theirs: Floats, families: Sequence[str], *, trials: int, margin: float, seed: int) -> Comparison:
    """Compare two methods' regrets [dataset, trial] after ``trials`` trials, dataset by dataset."""
    first, second = ours[:, trials - 1], theirs[:, trials - 1]
    difference = first - second
    below = float(_family_means(second, families).mean())
    return Comparison(
        trials=trials,
        difference=mean_of(difference, families, seed),
        ratio=float(_family_means(first, families).mean()) / below if below > 0 else float("nan"),
        p=_wilcoxon(_family_means(difference, families)),
        wins=int((difference < -margin).sum()),
        ties=int((np.abs(difference) <= margin).sum()),
        losses=int((difference > margin).sum()),
        margin=margin,
    )


def _family_means(values: Floats, families: Sequence[str]) -> Floats:
    names = np.asarray(families)
    return np.asarray([values[names == each].mean() for each in np.unique(names)])


def _wilcoxon(differences: Floats) -> float:
    if len(differences) < 2 or not differences.any():
        return 1.0
    from scipy.stats import wilcoxon

    return float(wilcoxon(differences, zero_method="zsplit").pvalue)

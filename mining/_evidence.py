"""Whether a gain on families left out is one, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mining._regret import Floats

_MOST_FOLDS = 10
_RESAMPLES = 2000


def folds(families: Sequence[str]) -> list[frozenset[str]]:
    """Split the families into groups to leave out in turn: each alone, or ten groups when there are more."""
    names = sorted(set(families))
    count = min(len(names), _MOST_FOLDS)
    return [frozenset(names[start::count]) for start in range(count)]


def by_family(effects: Sequence[float], families: Sequence[str]) -> Floats:
    """Return the mean effect of each family, in the order of their names; NaN entries are left out, empty families too."""
    values = np.asarray(effects, dtype=np.float64)
    means = []
    for family in sorted(set(families)):
        own = values[[each == family for each in families]]
        own = own[np.isfinite(own)]
        if len(own):
            means.append(own.mean())
    return np.asarray(means)


def p_of_gain(effects: Floats) -> float:
    """Return the one-sided p-value of a t test that the mean effect lies below 0; 1 for fewer than three families."""
    if len(effects) < 3:
        return 1.0
    spread = float(effects.std(ddof=1))
    if spread < 1e-12:
        return 0.0 if effects.mean() < 0 else 1.0
    from scipy.stats import t

    return float(t.cdf(effects.mean() / (spread / np.sqrt(len(effects))), len(effects) - 1))


def interval(effects: Floats, seed: int) -> tuple[float, float] | None:
    """Return the 95 % bootstrap interval of the mean effect over families; ``None`` for fewer than two."""
    if len(effects) < 2:
        return None
    means = np.random.default_rng(seed).choice(effects, size=(_RESAMPLES, len(effects))).mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return round(float(low), 6), round(float(high), 6)

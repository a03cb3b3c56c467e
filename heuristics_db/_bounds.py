"""Bounds of paired differences: seeds vary within a dataset, and their variance is pooled over datasets. Pure.

Arrays may have any number of leading axes (repeats of a simulation): the gate and the simulation of its error rates count the same way.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

RESAMPLES = 4000
BOOTSTRAP_SEED = 20_201_130


class Estimate(NamedTuple):
    """The mean of each dataset (last axis), their mean, its standard error, and the degrees of freedom of that error's variance."""

    datasets: Floats
    mean: Floats
    error: Floats
    freedom: int

    def upper(self, level: float) -> Floats:
        """Return the one-sided upper bound of the mean at ``level``, by Student's t; infinite where no variance can be told."""
        from scipy.stats import t  # imported here: the rest of the store does without SciPy

        if self.freedom < 1:
            return np.full_like(self.mean, math.inf)
        return np.asarray(self.mean + float(t.ppf(level, self.freedom)) * self.error)


def pooled(differences: Sequence[Floats]) -> Estimate:
    """Estimate the mean over datasets from the paired differences of each (seeds along the last axis), all datasets counting alike.

    The datasets are those of the suite, not a sample: what is random is the seeds. Their variance is taken to be the same on all datasets
    and pooled over them, since a few seeds a dataset tell little about it.
    """
    means = np.stack([each.mean(axis=-1) for each in differences], axis=-1)
    freedom = sum(each.shape[-1] - 1 for each in differences)
    scatter = sum(((each - each.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1) for each in differences)
    of_means = np.asarray(scatter) / max(freedom, 1) * sum(1 / each.shape[-1] for each in differences)
    return Estimate(means, means.mean(axis=-1), np.sqrt(of_means) / len(differences), freedom)


def bootstrapped(families: Sequence[Sequence[Floats]], level: float) -> float:
    """Return the upper bound at ``level`` of the mean over datasets, had other families been drawn: differences by family and dataset.

    A two-stage bootstrap (Davison & Hinkley, 1997, section 3.8): families are drawn with replacement, whole, since their datasets are not
    independent; then seeds within each dataset. Plain percentiles are too sure of themselves with few families, so the level is widened to
    what Student's t asks for (the expanded percentile bound; Hesterberg, 2015). The random numbers are fixed: same data, same bound.
    """
    random, count = np.random.default_rng(BOOTSTRAP_SEED), len(families)
    # per resample: draw as many families as there are; each drawn family brings all its datasets, with seeds drawn anew at each draw
    totals = np.stack(
        [np.sum([random.choice(each, (RESAMPLES, count, len(each))).mean(axis=2) for each in family], axis=0) for family in families]
    )
    sizes = np.array([len(family) for family in families])
    drawn = random.integers(count, size=(RESAMPLES, count))
    summed = totals[drawn, np.arange(RESAMPLES)[:, None], np.arange(count)[None, :]].sum(axis=1)
    return float(np.quantile(summed / sizes[drawn].sum(axis=1), _expanded(level, count)))


def _expanded(level: float, families: int) -> float:
    """Return the percentile that stands for ``level`` with so few families; with one, nothing is known but its worst."""
    from scipy.stats import norm, t

    if families < 2:
        return 1.0
    return float(norm.cdf(math.sqrt(families / (families - 1)) * t.ppf(level, families - 1)))

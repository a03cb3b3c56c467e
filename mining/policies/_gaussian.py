"""The Gaussian model of a new dataset's log-regret, and what trying a candidate may gain under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mining.policies._encoding import Floats

_LEVEL_VARIANCE = 9.0
"""Of the unknown scale of a metric, in log units: so wide that it says next to nothing."""
_DEPTHS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
"""How far below the best score seen the best possible one may lie, in units of the spread seen; each weighs as the scores fit it."""
_FARTHEST = 20.0


@dataclass(frozen=True)
class Variances:
    """How much of a dataset's deviation from the mean each part of the model explains (see ``heuristics_db.AdaptiveSeeds``)."""

    factor: float
    kernel: float
    length: float
    noise: float


class LogRegretModel:
    """Mean and covariance of the log-regret of candidates on a new dataset; rows are the candidates.

    Args:
        mean: mean log-regret of each candidate.
        factors: one row a candidate.
        distances: between candidates; infinite between model types.
        variances: of the parts.

    """

    def __init__(self, mean: Floats, factors: Floats, distances: Floats, variances: Variances) -> None:
        self._mean = mean
        self._noise = variances.noise
        self._covariance = (
            variances.factor * (factors @ factors.T) + variances.kernel * matern(distances / variances.length) + _LEVEL_VARIANCE
        )

    def next(self, tried: Sequence[int], losses: Sequence[float], running: Sequence[int] = ()) -> int | None:
        """Return the candidate with the greatest expected improvement over the least of ``losses`` (of the rows ``tried``, each finite).

        Level and scale of the losses do not matter. Candidates that are ``running`` count as coming to what is expected of them.
        ``None`` when every candidate was tried.
        """
        open_rows = np.setdiff1d(np.arange(len(self._mean)), [*tried, *running])
        if not len(open_rows):
            return None
        gains = self.expected_improvements(np.asarray(tried, dtype=int), np.asarray(losses), np.asarray(running, dtype=int), open_rows)
        return int(open_rows[int(np.argmax(gains))])

    def expected_improvements(self, tried: np.ndarray, losses: Floats, running: np.ndarray, wanted: np.ndarray) -> Floats:
        """Return the expected improvement of the ``wanted`` rows, in units of the spread of ``losses``."""
        heights = np.minimum((losses - losses.min()) / _spread(losses), _FARTHEST)
        logs, gains = [], []
        for depth in _DEPTHS:
            found = np.log(heights + depth)
            mean, variance, fit = self._posterior(tried, found, running, wanted)
            deviation = np.sqrt(variance)
            below = (np.log(depth) - mean) / deviation
            gains.append(np.maximum(depth * _normal(below) - np.exp(mean + variance / 2) * _normal(below - deviation), 0.0))
            logs.append(fit - float(found.sum()))  # the second part: densities of logarithms as densities of scores
        weights = np.exp(np.asarray(logs) - max(logs))
        return np.asarray((weights / weights.sum()) @ np.asarray(gains))

    def _posterior(self, tried: np.ndarray, found: Floats, running: np.ndarray, wanted: np.ndarray) -> tuple[Floats, Floats, float]:
        """Return mean and variance of the ``wanted`` rows, and the log-likelihood of what was ``found``."""
        lower = self._lower(tried)
        solved = np.linalg.solve(lower, found - self._mean[tried])
        fit = -0.5 * float(solved @ solved) - float(np.log(np.diag(lower)).sum())
        if len(running):
            expected = self._mean[running] + np.linalg.solve(lower, self._covariance[np.ix_(tried, running)]).T @ solved
            tried, found = np.concatenate([tried, running]), np.concatenate([found, expected])
            lower = self._lower(tried)
            solved = np.linalg.solve(lower, found - self._mean[tried])
        across = np.linalg.solve(lower, self._covariance[np.ix_(tried, wanted)])
        mean = self._mean[wanted] + across.T @ solved
        variance = self._covariance[wanted, wanted] + self._noise - (across**2).sum(axis=0)
        return mean, np.maximum(variance, 1e-9), fit

    def _lower(self, rows: np.ndarray) -> Floats:
        return np.asarray(np.linalg.cholesky(self._covariance[np.ix_(rows, rows)] + self._noise * np.eye(len(rows))))


def matern(distances: Floats) -> Floats:
    """Return the Matérn 5/2 correlation at ``distances`` (in lengths); 0 at infinity."""
    scaled = np.sqrt(5.0) * np.where(np.isfinite(distances), distances, 1e3)
    return np.asarray((1 + scaled + scaled**2 / 3) * np.exp(-scaled))


def distances_between(points: Sequence[Floats], model_types: Sequence[str]) -> Floats:
    """Return the distances between configurations (encoded, of several model types), infinite between model types."""
    names = np.asarray(model_types)
    found = np.full((len(names), len(names)), np.inf)
    for each in np.unique(names):
        own = np.flatnonzero(names == each)
        block = np.asarray([points[int(row)] for row in own])
        squares = (block**2).sum(axis=1)
        found[np.ix_(own, own)] = np.sqrt(np.maximum(squares[:, None] + squares[None] - 2 * block @ block.T, 0.0))
    return found


def _spread(losses: Floats) -> float:
    """Return a robust unit for losses: what half of them lie above the least, a quarter of their range at least."""
    low = float(losses.min())
    return max(float(np.median(losses)) - low, (float(losses.max()) - low) / 4, 1e-300)


def _normal(values: Floats) -> Floats:
    from scipy.special import ndtr

    return np.asarray(ndtr(values))

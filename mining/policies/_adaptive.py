"""Adaptive seeds as a search follows them, and how their model is fitted to the log-regrets of source datasets."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np

from heuristics_db import AdaptiveCandidate, AdaptiveSeeds, HeuristicsError, InvariantError, SearchSpace
from mining.policies._encoding import Floats, encode
from mining.policies._gaussian import LogRegretModel, Variances, distances_between, matern
from mining.policies._history import Direction, Observation, configuration_key

_MOST_FACTORS = 10
_MOST_FITTED = 12
_FITTED_ROWS = 80
_LEVEL_VARIANCE = 9.0
_FACTOR = (0.25, 0.6, 1.0, 2.0)
_KERNEL = (0.03, 0.1, 0.3, 1.0)
_LENGTHS = (0.3, 0.6, 1.2)
_NOISE = (0.02, 0.06, 0.2, 0.5)


class AdaptivePicker:
    """Picks candidates by what a search has seen. Pure: the same history gives the same pick.

    Raises:
        InvariantError: a candidate does not lie in its space.

    """

    def __init__(self, seeds: AdaptiveSeeds, spaces: Mapping[str, SearchSpace]) -> None:
        # candidates of model types that this search leaves out are no candidates of it
        self._candidates = [each for each in seeds.candidates if each.model_type in spaces]
        for number, each in enumerate(self._candidates, 1):
            problem = spaces[each.model_type].misfit(each.configuration)
            if problem:
                raise InvariantError(f"adaptive candidate {number} ({each.model_type}) cannot be tried: {problem}")
        self._rows = {configuration_key(each.model_type, each.configuration): row for row, each in enumerate(self._candidates)}
        self._model: LogRegretModel | None = None
        self._seeds, self._spaces = seeds, spaces

    @property
    def candidates(self) -> Sequence[AdaptiveCandidate]:
        """Return the candidates that may be picked, in their order."""
        return self._candidates

    def next(self, history: Sequence[Observation], direction: Direction) -> AdaptiveCandidate | None:
        """Return the candidate to try after ``history``; ``None`` when fewer than two candidates have a result, or all were tried."""
        sign = 1.0 if direction == "minimize" else -1.0
        scores = [sign * each.value for each in history if _counts(each) and each.value is not None]
        if not scores:
            return None
        losses: dict[int, float] = {}
        running: list[int] = []
        for each in history:
            row = self._rows.get(configuration_key(each.model_type, each.configuration))
            if row is None:
                continue
            if each.value is None and not each.failed:
                running.append(row)
            else:
                losses[row] = sign * each.value if _counts(each) and each.value is not None else max(scores)
        if len(losses) < 2:
            return None
        picked = self._fitted().next(list(losses), list(losses.values()), [row for row in dict.fromkeys(running) if row not in losses])
        return None if picked is None else self._candidates[picked]

    def _fitted(self) -> LogRegretModel:
        if self._model is None:
            points = encoded_points([(each.model_type, each.configuration) for each in self._candidates], self._spaces)
            self._model = LogRegretModel(
                np.asarray([each.mean for each in self._candidates]),
                np.asarray([each.factors for each in self._candidates]).reshape(len(self._candidates), -1),
                distances_between(points, [each.model_type for each in self._candidates]),
                Variances(self._seeds.factor_variance, self._seeds.kernel_variance, self._seeds.kernel_length, self._seeds.noise),
            )
        return self._model


def _counts(observation: Observation) -> bool:
    return not observation.failed and observation.value is not None and math.isfinite(observation.value)


def encoded_points(configurations: Sequence[tuple[str, Mapping[str, object]]], spaces: Mapping[str, SearchSpace]) -> list[Floats]:
    """Return each configuration (with its model type) as a row of numbers, each on the scale of its own space."""
    found: dict[int, Floats] = {}
    for name in sorted({model_type for model_type, _ in configurations}):
        own = [row for row, (model_type, _) in enumerate(configurations) if model_type == name]
        block = encode(spaces[name], [configurations[row][1] for row in own])  # type: ignore[misc]
        found |= dict(zip(own, block, strict=True))
    return [found[row] for row in range(len(configurations))]


def moments(logs: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the weighted mean of log-regrets [candidate, dataset] over datasets, and the factors that span how datasets differ.

    The factors times their own transpose are the covariance over datasets (each dataset's level taken out), its ten greatest parts.
    """
    mean = logs @ weights
    apart = logs - mean[:, None]
    apart = apart - apart.mean(axis=0)
    effective = 1 / float((weights**2).sum())
    factors = apart * np.sqrt(weights * effective / max(effective - 1, 1.0))
    if factors.shape[1] > _MOST_FACTORS:
        left, values, _ = np.linalg.svd(factors, full_matrices=False)
        factors = left[:, :_MOST_FACTORS] * values[:_MOST_FACTORS]
    return mean, factors


def fit_variances(logs: Floats, weights: Floats, distances: Floats, seed: int) -> Variances:
    """Choose the variances under which each dataset is the most likely by what the others say (leave-one-dataset-out, a grid).

    Args:
        logs: log-regrets [candidate, dataset], no cell empty; two datasets at least.
        weights: of the datasets, summing to 1.
        distances: between candidates.
        seed: of the choice of candidates and datasets that are compared: twelve datasets, eighty candidates each.

    """
    if logs.shape[1] < 2:
        raise HeuristicsError("variances cannot be fitted to fewer than two datasets")
    stream = np.random.default_rng(seed)
    parts = []
    for column in stream.permutation(logs.shape[1])[:_MOST_FITTED]:
        others = np.arange(logs.shape[1]) != column
        mean, factors = moments(logs[:, others], weights[others] / weights[others].sum())
        rows = np.sort(stream.permutation(len(logs))[:_FITTED_ROWS])
        apart = distances[np.ix_(rows, rows)]
        parts.append((logs[rows, column] - mean[rows], factors[rows] @ factors[rows].T, {each: matern(apart / each) for each in _LENGTHS}))

    def likelihood(choice: tuple[float, float, float, float]) -> float:
        factor, kernel, length, noise = choice
        return sum(
            _log_likelihood(rest, factor * spanned + kernel * smooth[length] + _LEVEL_VARIANCE + noise * np.eye(len(rest)))
            for rest, spanned, smooth in parts
        )

    return Variances(*max(itertools.product(_FACTOR, _KERNEL, _LENGTHS, _NOISE), key=likelihood))


def _log_likelihood(values: Floats, covariance: Floats) -> float:
    lower = np.linalg.cholesky(covariance)
    solved = np.linalg.solve(lower, values)
    return -0.5 * float(solved @ solved) - float(np.log(np.diag(lower)).sum())

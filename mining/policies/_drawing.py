"""Configurations drawn from a search space without looking at any result."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from heuristics_db import CategoricalDomain, HeuristicsError, Hyperparameter, Scalar, SearchSpace
from mining.policies._history import configuration_key

Sampler = Literal["random", "sobol", "grid"]
_BARREN_DRAWS = 1000
_LISTED_GRID = 1_000_000


def draw_configurations(space: SearchSpace, n: int, *, seed: int, sampler: Sampler = "random") -> list[dict[str, Scalar]]:
    """Draw ``n`` different configurations from ``space``; the same arguments give the same list.

    ``random`` and ``sobol`` follow each domain's scale and each prior's weights, and the first ``k`` of ``n`` are those that ``n = k``
    would give, so that a sweep can be made longer. ``grid`` lays the coarsest full grid with at least ``n`` points (both ends of
    each domain included) and takes ``n`` of them at random.
    A finite space that holds fewer than ``n`` configurations gives those that it holds.

    Raises:
        HeuristicsError: ``n`` is below 1, or the sampler is unknown.

    """
    if n < 1:
        raise HeuristicsError(f"{space.model_type}: cannot draw {n} configurations; ask for at least 1")
    if sampler == "grid":
        return _grid(space, n, seed)
    if sampler in {"random", "sobol"}:
        rows = (_random_rows if sampler == "random" else _sobol_rows)(len(space.hyperparameters), seed)
        return _distinct(space.model_type, (configuration_at(space, row) for row in rows), n)
    raise HeuristicsError(f"unknown sampler {sampler!r}; known are random, sobol and grid")


def configuration_at(space: SearchSpace, point: Sequence[float]) -> dict[str, Scalar]:
    """Map a point of the unit cube (one coordinate in [0, 1) a hyperparameter) to the configuration that stands there."""
    values = {each.name: _value_at(each, position) for each, position in zip(space.hyperparameters, point, strict=True)}
    return {each.name: values[each.name] for each in space.active(values)}


def _distinct(model_type: str, configurations: Iterator[dict[str, Scalar]], n: int) -> list[dict[str, Scalar]]:
    found: dict[str, dict[str, Scalar]] = {}
    barren = 0
    for configuration in configurations:
        key = configuration_key(model_type, configuration)
        barren = barren + 1 if key in found else 0
        found.setdefault(key, configuration)
        if len(found) == n or barren == _BARREN_DRAWS:
            break
    return list(found.values())


def _random_rows(width: int, seed: int) -> Iterator[Sequence[float]]:
    generator = np.random.default_rng(seed)
    while True:
        yield generator.random(width).tolist()


def _sobol_rows(width: int, seed: int) -> Iterator[Sequence[float]]:
    from scipy.stats import qmc  # half a second that only this sampler pays

    engine = qmc.Sobol(max(width, 1), scramble=True, rng=np.random.default_rng(seed))
    while True:
        # one power of two at a time keeps the balance of the sequence, and the prefix the same for every n
        yield from np.clip(engine.random(64), 0.0, np.nextafter(1.0, 0.0))[:, :width].tolist()


def _value_at(hyperparameter: Hyperparameter, position: float) -> Scalar:
    domain = hyperparameter.domain
    if not hyperparameter.searched:
        return hyperparameter.fixed
    if isinstance(domain, CategoricalDomain):
        weights = np.asarray(hyperparameter.weights or [1.0] * len(domain.choices))
        ends = np.cumsum(weights) / weights.sum()
        return domain.choices[min(int(np.searchsorted(ends, position, side="right")), len(domain.choices) - 1)]
    if domain.kind == "int":
        low, high = domain.low - 0.5, domain.high + 0.5
        return min(max(round(_between(low, high, position, log=domain.log)), domain.low), domain.high)
    return min(max(_between(domain.low, domain.high, position, log=domain.log), domain.low), domain.high)


def _between(low: float, high: float, position: float, *, log: bool) -> float:
    if log:
        return math.exp(math.log(low) + position * (math.log(high) - math.log(low)))
    return low + position * (high - low)


def _grid(space: SearchSpace, n: int, seed: int) -> list[dict[str, Scalar]]:
    axes: list[list[Scalar]] = []
    found: list[dict[str, Scalar]] = []
    for levels in range(2, n + 2):
        coarser, axes = axes, [_levels(each, levels) for each in space.hyperparameters]
        if math.prod(len(axis) for axis in axes) >= n or axes == coarser:
            found = _distinct(space.model_type, _grid_configurations(space, axes, seed), n)
        if len(found) >= n or axes == coarser:
            return found
    return found


def _grid_configurations(space: SearchSpace, axes: list[list[Scalar]], seed: int) -> Iterator[dict[str, Scalar]]:
    size = math.prod(len(axis) for axis in axes)
    generator = np.random.default_rng(seed)
    indices = generator.permutation(size) if size <= _LISTED_GRID else iter(lambda: generator.integers(size), None)
    for index in indices:
        rest, chosen = int(index), {}
        for each, axis in zip(space.hyperparameters, axes, strict=True):
            rest, step = divmod(rest, len(axis))
            chosen[each.name] = axis[step]
        yield {each.name: chosen[each.name] for each in space.active(chosen)}


def _levels(hyperparameter: Hyperparameter, levels: int) -> list[Scalar]:
    domain = hyperparameter.domain
    if not hyperparameter.searched:
        return [hyperparameter.fixed]
    if isinstance(domain, CategoricalDomain):
        return list(domain.choices)
    steps = [index / (levels - 1) for index in range(levels)]
    if domain.kind == "int":
        return list(dict.fromkeys(round(_between(domain.low, domain.high, step, log=domain.log)) for step in steps))
    exact = [_between(domain.low, domain.high, step, log=domain.log) for step in steps]
    return list(dict.fromkeys(min(max(value, domain.low), domain.high) for value in exact))

"""The ways of searching that a backtest compares, and what it takes to be one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np

from heuristics_db import CategoricalDomain, Hyperparameter, Scalar, SearchSpace
from mining._portfolio import Pool
from mining.backtesting._ground import Ground
from mining.backtesting._sources import Sources
from mining.policies import Observation, SearchPolicy, position

_TOP = 10


class Search(Protocol):
    """One search on one ground."""

    def next(self, history: Sequence[Observation], tried: Sequence[int]) -> int:
        """Return the row to try next: one of the ground's that is not among ``tried``, of which at least one is left."""


class Method(Protocol):
    """A way of searching: learns from sources and starts searches. ``repeats`` is how often each search is run, with other seeds."""

    name: str
    repeats: int

    def start(self, sources: Sources, ground: Ground, seed: int) -> Search:
        """Return a search; the same arguments give the same one."""


class Listed:
    """A search that goes through a list of rows, then through the ground's others at random."""

    def __init__(self, ground: Ground, rows: Sequence[int], seed: int) -> None:
        known = {int(row) for row in ground.rows}
        rest = np.random.default_rng(seed).permutation(ground.rows)
        self._rows: Iterator[int] = iter([*(row for row in dict.fromkeys(rows) if row in known), *(int(row) for row in rest)])

    def next(self, history: Sequence[Observation], tried: Sequence[int]) -> int:
        """Return the next row of the list."""
        return next(row for row in self._rows if row not in tried)


class PolicySearch:
    """A search policy, the one that AutoML runs, on a finite ground: the nearest row within its spaces stands for what it suggests."""

    def __init__(self, policy: SearchPolicy, ground: Ground, spaces: dict[str, SearchSpace], seed: int) -> None:
        self._policy, self._ground, self._spaces = policy, ground, spaces
        self._others = Listed(ground, (), seed)

    def next(self, history: Sequence[Observation], tried: Sequence[int]) -> int:
        """Ask the policy, and return the row that stands for its answer; a random one when its spaces hold no other."""
        inside = [each for each, row in zip(history, tried, strict=True) if self._ground.lies_in(row, self._spaces)]
        suggestion = self._policy.next(inside)
        row = self._ground.nearest(suggestion.model_type, suggestion.configuration, set(tried), self._spaces)
        return self._others.next(history, tried) if row is None else row


class RandomRows:
    """Rows of the table at random."""

    name = "random"
    repeats = 20

    def start(self, sources: Sources, ground: Ground, seed: int) -> Search:
        """Return a search that shuffles the rows."""
        return Listed(ground, (), seed)


class ColdTPE:
    """Optuna's TPE in the untuned spaces, without seeds: ten random trials, then the estimator."""

    name = "TPE, cold"
    repeats = 1

    def start(self, sources: Sources, ground: Ground, seed: int) -> Search:
        """Return a search that knows nothing of the sources."""
        spaces = dict(ground.wide)
        policy = SearchPolicy(spaces, (), seed, sorted(spaces), direction=ground.direction)
        return PolicySearch(policy, ground, spaces, seed)


class GreedyPortfolio:
    """The sources' greedy portfolio, as long as the search: each row lowers the mean of the best regret so far the most."""

    name = "greedy portfolio"
    repeats = 1

    def start(self, sources: Sources, ground: Ground, seed: int) -> Search:
        """Return a search that follows the portfolio."""
        return Listed(ground, _rows(sources.pool, ground, sources.order), seed)


class BestOfEach:
    """The best configuration of each source, the one that is best over all of them first, then random rows."""

    name = "best of each source"
    repeats = 1

    def start(self, sources: Sources, ground: Ground, seed: int) -> Search:
        """Return a search that goes through the sources' best."""
        regret = sources.pool.regret
        best = np.unique(np.argmin(regret, axis=0))
        return Listed(ground, _rows(sources.pool, ground, best[np.argsort(regret[best].mean(axis=1), kind="stable")]), seed)


class Box:
    """Random rows inside the box that the sources' ten best configurations span, each hyperparameter cut to ``share`` of them.

    ``share`` of 1 is from the least to the greatest value (the simplest transfer of Perrone et al., 2019), .5 the middle half. Choices are
    left as they are. Where the box is used up, or a table has no row inside it, the rows nearest to it follow; model types that none of
    the best has come last.
    """

    repeats = 20

    def __init__(self, name: str, share: float) -> None:
        self.name, self._share = name, share

    def start(self, sources: Sources, ground: Ground, seed: int) -> Search:
        """Return a search of the box."""
        pool = sources.pool
        best: dict[str, list[Mapping[str, Scalar]]] = {}
        for row in np.unique(np.argsort(pool.regret, axis=0, kind="stable")[:_TOP]):
            best.setdefault(pool.model_types[row], []).append(pool.configurations[row])
        sides = {name: self._sides(ground.wide[name], group) for name, group in best.items() if name in ground.wide}
        drawn = np.random.default_rng(seed).permutation(ground.rows)
        distances = [_outside(ground.configuration(int(row)), sides.get(ground.model_type(int(row)))) for row in drawn]
        return Listed(ground, [int(row) for row in drawn[np.argsort(distances, kind="stable")]], seed)

    def _sides(self, space: SearchSpace, best: Sequence[Mapping[str, Scalar]]) -> _Sides:
        found: list[tuple[Hyperparameter, float, float]] = []
        for each in space.hyperparameters:
            values = [position(each, configuration[each.name]) for configuration in best if _is_numeric(each, configuration)]
            if values:
                low, high = np.quantile(values, [(1 - self._share) / 2, (1 + self._share) / 2])
                found.append((each, float(low) - 1e-9, float(high) + 1e-9))
        return found


_Sides = list[tuple[Hyperparameter, float, float]]


def _outside(configuration: Mapping[str, Scalar], sides: _Sides | None) -> float:
    """Return how far a configuration lies outside of the box; infinitely far where its model type has none."""
    if sides is None:
        return math.inf
    places = [(position(each, configuration[each.name]), low, high) for each, low, high in sides if each.name in configuration]
    return math.hypot(*(max(low - place, place - high, 0.0) for place, low, high in places))


def _is_numeric(hyperparameter: Hyperparameter, configuration: Mapping[str, Scalar]) -> bool:
    return not isinstance(hyperparameter.domain, CategoricalDomain) and hyperparameter.name in configuration


def _rows(pool: Pool, ground: Ground, order: Sequence[int] | np.ndarray) -> list[int]:
    found = (ground.row_of(pool.model_types[row], pool.configurations[row]) for row in order)
    return [row for row in found if row is not None]

"""The ways of searching that a backtest compares, and what it takes to be one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np

from heuristics_db import CategoricalDomain, SearchSpace
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

    ``share`` of 1 is from the least to the greatest value (the simplest transfer of Perrone et al., 2019), .5 the middle half. Choices stay
    when one of the best has them. Where the box is used up, other rows follow.
    """

    repeats = 20

    def __init__(self, name: str, share: float) -> None:
        self.name, self._share = name, share

    def start(self, sources: Sources, ground: Ground, seed: int) -> Search:
        """Return a search of the box."""
        pool = sources.pool
        top = np.unique(np.argsort(pool.regret, axis=0, kind="stable")[:_TOP])
        inside = np.ones(len(ground.rows), dtype=bool)
        types = {pool.model_types[row] for row in top}
        for place, row in enumerate(ground.rows):
            inside[place] = ground.model_type(int(row)) in types
        for name in sorted(types):
            best = [pool.configurations[row] for row in top if pool.model_types[row] == name]
            own = [place for place, row in enumerate(ground.rows) if ground.model_type(int(row)) == name]
            for each in ground.wide[name].hyperparameters if own else ():
                values = [configuration[each.name] for configuration in best if each.name in configuration]
                if isinstance(each.domain, CategoricalDomain) or not values:
                    continue
                low, high = np.quantile([position(each, value) for value in values], [(1 - self._share) / 2, (1 + self._share) / 2])
                for place in own:
                    configuration = ground.configuration(int(ground.rows[place]))
                    if each.name in configuration:
                        inside[place] &= low - 1e-9 <= position(each, configuration[each.name]) <= high + 1e-9
        drawn = np.random.default_rng(seed).permutation(ground.rows[inside])
        return Listed(ground, [int(row) for row in drawn], seed)


def _rows(pool: Pool, ground: Ground, order: Sequence[int] | np.ndarray) -> list[int]:
    found = (ground.row_of(pool.model_types[row], pool.configurations[row]) for row in order)
    return [row for row in found if row is not None]

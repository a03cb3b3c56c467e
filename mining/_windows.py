"""Windows: the part of one hyperparameter's domain in which the good configurations of many datasets lie."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from heuristics_db import CategoricalDomain, Hyperparameter, Scalar
from mining._board import Board
from mining._regret import Floats
from mining.policies import position


@dataclass(frozen=True)
class Level:
    """How hard to trim: which share of each dataset's configurations counts as good, and how much of them to cut off at either end.

    Of a choice, ``lift`` is the least share among the good ones, as a multiple of its share among all, with which it stays.
    """

    good: float
    cut: float
    lift: float


_FEWEST_GOOD = 3
LEVELS = (Level(0.3, 0.05, 0.3), Level(0.3, 0.25, 0.75), Level(0.1, 0.05, 0.3), Level(0.1, 0.25, 0.75))


@dataclass(frozen=True)
class Range:
    """A numeric window, in positions from 0 to 1 on the domain's scale."""

    low: float
    high: float


@dataclass(frozen=True)
class Weights:
    """A window of choices: one weight a choice of the domain, 0 where it is cut; they sum to 1."""

    values: tuple[float, ...]


Window = Range | Weights


class Axis:
    """One hyperparameter of a board, as numbers: positions of a numeric one, places in the domain of a choice; NaN where it is absent."""

    def __init__(self, hyperparameter: Hyperparameter, board: Board) -> None:
        self.hyperparameter = hyperparameter
        self.places = np.asarray([_place(hyperparameter, each.get(hyperparameter.name, math.nan)) for each in board.configurations])

    def good(self, board: Board, datasets: Sequence[int], level: Level, kept: Floats) -> Floats | None:
        """Return how much each configuration counts as good on ``datasets`` (columns), or ``None`` when too few were run there.

        Only configurations that have the hyperparameter and whose ``kept`` is above 0 count. Families weigh alike.
        """
        eligible = self.eligible(kept)
        good = np.zeros(len(eligible))
        for column in datasets:
            rows = np.flatnonzero(eligible & np.isfinite(board.regret[:, column]))
            count = math.ceil(level.good * len(rows))
            if count < _FEWEST_GOOD:
                continue
            best = rows[np.argsort(board.regret[rows, column], kind="stable")[:count]]
            good[best] += 1 / (count * board.families.count(board.families[column]))
        return good if good.any() else None

    def eligible(self, kept: Floats) -> np.ndarray:
        """Return which configurations have the hyperparameter and are still drawn."""
        return np.asarray((kept > 0) & np.isfinite(self.places))

    def window(self, good: Floats, level: Level, places: Floats, kept: Floats) -> Window:
        """Return the window that the ``good`` configurations span. ``places`` are the axis's own, or a shuffle of them."""
        domain = self.hyperparameter.domain
        if isinstance(domain, CategoricalDomain):
            return _weights(places, good, self.eligible(kept), len(domain.choices), level)
        return _range(places, good, self.eligible(kept), level)

    def passes(self, window: Window, places: Floats) -> Floats:
        """Return what ``window`` lets pass of each configuration: 0 to 1 of a choice's weight, 0 or 1 of a number, 1 where it is absent."""
        present = np.isfinite(places)
        passed = np.ones(len(places))
        if isinstance(window, Range):
            passed[present] = (places[present] >= window.low) & (places[present] <= window.high)
        else:
            passed[present] = np.asarray(window.values)[places[present].astype(int)]
        return passed

    def balanced(self, passed: Floats, kept: Floats) -> Floats | None:
        """Scale ``passed`` so that the configurations that have the hyperparameter keep their share together; ``None`` when none is left.

        A window within a branch of the space must not make the branch itself rarer.
        """
        present = np.isfinite(self.places)
        before, after = kept[present].sum(), (kept * passed)[present].sum()
        if after <= 0:
            return None
        return np.where(present, passed * (before / after), passed)


def _place(hyperparameter: Hyperparameter, value: Scalar) -> float:
    if isinstance(value, float) and math.isnan(value):
        return math.nan
    domain = hyperparameter.domain
    if isinstance(domain, CategoricalDomain):
        return float(next(index for index, choice in enumerate(domain.choices) if choice == value and type(choice) is type(value)))
    return position(hyperparameter, value)


def _range(places: Floats, good: Floats, eligible: np.ndarray, level: Level) -> Range:
    order = np.argsort(places[good > 0], kind="stable")
    values, weights = places[good > 0][order], good[good > 0][order]
    shares = np.cumsum(weights) / weights.sum()
    low = values[int(np.searchsorted(shares, level.cut, side="right").clip(0, len(values) - 1))]
    high = values[int(np.searchsorted(shares, 1 - level.cut - 1e-12).clip(0, len(values) - 1))]
    low, high = min(low, high), max(low, high)
    others = places[eligible]
    below, above = others[others < low], others[others > high]
    # the border lies half-way to the next configuration that was tried: where exactly good turns bad, nobody has seen
    return Range(float((low + below.max()) / 2) if len(below) else 0.0, float((high + above.min()) / 2) if len(above) else 1.0)


def _weights(places: Floats, good: Floats, eligible: np.ndarray, choices: int, level: Level) -> Weights:
    drawn = np.bincount(places[eligible].astype(int), minlength=choices) + 1.0
    best = np.bincount(places[eligible].astype(int), weights=good[eligible], minlength=choices)
    best = best / best.sum() * eligible.sum() + 1.0
    lift = (best / best.sum()) / (drawn / drawn.sum())
    kept = np.where((lift >= level.lift) | (lift == lift.max()), lift, 0.0)
    return Weights(tuple(np.round(kept / kept.sum(), 4).tolist()))

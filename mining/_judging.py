"""Judging a window on families that it was not learnt from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mining._board import Board
from mining._evidence import by_family, folds
from mining._expectation import effective_size, expected_best
from mining._regret import Floats
from mining._windows import Axis, Level, Window

_DRAWS = (1, 2, 4, 8)


@dataclass(frozen=True, eq=False)
class Judgement:
    """What a window does to the regret of random draws on families left out; below 0 is a gain.

    ``effects`` has one value a dataset (NaN: too few trials are left there to tell), ``gain`` is minus their mean over families,
    ``late`` the mean effect on the longest search that can be told.
    """

    axis: Axis
    level: Level
    effects: Floats
    late: float
    gain: float


@dataclass(frozen=True, eq=False)
class _Fold:
    """One group of families left out: the columns inside and outside, and each configuration's share after the cuts so far."""

    inside: tuple[int, ...]
    outside: tuple[int, ...]
    kept: Floats


class Bench:
    """Judges windows on top of the cuts made so far, each of which is learnt anew in each fold."""

    def __init__(self, board: Board, accepted: Sequence[Judgement]) -> None:
        self._board = board
        everything = tuple(range(len(board.datasets)))
        self.kept = shares_after(board, accepted, everything)
        self._folds: list[_Fold] = []
        for left_out in folds(board.families):
            inside = tuple(column for column in everything if board.families[column] not in left_out)
            kept = shares_after(board, accepted, inside)
            if kept is not None:
                self._folds.append(_Fold(inside, tuple(column for column in everything if column not in inside), kept))
        self._sorted = {}
        for column in everything:
            rows, regrets = board.column(column)
            order = np.argsort(regrets, kind="stable")
            self._sorted[column] = rows[order], regrets[order]
        self._before = {column: self._best(column, fold.kept) for fold in self._folds for column in fold.outside}
        self._good: dict[tuple[str, Level, int], Floats | None] = {}

    def judge(self, axis: Axis, level: Level, places: Floats) -> Judgement | None:
        """Judge the windows at ``level``; ``None`` when fewer than two thirds of the datasets (or three) can tell."""
        effects = np.full(len(self._board.datasets), np.nan)
        late = effects.copy()
        for number, fold in enumerate(self._folds):
            good = self._good_of(axis, level, number)
            factors = None if good is None else axis.factors(axis.window(good, level, places, fold.kept), places, fold.kept)
            if factors is None:
                continue
            for column in fold.outside:
                after = self._best(column, fold.kept * factors)
                if len(after):
                    change = after - self._before[column][: len(after)]
                    effects[column], late[column] = change.mean(), change[-1]
        if np.isfinite(effects).sum() < max(3, 2 * len(effects) / 3):
            return None
        gain = -float(by_family(effects.tolist(), self._board.families).mean())
        return Judgement(axis, level, effects, float(np.nanmean(late)), gain)

    def window(self, axis: Axis, level: Level) -> Window | None:
        """Return the window learnt from all families."""
        if self.kept is None:
            return None
        good = axis.good(self._board, range(len(self._board.datasets)), level, self.kept)
        return None if good is None else axis.window(good, level, axis.places, self.kept)

    def _good_of(self, axis: Axis, level: Level, number: int) -> Floats | None:
        key = (axis.hyperparameter.name, level, number)
        if key not in self._good:
            fold = self._folds[number]
            self._good[key] = axis.good(self._board, fold.inside, level, fold.kept)
        return self._good[key]

    def _best(self, column: int, kept: Floats) -> Floats:
        """Return the expected best of 1, 2, 4 and 8 draws, as far as the shares amount to that many configurations (2 at least)."""
        rows, regrets = self._sorted[column]
        size = effective_size(kept[rows])
        draws = [count for count in _DRAWS if count <= size + 1e-9] if size >= 2 else []
        return expected_best(regrets, draws, kept[rows]) if draws else np.zeros(0)


def shares_after(board: Board, accepted: Sequence[Judgement], datasets: Sequence[int]) -> Floats | None:
    """Return each configuration's share after the accepted cuts, learnt from ``datasets``; ``None`` when they can't be learnt there."""
    kept = np.ones(len(board.configurations))
    for each in accepted:
        good = each.axis.good(board, datasets, each.level, kept)
        factors = (
            None if good is None else each.axis.factors(each.axis.window(good, each.level, each.axis.places, kept), each.axis.places, kept)
        )
        if factors is None:
            return None
        kept = kept * factors
    return kept

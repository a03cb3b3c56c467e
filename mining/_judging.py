"""Judging a window on families and on configurations that it was not learnt from."""

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
    ``late`` the mean effect on the longest search that can be told. ``factors`` says, for each fold of families, what the window does to
    the share of each configuration.
    """

    axis: Axis
    level: Level
    effects: Floats
    late: float
    gain: float
    factors: tuple[Floats, ...]


@dataclass(frozen=True, eq=False)
class _Fold:
    """One group of families left out: the columns inside and outside, and each configuration's share after the cuts so far."""

    inside: tuple[int, ...]
    outside: tuple[int, ...]
    kept: Floats


class Bench:
    """Judges windows on top of the cuts made so far.

    A window is learnt on some families and some configurations, and says of the other configurations whether they pass; those that
    pass are tried on the other families. Leaving out families alone would not do: where all datasets share a few configurations, the
    ones that a window was drawn around are good on the families left out too, whatever the hyperparameter.
    """

    def __init__(self, board: Board, accepted: Sequence[Judgement]) -> None:
        self._board = board
        everything = tuple(range(len(board.datasets)))
        count = len(board.configurations)
        self.kept = shares_after(board, accepted)
        self._parts = [np.arange(count) % _parts(count) == part for part in range(_parts(count))]
        self._folds: list[_Fold] = []
        for number, left_out in enumerate(folds(board.families)):
            inside = tuple(column for column in everything if board.families[column] not in left_out)
            kept = np.ones(count)
            for each in accepted:
                kept = kept * each.factors[number]
            self._folds.append(_Fold(inside, tuple(column for column in everything if column not in inside), kept))
        self._sorted = {}
        for column in everything:
            rows, regrets = board.column(column)
            order = np.argsort(regrets, kind="stable")
            self._sorted[column] = rows[order], regrets[order]
        self._before = {column: self._best(column, fold.kept) for fold in self._folds for column in fold.outside}
        self._good: dict[tuple[str, Level, int, int], Floats | None] = {}

    def judge(self, axis: Axis, level: Level, places: Floats) -> Judgement | None:
        """Judge the windows at ``level``; ``None`` when fewer than two thirds of the datasets (or three) can tell."""
        effects = np.full(len(self._board.datasets), np.nan)
        late = effects.copy()
        found = []
        for number, fold in enumerate(self._folds):
            factors = self._factors(axis, level, places, number)
            found.append(factors)
            for column in fold.outside:
                after = self._best(column, fold.kept * factors)
                if len(after):
                    change = after - self._before[column][: len(after)]
                    effects[column], late[column] = change.mean(), change[-1]
        if np.isfinite(effects).sum() < max(3, 2 * len(effects) / 3):
            return None
        gain = -float(by_family(effects.tolist(), self._board.families).mean())
        return Judgement(axis, level, effects, float(np.nanmean(late)), gain, tuple(found))

    def _factors(self, axis: Axis, level: Level, places: Floats, number: int) -> Floats:
        """Return what the windows do to each configuration, each configuration by the window that was learnt without it."""
        kept = self._folds[number].kept
        passed = np.ones(len(places))
        for part, own in enumerate(self._parts):
            good = self._good_of(axis, level, number, part)
            if good is not None:
                passed[own] = axis.passes(axis.window(good, level, places, np.where(own, 0.0, kept)), places)[own]
        factors = axis.balanced(passed, kept)
        return np.zeros(len(places)) if factors is None else factors

    def window(self, axis: Axis, level: Level) -> Window | None:
        """Return the window learnt from all families."""
        if self.kept is None:
            return None
        good = axis.good(self._board, range(len(self._board.datasets)), level, self.kept)
        return None if good is None else axis.window(good, level, axis.places, self.kept)

    def _good_of(self, axis: Axis, level: Level, number: int, part: int) -> Floats | None:
        key = (axis.hyperparameter.name, level, number, part)
        if key not in self._good:
            fold = self._folds[number]
            self._good[key] = axis.good(self._board, fold.inside, level, np.where(self._parts[part], 0.0, fold.kept))
        return self._good[key]

    def _best(self, column: int, kept: Floats) -> Floats:
        """Return the expected best of 1, 2, 4 and 8 draws, as far as the shares amount to that many configurations (2 at least)."""
        rows, regrets = self._sorted[column]
        size = effective_size(kept[rows])
        draws = [count for count in _DRAWS if count <= size + 1e-9] if size >= 2 else []
        return expected_best(regrets, draws, kept[rows]) if draws else np.zeros(0)


def shares_after(board: Board, accepted: Sequence[Judgement]) -> Floats | None:
    """Return each configuration's share after the accepted cuts, learnt from all datasets; ``None`` when they can't be learnt."""
    kept = np.ones(len(board.configurations))
    for each in accepted:
        good = each.axis.good(board, range(len(board.datasets)), each.level, kept)
        if good is None:
            return None
        window = each.axis.window(good, each.level, each.axis.places, kept)
        factors = each.axis.balanced(each.axis.passes(window, each.axis.places), kept)
        if factors is None:
            return None
        kept = kept * factors
    return kept


def _parts(configurations: int) -> int:
    """Return into how many parts to split the configurations: many where each one counts."""
    return max(1, min(configurations, 6 if configurations < 60 else 3))

"""Filling a board's empty cells: what a configuration would have done on a dataset where it was not run."""

from __future__ import annotations

import numpy as np

from mining._board import Board
from mining._regret import Floats
from mining.policies import encode

_FEWEST_TRIALS = 10


def filled(board: Board, seed: int) -> Floats:
    """Return the board's regrets with each empty cell predicted by a random forest fitted on that dataset's own trials.

    A dataset with fewer than ten trials gets their mean in place of a forest's answer. What other datasets say is never used: the
    families left out must stay unseen.
    """
    if np.isfinite(board.regret).all():
        return board.regret
    full = board.regret.copy()
    points = encoded(board)
    for column in range(full.shape[1]):
        run = np.isfinite(board.regret[:, column])
        if run.all():
            continue
        known = full[run, column]
        full[~run, column] = known.mean() if len(known) < _FEWEST_TRIALS else _predict(points[run], known, points[~run], seed)
    return full


def encoded(board: Board) -> Floats:
    """Return one row of numbers a configuration (see :func:`mining.policies.encode`)."""
    return encode(board.space, board.configurations)


def _predict(points: Floats, regrets: Floats, wanted: Floats, seed: int) -> Floats:
    from sklearn.ensemble import RandomForestRegressor

    forest = RandomForestRegressor(n_estimators=50, min_samples_leaf=2, max_features=0.5, random_state=seed, n_jobs=1)
    return np.asarray(forest.fit(points, regrets).predict(wanted), dtype=np.float64)

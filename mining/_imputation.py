"""Filling a board's empty cells: what a configuration would have done on a dataset where it was not run."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from heuristics_db import CategoricalDomain, Hyperparameter, Scalar
from mining._board import Board
from mining._regret import Floats

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
    """Return one row of numbers a configuration: numeric hyperparameters on their scale from 0 to 1 (absent: -1), choices one-hot."""
    columns = [_encode(each, board) for each in board.space.hyperparameters if each.searched]
    return np.hstack(columns) if columns else np.zeros((len(board.configurations), 1))


def position(hyperparameter: Hyperparameter, value: Scalar) -> float:
    """Return where a numeric value lies in its domain, on the domain's scale: 0 at the low end, 1 at the high one."""
    domain = hyperparameter.domain
    if isinstance(domain, CategoricalDomain) or not isinstance(value, int | float):
        raise TypeError(f"{hyperparameter.name} is not numeric")
    if domain.high == domain.low:
        return 0.0
    if domain.log:
        return math.log(value / domain.low) / math.log(domain.high / domain.low)
    return (value - domain.low) / (domain.high - domain.low)


def _encode(hyperparameter: Hyperparameter, board: Board) -> Floats:
    name, domain = hyperparameter.name, hyperparameter.domain

    def one(configuration: Mapping[str, Scalar]) -> list[float]:
        if isinstance(domain, CategoricalDomain):
            given = name in configuration
            return [float(given and type(each) is type(configuration[name]) and each == configuration[name]) for each in domain.choices]
        return [position(hyperparameter, configuration[name]) if name in configuration else -1.0]

    return np.asarray([one(each) for each in board.configurations], dtype=np.float64)


def _predict(points: Floats, regrets: Floats, wanted: Floats, seed: int) -> Floats:
    from sklearn.ensemble import RandomForestRegressor

    forest = RandomForestRegressor(n_estimators=50, min_samples_leaf=2, max_features=0.5, random_state=seed, n_jobs=1)
    return np.asarray(forest.fit(points, regrets).predict(wanted), dtype=np.float64)

"""How much each hyperparameter matters for being among the good configurations (PED-ANOVA; Watanabe et al., 2023: Optuna's)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from heuristics_db import Hyperparameter
from mining._board import Board
from mining._portfolio import by_family_mean
from mining._regret import Floats
from mining.policies import told_trial

_FEWEST_CONFIGURATIONS = 8
_FEWEST_GOOD = 5


def importances(board: Board, regret: Floats) -> dict[str, float]:
    """Return the share of importance of each searched hyperparameter; they sum to 1. Empty when there are too few configurations.

    A configuration's worth is its mean rank over the datasets, families weighing alike; ``regret`` is the board's, without empty cells. A
    conditional hyperparameter is judged among the configurations that have it, and counts by their share.
    """
    if len(board.configurations) < _FEWEST_CONFIGURATIONS:
        return {}
    ranks = np.argsort(np.argsort(regret, axis=0, kind="stable"), axis=0, kind="stable").astype(np.float64)
    worth = by_family_mean(ranks.T, board.families)
    searched = [each for each in board.space.hyperparameters if each.searched]
    always = [each for each in searched if each.condition is None]
    found = _evaluate(board, worth, always, always)
    for each in searched:
        if each.condition is not None:
            found |= _evaluate(board, worth, [each], [*always, each])
    total = sum(found.values())
    return {name: round(value / total, 4) for name, value in found.items()} if total > 0 else {}


def _evaluate(board: Board, worth: Floats, wanted: Sequence[Hyperparameter], given: Sequence[Hyperparameter]) -> dict[str, float]:
    import optuna

    rows = [row for row, each in enumerate(board.configurations) if all(other.name in each for other in given)]
    if len(rows) < _FEWEST_CONFIGURATIONS or not wanted:
        return {}
    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the evaluator is marked experimental; that is no news to the user
            study = optuna.create_study(direction="minimize", sampler=optuna.samplers.RandomSampler(seed=0))
            study.add_trials([told_trial(given, board.configurations[row], float(worth[row])) for row in rows])
            quantile = min(max(0.1, _FEWEST_GOOD / len(rows)), 0.5)
            evaluator = optuna.importance.PedAnovaImportanceEvaluator(target_quantile=quantile)
            names = [each.name for each in given]
            values = optuna.importance.get_param_importances(study, evaluator=evaluator, params=names, normalize=False)
    finally:
        optuna.logging.set_verbosity(verbosity)
    share = len(rows) / len(board.configurations)
    return {each.name: share * max(float(values.get(each.name, 0.0)), 0.0) for each in wanted}

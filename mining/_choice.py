"""Which model types are worth searching, and in which order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from heuristics_db import Evidence, ModelChoice
from mining._board import Board
from mining._evidence import by_family, folds, interval, p_of_gain
from mining._expectation import expected_best_of_groups
from mining._recipe import MiningRecipe
from mining._regret import Floats


def choose_model_types(boards: Sequence[Board], recipe: MiningRecipe) -> ModelChoice:
    """Order the model types by their regret, and leave out those that searches do better without on families left out.

    A search is up to ``recipe.horizon`` random draws, dealt evenly to its model types; short searches count as much as long ones. All
    stay where leaving some out gains less than ``recipe.minimal_gain`` or may gain by chance. What is told of the gain comes from choosing
    all over again, order and number, without the family that it is measured on.
    """
    families = {name: family for board in boards for name, family in zip(board.datasets, board.families, strict=True)}
    datasets = sorted(families)
    columns = [families[name] for name in datasets]
    groups = [[_group(board, name, recipe) for board in boards] for name in datasets]
    alone = np.asarray([[_anytime([group], recipe.horizon) for group in row] for row in groups])
    order = _order(alone, columns)
    changes = _changes(groups, alone, columns, recipe)
    gains = [by_family(each.tolist(), columns) for each in changes]
    size = len(boards)
    for candidate in np.argsort([each.mean() for each in gains], kind="stable"):
        worth = gains[candidate].mean() <= -recipe.minimal_gain and p_of_gain(gains[candidate]) <= recipe.significance / len(boards)
        if worth:
            size = int(candidate) + 1
            break
    rechosen = by_family(_rechosen(groups, alone, columns, changes, recipe).tolist(), columns)
    if rechosen.mean() > -recipe.minimal_gain:
        size = len(boards)
    effect = rechosen if size < len(boards) else gains[-1]
    evidence = Evidence(
        method=f"up to {recipe.horizon} random draws dealt to the first {size} model types against all {len(boards)}, "
        "leave-one-family-out with their number chosen anew",
        trials=sum(board.trials for board in boards),
        datasets=tuple(datasets),
        effect=round(float(effect.mean()), 6),
        interval=interval(effect, recipe.seed),
    )
    names = [boards[index].model_type for index in order]
    means = {boards[index].model_type: round(float(by_family(alone[:, index].tolist(), columns).mean()), 6) for index in order}
    return ModelChoice(order=tuple(names[:size]), regret=means, reason=_reason(names, size, float(effect.mean())), evidence=evidence)


def _anytime(groups: Sequence[Floats], horizon: int) -> float:
    """Return the mean regret over searches of 2, 4, 8 … draws up to the horizon, dealt evenly to the groups."""
    lengths = sorted({min(2**power, horizon) for power in range(1, horizon.bit_length() + 1)})
    return float(np.mean([expected_best_of_groups(groups, [length / len(groups)] * len(groups)) for length in lengths]))


def _group(board: Board, dataset: str, recipe: MiningRecipe) -> Floats:
    if dataset not in board.datasets:
        return np.asarray([recipe.regret_cap])
    return board.column(board.datasets.index(dataset))[1]


def _order(alone: Floats, families: Sequence[str]) -> list[int]:
    means = [by_family(column.tolist(), families).mean() for column in alone.T]
    return [int(index) for index in np.argsort(means, kind="stable")]


def _changes(groups: Sequence[Sequence[Floats]], alone: Floats, families: Sequence[str], recipe: MiningRecipe) -> Floats:
    """Return [size - 1, dataset]: what searching only the first ``size`` types changes, in the order that the other families give."""
    count = alone.shape[1]
    changes = np.zeros((count, len(families)))
    for left_out in folds(families):
        inside = [index for index, each in enumerate(families) if each not in left_out]
        order = _order(alone[inside], [families[index] for index in inside]) if inside else list(range(count))
        for dataset in (index for index, each in enumerate(families) if each in left_out):
            regrets = [_anytime([groups[dataset][index] for index in order[:size]], recipe.horizon) for size in range(1, count + 1)]
            changes[:, dataset] = np.asarray(regrets) - regrets[-1]
    return changes


def _rechosen(groups: Sequence[Sequence[Floats]], alone: Floats, families: Sequence[str], changes: Floats, recipe: MiningRecipe) -> Floats:
    """Return what each dataset gains from the number of types that the other families alone would choose."""
    count = alone.shape[1]
    found = np.zeros(len(families))
    for left_out in folds(families):
        inside = [index for index, each in enumerate(families) if each not in left_out]
        outside = [index for index, each in enumerate(families) if each in left_out]
        size = count
        if inside:
            others = [families[index] for index in inside]
            inner = _changes([groups[index] for index in inside], alone[inside], others, recipe)
            means = [by_family(row.tolist(), others).mean() for row in inner]
            best = int(np.argmin(means))
            size = best + 1 if means[best] <= -recipe.minimal_gain else count
        found[outside] = changes[size - 1, outside]
    return found


def _reason(names: Sequence[str], size: int, effect: float) -> str:
    if len(names) == 1:
        return "the only model type that was tried"
    if size == len(names):
        return "all model types stay: leaving some out gained too little on families left out"
    return f"without {', '.join(names[size:])} the regret changes by {effect:+.3f} on families left out"

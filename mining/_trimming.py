"""Trimming a search space: cutting away where good configurations are not, as far as families left out agree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heuristics_db import Evidence, Hyperparameter
from mining._board import Board
from mining._evidence import by_family, interval, p_of_gain
from mining._judging import Bench, Judgement
from mining._recipe import MiningRecipe
from mining._windows import LEVELS, Axis, Window


@dataclass(frozen=True, eq=False)
class Cut:
    """One hyperparameter trimmed: its window, learnt from all families, and what it gains on families left out."""

    hyperparameter: Hyperparameter
    window: Window
    evidence: Evidence
    reason: str


def trim(board: Board, recipe: MiningRecipe) -> tuple[dict[str, Cut], dict[str, str]]:
    """Return the cuts that are worth it, by hyperparameter, and for each hyperparameter left wide the reason.

    Cuts are found one after another, the greatest gain first. Each is learnt on some families and configurations and judged on the
    others, by the expected best of one to eight random draws, given the cuts before it (see :class:`mining._judging.Bench`). It must gain
    ``recipe.minimal_gain``, be no chance over families (paired t test), and beat the same hyperparameter with its values shuffled among
    the configurations, at ``recipe.chance`` over all hyperparameters together.
    """
    axes = [Axis(each, board) for each in board.space.hyperparameters if each.searched]
    accepted: list[Judgement] = []
    cuts: dict[str, Cut] = {}
    reasons: dict[str, str] = {}
    while True:
        bench = Bench(board, accepted)
        found = [best for axis in axes if _is_open(axis, cuts, reasons) and (best := _best(bench, board, axis, recipe)) is not None]
        chosen = None
        for best in sorted(found, key=lambda each: -each.gain):
            if _by_chance(bench, best, recipe.chance / len(axes), recipe):
                told = f"shuffled among the {len(board.configurations)} configurations, its values gain as much too often to tell"
                reasons[best.axis.hyperparameter.name] = f"kept wide: {told} (gain {best.gain:.3f})"
            else:
                chosen = best
                break
        window = bench.window(chosen.axis, chosen.level) if chosen is not None else None
        if chosen is None or window is None:
            break
        accepted.append(chosen)
        cuts[chosen.axis.hyperparameter.name] = _cut(board, chosen, window, recipe)
    for axis in axes:
        if axis.hyperparameter.name not in cuts:
            reasons.setdefault(axis.hyperparameter.name, "kept wide: no trimming gained on families left out")
    return cuts, reasons


def _is_open(axis: Axis, cuts: dict[str, Cut], reasons: dict[str, str]) -> bool:
    return axis.hyperparameter.name not in cuts and axis.hyperparameter.name not in reasons


def _best(bench: Bench, board: Board, axis: Axis, recipe: MiningRecipe) -> Judgement | None:
    best = None
    for level in LEVELS:
        found = bench.judge(axis, level, axis.places)
        if found is None or found.gain < recipe.minimal_gain or found.late > recipe.minimal_gain / 2:
            continue
        if p_of_gain(by_family(found.effects.tolist(), board.families)) > recipe.significance:
            continue
        if best is None or found.gain > best.gain:
            best = found
    return best


def _by_chance(bench: Bench, best: Judgement, level: float, recipe: MiningRecipe) -> bool:
    """Say whether more than ``level`` of the shuffles of the hyperparameter's values gain as much as the true values do."""
    generator = np.random.default_rng(recipe.seed)
    present = np.flatnonzero(np.isfinite(best.axis.places))
    as_good = 0
    for _ in range(recipe.permutations):
        places = best.axis.places.copy()
        places[present] = places[generator.permutation(present)]
        gains = [found.gain for each in LEVELS if (found := bench.judge(best.axis, each, places)) is not None]
        as_good += max(gains, default=0.0) >= best.gain
        if as_good + 1 > level * (recipe.permutations + 1):
            return True
    return False


def _cut(board: Board, judgement: Judgement, window: Window, recipe: MiningRecipe) -> Cut:
    gains = by_family(judgement.effects.tolist(), board.families)
    level = judgement.level
    evidence = Evidence(
        method=f"best {level.good:.0%} of each dataset less {level.cut:.0%} at either end; random draws, leave-one-family-out",
        trials=board.trials,
        datasets=board.datasets,
        effect=round(float(gains.mean()), 6),
        interval=interval(gains, recipe.seed),
    )
    return Cut(judgement.axis.hyperparameter, window, evidence, f"trimmed: {gains.mean():+.3f} of regret on families left out")

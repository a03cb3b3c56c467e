"""The portfolio: an ordered list of seeds with the least expected regret at every prefix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from heuristics_db import Evidence, Scalar, SeedConfiguration
from mining._board import Board
from mining._evidence import by_family, folds, interval, p_of_gain
from mining._expectation import expected_best_of_groups
from mining._recipe import MiningRecipe
from mining._regret import Floats


@dataclass(frozen=True, eq=False)
class Pool:
    """The configurations that a portfolio is picked from: those of one board, or of several over the same datasets.

    ``regret`` has no empty cell.
    """

    model_types: tuple[str, ...]
    configurations: tuple[Mapping[str, Scalar], ...]
    datasets: tuple[str, ...]
    families: tuple[str, ...]
    regret: Floats
    trials: int

    def part(self, rows: Sequence[int], columns: Sequence[int]) -> Pool:
        """Return the pool of these configurations and datasets alone."""
        return replace(
            self,
            model_types=tuple(self.model_types[row] for row in rows),
            configurations=tuple(self.configurations[row] for row in rows),
            datasets=tuple(self.datasets[column] for column in columns),
            families=tuple(self.families[column] for column in columns),
            regret=self.regret[np.ix_(rows, columns)],
        )


@dataclass(frozen=True, eq=False)
class Portfolio:
    """The seeds, in order, why there are so many, and the mean regrets after each trial that leave-one-family-out found.

    ``random`` is of searches without seeds; ``seeded`` of searches whose seeds, and their number, were chosen without the family left out.
    """

    seeds: tuple[SeedConfiguration, ...]
    reason: str
    random: Floats
    seeded: Floats
    evidence: Evidence


def build_pool(boards: Sequence[Board], full: Mapping[str, Floats], recipe: MiningRecipe) -> Pool:
    """Lay the boards one above the other; a model type that was not run on a dataset counts as the regret cap there.

    ``full`` holds each model type's regrets without empty cells (see :func:`mining._imputation.filled`).
    """
    families = {name: family for board in boards for name, family in zip(board.datasets, board.families, strict=True)}
    datasets = tuple(sorted(families))
    blocks = []
    for board in boards:
        block = np.full((len(board.configurations), len(datasets)), recipe.regret_cap)
        block[:, [datasets.index(each) for each in board.datasets]] = full[board.model_type]
        blocks.append(block)
    return Pool(
        model_types=tuple(board.model_type for board in boards for _ in board.configurations),
        configurations=tuple(each for board in boards for each in board.configurations),
        datasets=datasets,
        families=tuple(families[each] for each in datasets),
        regret=np.vstack(blocks),
        trials=sum(board.trials for board in boards),
    )


def greedy(regret: Floats, weights: Floats, size: int) -> list[int]:
    """Return at most ``size`` rows, each the one that lowers the weighted mean of the best regret so far the most.

    Ends when no row lowers it. Greedy choice is within ``1 - 1/e`` of the best portfolio of each size (the gain is submodular).
    """
    chosen: list[int] = []
    best = np.full(regret.shape[1], np.inf)
    for _ in range(min(size, len(regret))):
        means = np.minimum(regret, best) @ weights
        pick = int(np.argmin(means))
        if chosen and means[pick] >= float(best @ weights) - 1e-9:
            break
        chosen.append(pick)
        best = np.minimum(best, regret[pick])
    return chosen


def best_first(pool: Pool, size: int) -> list[int]:
    """Return ``size`` rows, as far as there are that many: greedy choices, and where no row gains any more, greedy choices of the rest."""
    weights = family_weights(pool.families)
    rest = np.arange(len(pool.regret))
    found: list[int] = []
    while len(found) < size and len(rest):
        chosen = rest[greedy(pool.regret[rest], weights, size - len(found))]
        found.extend(int(row) for row in chosen)
        rest = np.setdiff1d(rest, chosen)
    return found


def mine_portfolio(pool: Pool, recipe: MiningRecipe) -> Portfolio:
    """Pick the seeds, and as many of them as serve searches of ``recipe.horizon`` trials best on families left out.

    A search is the seeds, then random draws. Fewer seeds stand where more do not lower its regret, none where seeds gain less than
    ``recipe.minimal_gain`` over random search or the gain may be chance. What is told of the gain comes from choosing all over again,
    seeds and their number, without the family that it is measured on: the number that fits all families best would flatter itself.
    """
    curves = _held_out_curves(pool, recipe)
    length = _best_length(curves, pool.families)
    rechosen = _rechosen(pool, curves, recipe)
    random, seeded = by_family_mean(curves[0], pool.families), by_family_mean(rechosen, pool.families)
    gains = by_family((rechosen - curves[0]).mean(axis=1).tolist(), pool.families)
    # whether there is a gain is asked of all lengths together: the best of them would often gain by chance
    overall = by_family((curves[1:] - curves[0]).mean(axis=(0, 2)).tolist(), pool.families) if len(curves) > 1 else gains
    evidence = Evidence(
        method=f"greedy portfolio against random search, mean regret over {recipe.horizon} trials, "
        "leave-one-family-out with the number of seeds chosen anew",
        trials=pool.trials,
        datasets=pool.datasets,
        effect=round(float(gains.mean()), 6),
        interval=interval(gains, recipe.seed),
    )
    change = "1 seed changes" if length == 1 else f"{length} seeds change"
    if length == 0 or gains.mean() > -recipe.minimal_gain or p_of_gain(overall) > recipe.significance:
        told = f"{change} the regret by {gains.mean():+.3f}, too little or too unsteadily to tell from chance"
        reason = f"on families left out, {told if length else 'seeds do not lower the regret'}: no seeds"
        return Portfolio((), reason, random, random, evidence)
    chosen = greedy(pool.regret, family_weights(pool.families), length)
    reason = f"on families left out, {change} the regret over {recipe.horizon} trials by {gains.mean():+.3f} against random search"
    return Portfolio(_seeds(pool, chosen, curves, recipe), reason, random, seeded, evidence)


def by_family_mean(regrets: Floats, families: Sequence[str]) -> Floats:
    """Return the mean over families of each column of ``regrets`` (one row a dataset)."""
    weights = family_weights(families)
    return np.asarray(weights @ regrets)


def family_weights(families: Sequence[str]) -> Floats:
    """Return one weight a dataset, summing to 1: families weigh alike, and so do the datasets of a family."""
    sizes = {each: families.count(each) for each in families}
    return np.asarray([1 / (len(sizes) * sizes[each]) for each in families])


def _best_length(curves: Floats, families: Sequence[str]) -> int:
    means = np.asarray([by_family_mean(row, families).mean() for row in curves])
    return int(np.argmin(np.round(means, 6)))


def _rechosen(pool: Pool, curves: Floats, recipe: MiningRecipe) -> Floats:
    """Return regrets [dataset, trial] on left-out datasets, with the number of seeds that the other families alone would choose."""
    found: Floats = np.empty(curves.shape[1:])
    for left_out in folds(pool.families):
        inside = [index for index, each in enumerate(pool.families) if each not in left_out]
        outside = [index for index, each in enumerate(pool.families) if each in left_out]
        families = tuple(pool.families[index] for index in inside)
        others = replace(pool, datasets=tuple(pool.datasets[index] for index in inside), families=families, regret=pool.regret[:, inside])
        length = _best_length(_held_out_curves(others, recipe), families) if inside else 0
        found[outside] = curves[length, outside]
    return found


def _held_out_curves(pool: Pool, recipe: MiningRecipe) -> Floats:
    """Return regrets [seeds, dataset, trial] on left-out datasets, for 0 to ``portfolio_size`` seeds followed by random draws."""
    sizes, horizon = recipe.portfolio_size + 1, recipe.horizon
    curves = np.zeros((sizes, len(pool.datasets), horizon))
    for left_out in folds(pool.families):
        inside = [index for index, each in enumerate(pool.families) if each not in left_out]
        outside = [index for index, each in enumerate(pool.families) if each in left_out]
        weights = family_weights([pool.families[index] for index in inside])
        chosen = greedy(pool.regret[:, inside], weights, recipe.portfolio_size) if inside else []
        for column in outside:
            for size in range(sizes):
                curves[size, column] = _curve(pool, column, chosen[:size], horizon)
    return curves


def _curve(pool: Pool, column: int, seeds: Sequence[int], horizon: int) -> Floats:
    """Return the regret on one dataset after each trial: the seeds, then draws of other configurations, dealt evenly to the model types."""
    regrets = pool.regret[:, column]
    led = np.minimum.accumulate(regrets[list(seeds)])[:horizon] if seeds else np.zeros(0)
    types = np.asarray(pool.model_types)
    fresh = np.setdiff1d(np.arange(len(regrets)), seeds)
    groups = [regrets[fresh[types[fresh] == each]] for each in sorted(set(types[fresh]))]
    ceiling = float(led[-1]) if len(led) else np.inf
    steps = range(1, horizon - len(led) + 1)
    drawn = [expected_best_of_groups(groups, [step / len(groups)] * len(groups), ceiling) if groups else ceiling for step in steps]
    return np.concatenate([led, drawn])


def _seeds(pool: Pool, chosen: Sequence[int], curves: Floats, recipe: MiningRecipe) -> tuple[SeedConfiguration, ...]:
    winners = np.argmin(pool.regret[list(chosen)], axis=0)
    found = []
    for place, row in enumerate(chosen):
        gains = by_family((curves[place + 1] - curves[place]).mean(axis=1).tolist(), pool.families)
        found.append(
            SeedConfiguration(
                model_type=pool.model_types[row],
                configuration=dict(pool.configurations[row]),
                best_on=tuple(name for name, winner in zip(pool.datasets, winners, strict=True) if winner == place),
                evidence=Evidence(
                    method=f"what seed {place + 1} adds to those before it, mean regret over {recipe.horizon} trials, leave-one-family-out",
                    trials=pool.trials,
                    datasets=pool.datasets,
                    effect=round(float(gains.mean()), 6),
                    interval=interval(gains, recipe.seed),
                ),
            )
        )
    return tuple(found)

"""The sources of one fold: what a method may learn from, and what is mined from them once for all methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from heuristics_db import HeuristicsDocument
from mining._board import build_board
from mining._datasets import build_dataset_table
from mining._imputation import filled
from mining._leakage import HeldOut
from mining._mine import mine
from mining._portfolio import Pool, best_first, build_pool
from mining._recipe import MiningRecipe
from mining.backtesting._table import FiniteTable

_LONGEST = 100


@dataclass(frozen=True, eq=False)
class Sources:
    """The trials of the families that are not left out, on the configurations that were drawn for them; no test score among them."""

    table: FiniteTable
    trials: pd.DataFrame
    recipe: MiningRecipe

    @cached_property
    def document(self) -> HeuristicsDocument:
        """Return what the miner makes of the sources, through its public entry."""
        return mine(
            self.trials,
            [each for each in self.table.facts if each.name in self.names],
            wide=self.table.wide,
            held_out=HeldOut(),
            versions={},
            recipe=self.recipe,
        )

    @cached_property
    def pool(self) -> Pool:
        """Return the sources' configurations against their datasets, empty cells imputed as the miner does."""
        datasets = build_dataset_table(self.trials, [each for each in self.table.facts if each.name in self.names])
        types = sorted({str(each) for each in self.trials["model_type"]})
        boards = [build_board(self.trials, datasets, self.table.wide[name], self.recipe) for name in types]
        return build_pool(boards, {board.model_type: filled(board, self.recipe.seed) for board in boards}, self.recipe)

    @cached_property
    def order(self) -> list[int]:
        """Return rows of the pool as a greedy portfolio orders them, a hundred at most."""
        return best_first(self.pool, _LONGEST)

    @cached_property
    def names(self) -> frozenset[str]:
        """Return the datasets that the sources are of."""
        return frozenset(str(each) for each in self.trials["dataset"])


def draw_sources(
    table: FiniteTable, left_out: Sequence[int], recipe: MiningRecipe, *, configurations: int | None, shared: bool, seed: Sequence[int]
) -> Sources:
    """Draw what a method may learn from: ``configurations`` of the table's rows (all: ``None``) on every dataset but those left out.

    ``shared``: the same rows on every dataset; else each dataset has a draw of its own. Nothing here depends on the order of trials.
    """
    columns = [column for column in range(len(table.datasets)) if column not in left_out]
    kept = np.zeros((len(table.configurations), len(table.datasets)), dtype=bool)
    for column in columns:
        stream = np.random.default_rng([*seed, 0 if shared else 1 + column])
        order = stream.permutation(len(table.configurations))
        run = order[np.isfinite(table.validation[order, column])]
        kept[run if configurations is None else run[:configurations], column] = True
    places = {name: column for column, name in enumerate(table.datasets)}
    own = table.trials["dataset"].map(places).to_numpy(dtype=np.int64)
    trials = table.trials[kept[table.row_of_trial, own]]
    return Sources(table, trials.reset_index(drop=True), recipe)

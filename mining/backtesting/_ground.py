"""The ground that a search is replayed on: one left-out dataset, as far as a search may see it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from heuristics_db import Scalar, SearchSpace
from mining._trial import Direction
from mining.backtesting._table import FiniteTable, Rows
from mining.policies import configuration_key, encode


class Ground:
    """The rows of the table that were run on one dataset, their configurations, and the way its metric counts; no score."""

    def __init__(self, table: FiniteTable, dataset: int) -> None:
        self._table = table
        self.rows: Rows = np.flatnonzero(np.isfinite(table.validation[:, dataset]))
        self.direction: Direction = table.directions[dataset]
        self.task = next(each.task for each in table.facts if each.name == table.datasets[dataset])
        types = np.asarray(table.model_types)
        self._by_type = {str(each): self.rows[types[self.rows] == each] for each in np.unique(types[self.rows])}
        self._points = {each: np.asarray([table.points[row] for row in rows]) for each, rows in self._by_type.items()}
        self._keys = {configuration_key(table.model_types[row], table.configurations[row]): int(row) for row in self.rows}

    @property
    def wide(self) -> Mapping[str, SearchSpace]:
        """Return the untuned space of each model type that was run here."""
        return {name: self._table.wide[name] for name in self._by_type}

    def model_type(self, row: int) -> str:
        """Return the model type of a row."""
        return self._table.model_types[row]

    def configuration(self, row: int) -> Mapping[str, Scalar]:
        """Return the configuration of a row."""
        return self._table.configurations[row]

    def lies_in(self, row: int, spaces: Mapping[str, SearchSpace]) -> bool:
        """Say whether a row's configuration lies in its model type's space among ``spaces``."""
        space = spaces.get(self.model_type(row))
        return space is not None and space.contains(self.configuration(row))

    def row_of(self, model_type: str, configuration: Mapping[str, Scalar]) -> int | None:
        """Return the row of exactly this configuration, if it was run here."""
        return self._keys.get(configuration_key(model_type, configuration))

    def nearest(
        self, model_type: str, configuration: Mapping[str, Scalar], tried: Collection[int], spaces: Mapping[str, SearchSpace]
    ) -> int | None:
        """Return the untried row that stands for a configuration: itself, else the nearest one of its model type within ``spaces``.

        ``None`` when no such row is left.
        """
        exact = self.row_of(model_type, configuration)
        if exact is not None and exact not in tried:
            return exact
        rows = self._by_type.get(model_type)
        if rows is None:
            return None
        wanted = encode(self._table.wide[model_type], [configuration])
        order = np.argsort(((self._points[model_type] - wanted) ** 2).sum(axis=1), kind="stable")
        open_rows = (int(rows[place]) for place in order)
        return next((row for row in open_rows if row not in tried and self.lies_in(row, spaces)), None)

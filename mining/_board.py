"""The board of one model type: the normalised regret of each configuration on each dataset."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from heuristics_db import CategoricalDomain, Hyperparameter, Scalar, SearchSpace
from mining._errors import MiningError
from mining._recipe import MiningRecipe
from mining._regret import Floats, normalised_regret
from mining._trial import FAILURES, PARAMETER_PREFIX
from mining.policies import configuration_key


@dataclass(frozen=True, eq=False)
class Board:
    """Configurations (rows) against datasets (columns) of one model type.

    ``regret`` is the mean over seeds, cut at the recipe's cap, and NaN where a configuration was not run; a failure is the worst seen,
    1 at least. ``families`` names each column's family, ``trials`` counts what went in.
    """

    space: SearchSpace
    configurations: tuple[Mapping[str, Scalar], ...]
    datasets: tuple[str, ...]
    families: tuple[str, ...]
    regret: Floats
    trials: int

    @property
    def model_type(self) -> str:
        """Return the model type that the board is of."""
        return self.space.model_type

    def column(self, dataset: int) -> tuple[np.ndarray, Floats]:
        """Return the rows that were run on a dataset (column number), and their regrets."""
        rows = np.flatnonzero(np.isfinite(self.regret[:, dataset]))
        return rows, self.regret[rows, dataset]


def build_board(trials: pd.DataFrame, table: pd.DataFrame, space: SearchSpace, recipe: MiningRecipe) -> Board:
    """Build the board of ``space.model_type`` from its trials; ``table`` is the dataset table.

    Raises:
        MiningError: a configuration lies outside the wide space.

    """
    own = trials[trials["model_type"] == space.model_type]
    configurations, rows = configurations_of(own, space)
    regrets = _regrets(own, table, recipe)
    names = sorted(set(own["dataset"]))
    places = {name: column for column, name in enumerate(names)}
    columns = own["dataset"].map(places).to_numpy(dtype=np.int64)
    totals, counts = np.zeros((len(configurations), len(names))), np.zeros((len(configurations), len(names)))
    np.add.at(totals, (rows, columns), regrets)
    np.add.at(counts, (rows, columns), 1)
    families = table.set_index("name")["family"]
    return Board(
        space=space,
        configurations=configurations,
        datasets=tuple(names),
        families=tuple(str(families[name]) for name in names),
        regret=np.where(counts > 0, totals / np.maximum(counts, 1), np.nan),
        trials=len(own),
    )


def configurations_of(trials: pd.DataFrame, space: SearchSpace) -> tuple[tuple[Mapping[str, Scalar], ...], npt.NDArray[np.int64]]:
    """Return the different configurations of trials of one model type, ordered by their keys, and which of them each trial ran.

    Raises:
        MiningError: a configuration lies outside ``space``.

    """
    names = [str(name) for name in trials.columns if str(name).startswith(PARAMETER_PREFIX)]
    codes = np.column_stack([np.zeros(len(trials), dtype=np.int64), *(_codes(trials[name]) for name in names)])
    _, first, inverse = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    # each different row of values is read once: tables where many datasets share configurations are read many times faster
    told = trials.iloc[first][["trial_id", *names]].to_dict("records")
    found = [_configuration({str(name): value for name, value in row.items()}, space) for row in told]
    keys = [configuration_key(space.model_type, each) for each in found]
    known = dict(zip(keys, found, strict=True))
    order = {key: position for position, key in enumerate(sorted(known))}
    return tuple(known[key] for key in sorted(known)), np.asarray([order[key] for key in keys], dtype=np.int64)[inverse.reshape(-1)]


def _codes(values: pd.Series[Any]) -> npt.NDArray[np.int64]:
    """Return a number for each value; ``1``, ``1.0`` and ``True`` are three, everything absent is one."""
    seen: dict[object, int] = {}
    keys = (None if _absent(each) else (type(each), each) for each in values)
    return np.fromiter((seen.setdefault(key, len(seen)) for key in keys), dtype=np.int64, count=len(values))


def _regrets(trials: pd.DataFrame, table: pd.DataFrame, recipe: MiningRecipe) -> Floats:
    found = np.full(len(trials), np.nan)
    failed = trials["status"].isin(FAILURES).to_numpy()
    scores = trials["validation_score"].astype(float).to_numpy()
    for row in table.itertuples(index=False):
        own = (trials["dataset"] == row.name).to_numpy()
        regret = normalised_regret(scores[own], row.best, row.reference, row.direction)  # type: ignore[arg-type]
        regret = np.where(failed[own] | ~np.isfinite(regret), np.nan, np.minimum(regret, recipe.regret_cap))
        worst = max(1.0, float(np.nanmax(regret))) if np.isfinite(regret).any() else recipe.regret_cap
        found[own] = np.where(np.isfinite(regret), regret, worst)
    return found


def _configuration(row: Mapping[str, object], space: SearchSpace) -> dict[str, Scalar]:
    chosen: dict[str, Scalar] = {}
    for each in space.hyperparameters:
        value = row.get(PARAMETER_PREFIX + each.name, math.nan)
        if not _absent(value):
            chosen[each.name] = _restored(value, each)
        elif _admits_none(each) and each in space.active(chosen):
            chosen[each.name] = None
    given = {name.removeprefix(PARAMETER_PREFIX) for name, value in row.items() if name.startswith(PARAMETER_PREFIX) and not _absent(value)}
    strange = sorted(given - {each.name for each in space.hyperparameters})
    problem = f"{strange[0]} is not among its hyperparameters" if strange else space.misfit(chosen)
    if problem:
        raise MiningError(f"trial {row['trial_id']} lies outside the wide space of {space.model_type}: {problem}; select its sweep out")
    return chosen


def _absent(value: object) -> bool:
    return value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value))


def _admits_none(hyperparameter: Hyperparameter) -> bool:
    return isinstance(hyperparameter.domain, CategoricalDomain) and hyperparameter.domain.contains(None)


def _restored(value: object, hyperparameter: Hyperparameter) -> Scalar:
    """Give a value back the type that its domain has: a column of a table may have made a float of a whole number."""
    plain: Scalar = value.item() if isinstance(value, np.generic) else value  # type: ignore[assignment]
    domain = hyperparameter.domain
    if isinstance(domain, CategoricalDomain):
        alike = (choice for choice in domain.choices if choice == plain and isinstance(choice, bool) == isinstance(plain, bool))
        return next(alike, plain)
    if isinstance(plain, float) and domain.kind == "int" and plain.is_integer():
        return int(plain)
    return float(plain) if isinstance(plain, int) and not isinstance(plain, bool) and domain.kind == "float" else plain

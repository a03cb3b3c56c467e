"""The backtest: leave families out, learn from the others, replay searches on those left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mining._errors import MiningError
from mining._evidence import folds
from mining._recipe import MiningRecipe
from mining._regret import Floats
from mining.backtesting._ground import Ground
from mining.backtesting._methods import Method, Search
from mining.backtesting._sources import draw_sources
from mining.backtesting._table import FiniteTable
from mining.policies import Observation


@dataclass(frozen=True)
class BacktestSettings:
    """How to backtest.

    Args:
        trials: trials of each search.
        draws: how many times sources are drawn anew.
        configurations: configurations drawn for the sources in each draw; ``None`` for all that there are.
        shared: whether the sources of a draw share their configurations.
        seed: of every draw.

    """

    trials: int = 50
    draws: int = 5
    configurations: int | None = None
    shared: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what cannot be run."""
        for name in ("trials", "draws", "configurations"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise MiningError(f"a backtest of {value} {name} cannot be run; give at least 1")


@dataclass(frozen=True, eq=False)
class BacktestResult:
    """Mean regret of each method [dataset, trial] over draws and repeats, on datasets whose family it had not seen."""

    datasets: tuple[str, ...]
    families: tuple[str, ...]
    curves: Mapping[str, Floats]
    settings: BacktestSettings
    searches: Mapping[str, int]


@dataclass(frozen=True)
class Unit:
    """One part of a backtest that may run by itself: a draw of sources, and the families left out."""

    draw: int
    left_out: tuple[int, ...]


def units(table: FiniteTable, settings: BacktestSettings) -> list[Unit]:
    """Return the parts that the backtest consists of: each family left out in turn (ten groups when there are more), in each draw.

    Raises:
        MiningError: there are fewer than two families.

    """
    groups = folds(table.families)
    if len(groups) < 2:
        raise MiningError("a backtest leaves one family out and learns from the others: it needs datasets of at least two families")
    columns = [tuple(column for column, family in enumerate(table.families) if family in group) for group in groups]
    return [Unit(draw, left_out) for draw in range(settings.draws) for left_out in columns]


def run_unit(
    table: FiniteTable, unit: Unit, methods: Sequence[Method], settings: BacktestSettings, recipe: MiningRecipe
) -> dict[str, Floats]:
    """Return the mean regret of each method [dataset left out, trial] over its repeats."""
    sources = draw_sources(
        table,
        unit.left_out,
        recipe,
        configurations=settings.configurations,
        shared=settings.shared,
        seed=(settings.seed, unit.draw),
    )
    found = {}
    for method in methods:
        curves = np.zeros((len(unit.left_out), settings.trials))
        for place, dataset in enumerate(unit.left_out):
            ground = Ground(table, dataset)
            for repeat in range(method.repeats):
                seed = int(np.random.SeedSequence([settings.seed, unit.draw, dataset, repeat]).generate_state(1)[0])
                curves[place] += replay(table, dataset, method.start(sources, ground, seed), settings.trials) / method.repeats
        found[method.name] = curves
    return found


def backtest(
    table: FiniteTable,
    methods: Sequence[Method],
    settings: BacktestSettings | None = None,
    recipe: MiningRecipe | None = None,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> BacktestResult:
    """Run every unit, one after another, and gather what they found; see :func:`run_unit` for running them elsewhere.

    Raises:
        MiningError: the table has too few families, or its trials cannot be mined.

    """
    settings, recipe = settings or BacktestSettings(), recipe or MiningRecipe()
    planned = units(table, settings)
    parts = _each(table, planned, methods, settings, recipe, progress)
    return gather(table, methods, settings, parts)


def gather(
    table: FiniteTable, methods: Sequence[Method], settings: BacktestSettings, parts: Iterator[tuple[Unit, Mapping[str, Floats]]]
) -> BacktestResult:
    """Put the units' findings together, in whatever order they come."""
    curves = {method.name: np.zeros((settings.draws, len(table.datasets), settings.trials)) for method in methods}
    for unit, found in parts:
        for name, values in found.items():
            curves[name][unit.draw, list(unit.left_out)] = values
    return BacktestResult(
        datasets=table.datasets,
        families=table.families,
        curves={name: values.mean(axis=0) for name, values in curves.items()},
        settings=settings,
        searches={method.name: settings.draws * method.repeats for method in methods},
    )


def replay(table: FiniteTable, dataset: int, search: Search, trials: int) -> Floats:
    """Run one search by look-up and return the regret after each trial: of the row with the best validation score, as it is judged."""
    tried: list[int] = []
    history: list[Observation] = []
    regrets: list[float] = []
    best = np.inf
    for _ in range(min(trials, int(np.isfinite(table.validation[:, dataset]).sum()))):
        row = search.next(history, tried)
        tried.append(row)
        history.append(Observation(table.model_types[row], table.configurations[row], table.score(row, dataset), 1))
        value = float(table.validation[row, dataset])
        regrets.append(float(table.judged[row, dataset]) if value < best else regrets[-1])
        best = min(best, value)
    return np.asarray([*regrets, *[regrets[-1]] * (trials - len(regrets))])


def _each(
    table: FiniteTable,
    planned: Sequence[Unit],
    methods: Sequence[Method],
    settings: BacktestSettings,
    recipe: MiningRecipe,
    progress: Callable[[int, int], None] | None,
) -> Iterator[tuple[Unit, Mapping[str, Floats]]]:
    for count, unit in enumerate(planned, 1):
        yield unit, run_unit(table, unit, methods, settings, recipe)
        if progress is not None:
            progress(count, len(planned))

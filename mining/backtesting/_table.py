"""Finite tables of trials: what each configuration scored on each dataset, to be looked up in place of training."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from heuristics_db import Scalar, SearchSpace
from mining._board import Board, build_board, configurations_of
from mining._datasets import DatasetFacts, build_dataset_table
from mining._errors import MiningError
from mining._imputation import encoded
from mining._recipe import MiningRecipe
from mining._regret import Floats, regret_scale
from mining._selection import check_columns, select
from mining._trial import FAILURES, Direction
from mining.policies import configuration_key

Rows = npt.NDArray[np.int64]
_UNCUT = MiningRecipe(regret_cap=1e6)
_VALIDATION, _TEST = "validation_score", "test_score"


@dataclass(frozen=True, eq=False)
class FiniteTable:
    """Every configuration that was tried (rows, ordered by model type and key) against every dataset (columns, by name).

    ``validation`` and ``judged`` are normalised regrets on the whole table's own ends (or the frozen ones of the facts), NaN where a
    configuration was not run. ``judged`` is of the test scores where a dataset has them, of the validation scores elsewhere. ``trials``
    has no test score; ``row_of_trial`` says which row each of its trials belongs to.
    """

    wide: Mapping[str, SearchSpace]
    facts: tuple[DatasetFacts, ...]
    trials: pd.DataFrame
    row_of_trial: Rows
    model_types: tuple[str, ...]
    configurations: tuple[Mapping[str, Scalar], ...]
    points: tuple[Floats, ...]
    datasets: tuple[str, ...]
    families: tuple[str, ...]
    directions: tuple[Direction, ...]
    ends: tuple[tuple[float, float], ...]
    validation: Floats
    judged: Floats
    tested: tuple[bool, ...]

    def score(self, row: int, dataset: int) -> float:
        """Return the validation score of a row in the dataset's own metric, as a search would see it."""
        best, reference = self.ends[dataset]
        sign = 1.0 if self.directions[dataset] == "minimize" else -1.0
        return best + sign * regret_scale(best, reference) * float(self.validation[row, dataset])


def build_finite_table(trials: pd.DataFrame, datasets: Iterable[DatasetFacts], wide: Mapping[str, SearchSpace]) -> FiniteTable:
    """Lay a trial table out for look-up. The order of its rows does not matter; repeated seeds of a configuration are averaged.

    ``trials`` may have a ``test_score`` column (see ``trial_table(..., test_scores=True)``). A dataset is judged by test scores when all
    of its trials that did not fail have one, by validation scores when none has.

    Raises:
        MiningError: the trials cannot be compared, or some trials of a dataset have a test score and others have none.

    """
    check_columns(trials)
    selected = select(trials, wide).trials
    facts = tuple(sorted(datasets, key=lambda each: each.name))
    tests = _tested(selected)
    by_validation = build_dataset_table(selected, facts)
    boards = _boards(selected, by_validation, wide)
    names = tuple(str(each) for each in by_validation["name"])
    validation = _stacked(boards, names)
    judged = validation.copy()
    with_tests = selected[selected["dataset"].isin(tests)]
    if len(with_tests):
        scored = with_tests.assign(**{_VALIDATION: with_tests[_TEST]})
        unfrozen = [DatasetFacts(**{field: getattr(each, field) for field in _WITHOUT_ENDS}) for each in facts if each.name in tests]
        test_boards = _boards(scored, build_dataset_table(scored, unfrozen), wide)
        judged = _overlaid(judged, boards, test_boards, names)
    plain = selected.drop(columns=[_TEST], errors="ignore")
    rows = {
        configuration_key(board.model_type, each): row
        for row, (board, each) in enumerate((board, each) for board in boards for each in board.configurations)
    }
    return FiniteTable(
        wide=dict(wide),
        facts=tuple(each for each in facts if each.name in names),
        trials=plain,
        row_of_trial=_rows_of(plain, boards, rows),
        model_types=tuple(board.model_type for board in boards for _ in board.configurations),
        configurations=tuple(each for board in boards for each in board.configurations),
        points=tuple(point for board in boards for point in encoded(board)),
        datasets=names,
        families=tuple(str(each) for each in by_validation["family"]),
        directions=tuple(by_validation["direction"]),
        ends=tuple(zip(by_validation["best"].astype(float), by_validation["reference"].astype(float), strict=True)),
        validation=validation,
        judged=judged,
        tested=tuple(name in tests for name in names),
    )


_WITHOUT_ENDS = ("name", "fingerprint", "family", "role", "task", "metric", "rows", "sketch", "profile")


def _tested(trials: pd.DataFrame) -> frozenset[str]:
    """Return the datasets whose trials all have a test score (but for failed ones)."""
    if _TEST not in trials:
        return frozenset()
    counted = trials[~trials["status"].isin(FAILURES)]
    shares = counted[_TEST].astype(float).map(math.isfinite).groupby(counted["dataset"]).mean()
    for name, share in shares.items():
        if 0 < share < 1:
            raise MiningError(f"{name}: {share:.0%} of its trials have a test score; judge by all of them, or drop the column test_score")
    return frozenset(str(name) for name, share in shares.items() if share == 1)


def _boards(trials: pd.DataFrame, table: pd.DataFrame, wide: Mapping[str, SearchSpace]) -> list[Board]:
    return [build_board(trials, table, wide[name], _UNCUT) for name in sorted({str(each) for each in trials["model_type"]})]


def _stacked(boards: Sequence[Board], names: Sequence[str]) -> Floats:
    blocks = []
    for board in boards:
        block = np.full((len(board.configurations), len(names)), np.nan)
        block[:, [names.index(each) for each in board.datasets]] = board.regret
        blocks.append(block)
    return np.vstack(blocks)


def _overlaid(judged: Floats, boards: Sequence[Board], tests: Sequence[Board], names: Sequence[str]) -> Floats:
    """Put the test regrets over the validation ones; a test board may lack configurations that ran on datasets without tests alone."""
    own = {board.model_type: board for board in tests}
    found, start = judged.copy(), 0
    for board in boards:
        test = own.get(board.model_type)
        if test is not None:
            rows = {configuration_key(board.model_type, each): start + row for row, each in enumerate(board.configurations)}
            places = [rows[configuration_key(board.model_type, each)] for each in test.configurations]
            found[np.ix_(places, [names.index(each) for each in test.datasets])] = test.regret
        start += len(board.configurations)
    return found


def _rows_of(trials: pd.DataFrame, boards: Sequence[Board], rows: Mapping[str, int]) -> Rows:
    found = np.zeros(len(trials), dtype=np.int64)
    for board in boards:
        own = np.flatnonzero((trials["model_type"] == board.model_type).to_numpy())
        configurations, places = configurations_of(trials.iloc[own], board.space)
        found[own] = np.asarray([rows[configuration_key(board.model_type, each)] for each in configurations])[places]
    return found

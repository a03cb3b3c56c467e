"""The unstopped validation curves of a trial table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from mining._board import Board
from mining._portfolio import Portfolio
from mining._trial import PARAMETER_PREFIX
from mining.policies import Curve


def unstopped_curves(trials: pd.DataFrame, boards: Sequence[Board], portfolio: Portfolio) -> list[Curve]:
    """Return one curve for each trial of the boards' model types that ran to its own end, completed or diverged.

    A trial that was stopped, timed out or broke has no curve that could say what stopping would have cost.
    """
    types = {board.model_type for board in boards}
    own = trials[trials["status"].isin(["completed", "diverged"]) & trials["model_type"].isin(types)]
    found = []
    for row in own.to_dict("records"):
        points = row["curve"]
        if points is None or isinstance(points, float) or not len(points):
            continue
        by_epoch = {int(point["epoch"]): point["score"] for point in points}
        scores = tuple(_score(by_epoch.get(epoch)) for epoch in range(1, max(by_epoch) + 1))
        lead = next((place for place, seed in enumerate(portfolio.seeds) if _is(row, seed.model_type, seed.configuration)), None)
        found.append(Curve(str(row["dataset"]), str(row["family"]), scores, row["direction"], lead))
    return found


def _score(value: object) -> float | None:
    return None if value is None or value != value else float(value)  # type: ignore[arg-type]


def _is(row: Mapping[object, object], model_type: str, configuration: Mapping[str, object]) -> bool:
    if row["model_type"] != model_type:
        return False
    return all(_same(row.get(PARAMETER_PREFIX + name), value) for name, value in configuration.items())


def _same(cell: object, value: object) -> bool:
    return cell == value or (value is None and (cell is None or cell != cell))

"""The dataset table: what mining knows of each dataset, with the frozen ends of its regret scale."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd

from mining._errors import MiningError
from mining._trial import FAILURES, Direction

REFERENCE = "median of the drawn configurations"


@dataclass(frozen=True)
class DatasetFacts:
    """One dataset as the catalogue tells it; ``sketch`` is its MinHash row sketch, ``profile`` its meta-features."""

    name: str
    fingerprint: str
    family: str
    role: Literal["training", "held_out", "user"]
    task: str
    metric: str
    rows: int
    sketch: tuple[int, ...] = ()
    profile: Mapping[str, object] = field(default_factory=dict)


def build_dataset_table(trials: pd.DataFrame, facts: Iterable[DatasetFacts]) -> pd.DataFrame:
    """Lay the datasets that ``trials`` ran on out as one row each, ordered by name.

    Columns: name, fingerprint, family, role, task, metric, direction, rows, sketch, trials, failed, best and reference. ``best`` is the
    best validation score of any trial, ``reference`` the median over the trials, where a failed one counts as the worst.

    Raises:
        MiningError: trials of an unknown dataset, of another fingerprint or metric, or a dataset without any score.

    """
    known = {each.name: each for each in facts}
    rows = []
    for key, group in trials.groupby("dataset", sort=True):
        name = str(key)
        if name not in known:
            raise MiningError(f"{len(group)} trials are of {name}, which is not among the datasets given")
        fact = known[name]
        for column in ("fingerprint", "metric", "family", "task"):
            other = sorted({str(each) for each in group[column]} - {getattr(fact, column)})
            if other:
                raise MiningError(f"{name}: trials have the {column} {other[0]}, the dataset {getattr(fact, column)}; select one sweep")
        direction = _direction(name, group)
        best, reference = _ends(name, group, direction)
        failed = int(group["status"].isin(FAILURES).sum())
        told = {column: getattr(fact, column) for column in ("name", "fingerprint", "family", "role", "task", "metric", "rows", "sketch")}
        rows.append(told | {"direction": direction, "trials": len(group), "failed": failed, "best": best, "reference": reference})
    return pd.DataFrame(rows)


def _direction(name: str, group: pd.DataFrame) -> Direction:
    directions = sorted({str(each) for each in group["direction"]})
    if directions == ["maximize"]:
        return "maximize"
    if directions == ["minimize"]:
        return "minimize"
    raise MiningError(f"{name}: its trials have the directions {', '.join(directions)}; one is needed")


def _ends(name: str, group: pd.DataFrame, direction: Direction) -> tuple[float, float]:
    sign = 1.0 if direction == "minimize" else -1.0
    losses = np.where(group["status"].isin(FAILURES), np.nan, sign * group["validation_score"].astype(float))
    finite = losses[np.isfinite(losses)]
    if not len(finite):
        raise MiningError(f"{name}: none of its {len(group)} trials has a validation score")
    reference = np.median(np.where(np.isfinite(losses), losses, finite.max()))
    return float(sign * finite.min()), float(sign * reference)

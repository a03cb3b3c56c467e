"""The dataset table: what mining knows of each dataset, with the frozen ends of its regret scale."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd

from mining._errors import MiningError
from mining._trial import FAILURES, Direction

OBSERVED = "median of the drawn configurations; best: of the trials mined (no ends are frozen for these rows)"
"""What the provenance calls ends that are taken from the trials themselves."""

_TOLD = ("name", "fingerprint", "family", "role", "task", "metric", "rows", "sketch", "profile")


@dataclass(frozen=True)
class DatasetFacts:
    """One dataset as the catalogue tells it; ``sketch`` is its MinHash row sketch, ``profile`` its meta-features.

    ``best`` (regret 0) and ``reference`` (regret 1) are the frozen ends of its scale, validation scores in its metric on the rows and parts
    that its trials ran on; ``ends_revision`` says where they come from. Without them the trials themselves give both.
    """

    name: str
    fingerprint: str
    family: str
    role: Literal["training", "held_out", "user"]
    task: str
    metric: str
    rows: int
    sketch: tuple[int, ...] = ()
    profile: Mapping[str, object] = field(default_factory=dict)
    best: float | None = None
    reference: float | None = None
    ends_revision: str = ""

    def __post_init__(self) -> None:
        """Refuse one end without the other, and ends that nobody can trace."""
        if (self.best is None) != (self.reference is None) or (self.best is not None and not self.ends_revision):
            raise MiningError(f"{self.name}: best, reference and ends_revision are frozen together; give all or none")


def build_dataset_table(trials: pd.DataFrame, facts: Iterable[DatasetFacts]) -> pd.DataFrame:
    """Lay the datasets that ``trials`` ran on out as one row each, ordered by name.

    Columns: name, fingerprint, family, role, task, metric, direction, rows, sketch, profile, trials, failed, best, reference and ends.
    ``best`` and ``reference`` are the frozen ends, where the facts have them; else :func:`observed_ends`. ``ends`` says which.

    Raises:
        MiningError: trials of an unknown dataset, of another fingerprint or metric, or a dataset without any score; or frozen ends that
            lie the wrong way round for the metric.

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
        best, reference = observed_ends(group)  # a dataset without any score is refused, whatever ends it has
        ends = OBSERVED
        if fact.best is not None and fact.reference is not None:
            best, reference, ends = fact.best, fact.reference, fact.ends_revision
            if best == reference or (best > reference) != (direction == "maximize"):
                raise MiningError(f"{name}: the frozen best {best:g} is not better than the reference {reference:g} ({direction})")
        failed = int(group["status"].isin(FAILURES).sum())
        told = {column: getattr(fact, column) for column in _TOLD}
        counted = {"direction": direction, "trials": len(group), "failed": failed}
        rows.append(told | counted | {"best": best, "reference": reference, "ends": ends})
    return pd.DataFrame(rows)


def observed_ends(trials: pd.DataFrame) -> tuple[float, float]:
    """Return the best validation score of the trials of one dataset, and their median, where a failed one counts as the worst.

    Raises:
        MiningError: no trial has a score, or they disagree on the direction.

    """
    name = str(trials["dataset"].iloc[0])
    sign = 1.0 if _direction(name, trials) == "minimize" else -1.0
    losses = np.where(trials["status"].isin(FAILURES), np.nan, sign * trials["validation_score"].astype(float))
    finite = losses[np.isfinite(losses)]
    if not len(finite):
        raise MiningError(f"{name}: none of its {len(trials)} trials has a validation score")
    reference = np.median(np.where(np.isfinite(losses), losses, finite.max()))
    return float(sign * finite.min()), float(sign * reference)


def _direction(name: str, group: pd.DataFrame) -> Direction:
    directions = sorted({str(each) for each in group["direction"]})
    if directions == ["maximize"]:
        return "maximize"
    if directions == ["minimize"]:
        return "minimize"
    raise MiningError(f"{name}: its trials have the directions {', '.join(directions)}; one is needed")

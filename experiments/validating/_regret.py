"""The frozen scale of regret of one held-out dataset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

from experiments._errors import ExperimentError
from experiments.validating._suite import SuiteEntry
from mining import normalised_regret


@dataclass(frozen=True)
class RegretScale:
    """Ends of a dataset's scale in its own metric: ``best`` is regret 0, ``reference`` regret 1; ``floor`` is the least length between."""

    best: float
    reference: float
    direction: Literal["maximize", "minimize"]
    floor: float

    @classmethod
    def of(cls, entry: SuiteEntry, direction: Literal["maximize", "minimize"], floor: float) -> Self:
        """Return the scale that ``entry`` freezes; ``floor`` is a share of the larger end.

        Raises:
            ExperimentError: the entry is not frozen, or its ends lie the wrong way round for the metric.

        """
        if entry.best is None or entry.reference is None:
            raise ExperimentError(f"{entry.name} has no frozen best and reference: run `lode validate SUITE.yaml --freeze` first")
        if (entry.best > entry.reference) != (direction == "maximize"):
            raise ExperimentError(f"{entry.name}: best {entry.best:g} is not better than reference {entry.reference:g} ({direction})")
        return cls(entry.best, entry.reference, direction, floor * max(abs(entry.best), abs(entry.reference)))

    def regret(self, score: float) -> float:
        """Return the normalised regret of ``score``: below 0 when it beats the best known."""
        return float(normalised_regret(score, self.best, self.reference, self.direction, self.floor))

"""What a report shows, as plain values: gathered once, drawn anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from heuristics_db import GateVerdict, ValidationSummary


@dataclass(frozen=True)
class Stage:
    """One stage of a run: how many seconds it took, and what it did in a few words."""

    name: str
    seconds: float
    detail: str = ""


@dataclass(frozen=True)
class SweptDataset:
    """One training dataset of the sweeps: its size as trained on, its trials by status, the best validation score among them.

    ``best_known`` (regret 0) and ``reference`` (regret 1) are the ends of its regret scale; ``ends`` says where they come from.
    """

    name: str
    task: str
    metric: str
    family: str
    rows: int
    row_cap: int | None
    trials: int
    statuses: tuple[tuple[str, int], ...]
    best: float | None
    best_known: float | None
    reference: float | None
    direction: str
    train_seconds: float
    ends: str = ""


@dataclass(frozen=True)
class TrialDot:
    """One trial, for the regret chart: normalised regret of its validation score on its dataset (``None`` when it has no score)."""

    dataset: str
    model_type: str
    status: str
    regret: float | None
    seconds: float


@dataclass(frozen=True)
class Interval:
    """A domain drawn on one line: numbers from ``low`` to ``high`` on a linear or log scale, or choices."""

    low: float | None = None
    high: float | None = None
    log: bool = False
    choices: tuple[str, ...] = ()
    fixed: str | None = None

    @property
    def text(self) -> str:
        """The domain in a few words."""
        if self.fixed is not None:
            return self.fixed
        if self.choices:
            return ", ".join(self.choices)
        return f"{_short(self.low)} – {_short(self.high)}{' (log)' if self.log else ''}"


@dataclass(frozen=True)
class HyperparameterFacts:
    """One hyperparameter of a model type: the wide domain it was swept over, what mining left of it, its importance, and why."""

    model_type: str
    name: str
    wide: Interval
    mined: Interval
    importance: float | None
    reason: str


@dataclass(frozen=True)
class SeedFacts:
    """One seed configuration of the portfolio, in the order in which a search tries it."""

    position: int
    model_type: str
    configuration: tuple[tuple[str, str], ...]
    best_on: tuple[str, ...]


@dataclass(frozen=True)
class MinedFacts:
    """What one heuristics version says, pooled over tasks; ``tasks`` names those that have something of their own."""

    version: str
    state: str
    trial_set: str
    trials: int
    failed_trials: int
    model_order: tuple[tuple[str, float | None], ...]
    model_reason: str
    early_stopping: str
    early_stopping_reason: str
    limits: str
    limits_reason: str
    hyperparameters: tuple[HyperparameterFacts, ...]
    portfolio: tuple[SeedFacts, ...]
    recipe: tuple[tuple[str, str], ...] = ()
    backtest: tuple[tuple[str, float], ...] = ()
    tasks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Overhead:
    """Where the sweeps' time went: ``wall`` is what trials took from request to answer, ``train`` what of it was training."""

    trials: int
    wall: float
    train: float
    prepare: float

    @property
    def per_trial(self) -> float:
        """Seconds a trial that were not training."""
        return max(0.0, self.wall - self.train) / self.trials if self.trials else 0.0


@dataclass(frozen=True)
class ReportData:
    """Everything on the page. ``promoted`` names the channels that point at the version.

    Any part may be missing (``None`` or empty): the page then leaves it out.
    """

    title: str
    created_at: datetime
    datasets: tuple[SweptDataset, ...] = ()
    dots: tuple[TrialDot, ...] = ()
    overhead: Overhead | None = None
    mined: MinedFacts | None = None
    validation: ValidationSummary | None = None
    gates: tuple[GateVerdict, ...] = ()
    promoted: tuple[str, ...] = ()
    stages: tuple[Stage, ...] = ()
    paths: tuple[tuple[str, str], ...] = ()
    versions: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


def _short(value: float | None) -> str:
    return "?" if value is None else f"{value:.4g}"

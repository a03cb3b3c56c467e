"""What a search has seen, and what it is told to try next."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from heuristics_db import Configuration, Scalar

Direction = Literal["maximize", "minimize"]


@dataclass(frozen=True)
class Observation:
    """One trial of a search, in the order in which the search started it.

    ``value`` is the validation score. ``None`` with ``failed`` false is a trial that still runs; ``failed`` is a trial that ran out of
    memory, diverged, timed out or broke: it counts as the worst score seen. A preempted trial is no observation at all.
    """

    model_type: str
    configuration: Mapping[str, Scalar]
    value: float | None = None
    epochs: int = 0
    failed: bool = False


@dataclass(frozen=True)
class Suggestion:
    """The configuration to try next, and where it comes from: the portfolio, the adaptive seeds or the sampler."""

    model_type: str
    configuration: Mapping[str, Scalar]
    origin: Literal["seed", "adaptive", "sampler"]


def configuration_key(model_type: str, configuration: Configuration) -> str:
    """Return a text that two configurations share exactly when they are the same (``1``, ``1.0`` and ``True`` are told apart)."""
    return json.dumps([model_type, dict(configuration)], sort_keys=True)

"""Normalised regret: 0 is the best score known on a dataset, 1 its reference."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mining._errors import MiningError
from mining._trial import Direction

RELATIVE_FLOOR = 1e-3
Floats = npt.NDArray[np.float64]


def normalised_regret(scores: npt.ArrayLike, best: float, reference: float, direction: Direction, floor: float | None = None) -> Floats:
    """Return ``(score - best) / (reference - best)`` of each score, in the same shape; lower is better, NaN stays NaN.

    The denominator is at least ``floor``, in the metric's own unit (``None``: a thousandth of the larger of the two ends), so that
    noise on a dataset where nothing matters does not count as regret. Values below 0 mean better than the best known.

    Raises:
        MiningError: an end is not finite, or the reference is better than the best.

    """
    if not (np.isfinite(best) and np.isfinite(reference)):
        raise MiningError(f"the ends of the regret scale must be finite, not best {best} and reference {reference}")
    sign = 1.0 if direction == "minimize" else -1.0
    if sign * (reference - best) < 0:
        raise MiningError(f"the reference {reference} is better than the best {best} ({direction})")
    return sign * (np.asarray(scores, dtype=np.float64) - best) / regret_scale(best, reference, floor)


def regret_scale(best: float, reference: float, floor: float | None = None) -> float:
    """Return how much of the metric one unit of normalised regret is: ``abs(reference - best)``, or the floor."""
    lowest = max(RELATIVE_FLOOR * max(abs(best), abs(reference)), 1e-12) if floor is None else floor
    return max(abs(reference - best), lowest)

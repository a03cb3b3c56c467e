"""Figures that do not depend on the order of what they are taken from: summaries, moments, entropies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from dataset_catalog.profiling._fields import Lengths, Summary

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
_DIGITS = 6
_NOISE = 1e-12


def rounded(value: float) -> float | None:
    """To six significant digits, what rounding left of 0 to 0, so that processors agree; ``None`` for what is not finite."""
    if not np.isfinite(value):
        return None
    return float(f"{float(value):.{_DIGITS}g}") if abs(value) > _NOISE else 0.0


def ratio(above: float, below: float) -> float | None:
    """Divide; ``None`` when there is nothing to divide by."""
    return rounded(above / below) if below else None


def share(part: float, whole: float) -> float:
    """Return which share of ``whole`` ``part`` is; 0 of nothing."""
    return float(f"{part / whole:.{_DIGITS}g}") if whole else 0.0


def summary(values: Sequence[float] | Floats) -> Summary:
    """Summarise what is finite of ``values``."""
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    return Summary(**_parts(ordered[np.isfinite(ordered)]))


def lengths(values: Whole) -> Lengths:
    """Summarise lengths, with their median and 95th percentile."""
    if len(values) == 0:
        return Lengths()
    ordered = np.sort(values).astype(np.float64)
    middle, long = np.quantile(ordered, (0.5, 0.95))
    return Lengths(**_parts(ordered), median=rounded(middle), p95=rounded(long))


def _parts(ordered: Floats) -> dict[str, Any]:
    if len(ordered) == 0:
        return {}
    sd = rounded(ordered.std(ddof=1)) if len(ordered) > 1 else None
    return {"mean": rounded(ordered.mean()), "sd": sd, "min": rounded(ordered[0]), "max": rounded(ordered[-1])}


def moments(ordered: Floats) -> tuple[float, float] | None:
    """Return skewness and kurtosis of finite numbers in ascending order, pymfe's (b1 and b2 of Joanes and Gill, 1998).

    ``None`` when they are all alike, or fewer than two. Numbers are scaled first, so that none is too large to be raised to the fourth.
    """
    if len(ordered) < 2 or ordered[0] == ordered[-1]:
        return None
    reach = max(abs(ordered[0]), abs(ordered[-1]))
    scaled = ordered / reach
    scaled -= scaled.mean()
    squares = scaled * scaled
    spread = float(squares.sum()) / (len(scaled) - 1)
    if spread < 1e-30:  # they differ in digits that rounding loses
        return None
    third = float((squares * scaled).mean()) / spread**1.5
    fourth = float((squares * squares).mean()) / spread**2
    return third, fourth - 3.0


def entropy(counts: Whole) -> float:
    """Return the entropy of counted values in bits."""
    positive = np.sort(counts[counts > 0]).astype(np.float64)
    shares = positive / positive.sum()
    return max(0.0, float(-(shares * np.log2(shares)).sum()))

"""What a trial will cost, by a mined resource model."""

from __future__ import annotations

import math

from heuristics_db import ResourceModel


def seconds_per_epoch(model: ResourceModel, rows: int, columns: int, *, careful: bool = False) -> float:
    """Return the seconds of one epoch on a table of ``rows`` rows (all parts, after its cap) and ``columns`` features.

    ``careful`` gives a bound that nine of ten trials stayed below in place of the typical time.
    """
    typical = model.intercept + model.rows * math.log(max(rows, 1)) + model.columns * math.log(max(columns, 1))
    return math.exp(typical + (model.upper if careful else 0.0))

"""What a trial of one model type costs: seconds an epoch, by the size of the table, and memory."""

from __future__ import annotations

import numpy as np
import pandas as pd

from heuristics_db import Evidence, ResourceModel
from mining.policies import seconds_per_epoch

_FEWEST_TRIALS = 5
_CAREFUL = 0.9


def fit_resources(trials: pd.DataFrame) -> ResourceModel | None:
    """Fit the seconds an epoch of the completed trials of one model type; ``None`` when fewer than five were timed.

    ``rows`` are those of the whole table after its cap, all three parts: an epoch trains on one and is scored on another. Where the tables
    hardly differ in size, the slopes are 0 and the intercept is all.
    """
    timed = trials[(trials["status"] == "completed") & (trials["epochs_run"] > 0) & (trials["train_seconds"] > 0)]
    if len(timed) < _FEWEST_TRIALS:
        return None
    target = np.log(timed["train_seconds"].astype(float).to_numpy() / timed["epochs_run"].astype(float).to_numpy())
    sizes = np.log(np.maximum(timed[["rows", "columns"]].astype(float).to_numpy(), 1))
    sized = [column for column in range(2) if len(np.unique(sizes[:, column])) >= 3]
    design = np.column_stack([np.ones(len(target)), *(sizes[:, column] for column in sized)])
    solution, *_ = np.linalg.lstsq(design, target, rcond=None)
    slopes = dict.fromkeys(range(2), 0.0) | dict(zip(sized, solution[1:].tolist(), strict=True))
    typical = ResourceModel(
        intercept=round(float(solution[0]), 4),
        rows=round(slopes[0], 4),
        columns=round(slopes[1], 4),
        upper=0,
        peak_memory_bytes=int(timed["peak_memory_bytes"].max()),
        evidence=Evidence(
            method="least squares on the logarithm of seconds an epoch",
            trials=len(timed),
            datasets=tuple(sorted(set(timed["dataset"]))),
            unit="log seconds an epoch (spread of the residuals)",
        ),
    )
    told = [seconds_per_epoch(typical, int(rows), int(columns)) for rows, columns in timed[["rows", "columns"]].itertuples(index=False)]
    residuals = target - np.log(told)
    upper = round(max(float(np.quantile(residuals, _CAREFUL)), 0.0), 4)
    spread = round(float(np.std(residuals)), 4)
    return typical.model_copy(update={"upper": upper, "evidence": typical.evidence.model_copy(update={"effect": spread})})

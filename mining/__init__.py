"""From a trial table and a dataset table to a heuristics document. Pure: no Ray, no Ludwig, no MLflow, no files."""

from mining._errors import LeakageError, MiningError
from mining._trial import PARAMETER_PREFIX, CurvePoint, Direction, Status, TrialRecord, trial_table

__all__ = ["PARAMETER_PREFIX", "CurvePoint", "Direction", "LeakageError", "MiningError", "Status", "TrialRecord", "trial_table"]

"""From a trial table and a dataset table to a heuristics document. Pure: no Ray, no Ludwig, no MLflow, no files."""

from mining._datasets import OBSERVED, DatasetFacts, build_dataset_table, observed_ends
from mining._errors import LeakageError, MiningError
from mining._leakage import HeldOut, check_leakage, similarity
from mining._mine import mine
from mining._recipe import MiningRecipe
from mining._regret import normalised_regret, regret_scale
from mining._trial import FAILURES, PARAMETER_PREFIX, CurvePoint, Direction, Status, TrialRecord, trial_table

__all__ = [
    "FAILURES",
    "OBSERVED",
    "PARAMETER_PREFIX",
    "CurvePoint",
    "DatasetFacts",
    "Direction",
    "HeldOut",
    "LeakageError",
    "MiningError",
    "MiningRecipe",
    "Status",
    "TrialRecord",
    "build_dataset_table",
    "check_leakage",
    "mine",
    "normalised_regret",
    "observed_ends",
    "regret_scale",
    "similarity",
    "trial_table",
]

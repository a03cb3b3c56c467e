"""How a mined policy is fitted and how it is applied, side by side; backtest and AutoML run the very same code.

Pure, and the only part of ``mining`` that AutoML may import: it stands on ``heuristics_db`` alone.
"""

from mining.policies._adaptive import AdaptivePicker, encoded_points, fit_variances, moments
from mining.policies._costs import seconds_per_epoch
from mining.policies._distributions import told_trial
from mining.policies._drawing import draw_configurations
from mining.policies._encoding import encode, position
from mining.policies._gaussian import LogRegretModel, Variances, distances_between
from mining.policies._halving import Curve, Rungs, StoppedSearch, rungs, simulate
from mining.policies._history import Observation, Suggestion, configuration_key
from mining.policies._search import SearchPolicy
from mining.policies._stopping import fit_early_stopping

__all__ = [
    "AdaptivePicker",
    "Curve",
    "LogRegretModel",
    "Observation",
    "Rungs",
    "SearchPolicy",
    "StoppedSearch",
    "Suggestion",
    "Variances",
    "configuration_key",
    "distances_between",
    "draw_configurations",
    "encode",
    "encoded_points",
    "fit_early_stopping",
    "fit_variances",
    "moments",
    "position",
    "rungs",
    "seconds_per_epoch",
    "simulate",
    "told_trial",
]

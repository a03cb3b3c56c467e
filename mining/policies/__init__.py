"""How a mined policy is fitted and how it is applied, side by side; backtest and AutoML run the very same code.

Pure, and the only part of ``mining`` that AutoML may import: it stands on ``heuristics_db`` alone.
"""

from mining.policies._costs import seconds_per_epoch
from mining.policies._distributions import told_trial
from mining.policies._drawing import draw_configurations
from mining.policies._halving import Curve, Rungs, StoppedSearch, rungs, simulate
from mining.policies._history import Observation, Suggestion, configuration_key
from mining.policies._search import SearchPolicy
from mining.policies._stopping import fit_early_stopping

__all__ = [
    "Curve",
    "Observation",
    "Rungs",
    "SearchPolicy",
    "StoppedSearch",
    "Suggestion",
    "configuration_key",
    "draw_configurations",
    "fit_early_stopping",
    "rungs",
    "seconds_per_epoch",
    "simulate",
    "told_trial",
]

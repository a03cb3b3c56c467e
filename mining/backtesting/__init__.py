"""The backtest: what was mined, judged on families that it was not mined from, beside the other ways of searching.

Pure as all of ``mining``; searches are replayed by look-up on finite tables of trials, by the very policies that AutoML runs.
"""

from mining.backtesting._ground import Ground
from mining.backtesting._methods import BestOfEach, Box, ColdTPE, GreedyPortfolio, Method, PolicySearch, RandomRows, Search
from mining.backtesting._ours import Mined, ours, peers
from mining.backtesting._run import BacktestResult, BacktestSettings, Unit, backtest, gather, run_unit, units
from mining.backtesting._sources import Sources, draw_sources
from mining.backtesting._statistics import Comparison, Mean, compare, mean_of
from mining.backtesting._table import FiniteTable, build_finite_table

__all__ = [
    "BacktestResult",
    "BacktestSettings",
    "BestOfEach",
    "Box",
    "ColdTPE",
    "Comparison",
    "FiniteTable",
    "GreedyPortfolio",
    "Ground",
    "Mean",
    "Method",
    "Mined",
    "PolicySearch",
    "RandomRows",
    "Search",
    "Sources",
    "Unit",
    "backtest",
    "build_finite_table",
    "compare",
    "draw_sources",
    "gather",
    "mean_of",
    "ours",
    "peers",
    "run_unit",
    "units",
]

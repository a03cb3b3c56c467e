"""Sweeps: datasets × model types × configurations × seeds, run on warm workers, resumable from the journal."""

from experiments.sweeping._driving import Ended, TrialPool
from experiments.sweeping._forecast import Expected, Forecast, forecast
from experiments.sweeping._manifests import SweepStatus, alone, planned_sweeps, read_manifest, sweep_run, sweep_status, unfinished_sweep
from experiments.sweeping._plan import KeepModels, PlannedDataset, PlannedTrial, SweepManifest, SweepPlan, plan, plan_tables
from experiments.sweeping._portfolio import Portfolio, PortfolioSeed
from experiments.sweeping._runner import InterruptedSweepError, Progress, SweepOutcome, resume_sweep, run_plan, run_sweep
from experiments.sweeping._settings import Limits, RetryPolicy, Stopping, SweepBudget
from experiments.sweeping._spec import Configurations, DatasetChoice, SweepSpec, find_sweep, load_sweep
from experiments.sweeping._spending import Spent
from experiments.sweeping._tally import DatasetTally, SweepTally
from experiments.sweeping._watching import SweepProgress, look, read_progress

__all__ = [
    "Configurations",
    "DatasetChoice",
    "DatasetTally",
    "Ended",
    "Expected",
    "Forecast",
    "InterruptedSweepError",
    "KeepModels",
    "Limits",
    "PlannedDataset",
    "PlannedTrial",
    "Portfolio",
    "PortfolioSeed",
    "Progress",
    "RetryPolicy",
    "Spent",
    "Stopping",
    "SweepBudget",
    "SweepManifest",
    "SweepOutcome",
    "SweepPlan",
    "SweepProgress",
    "SweepSpec",
    "SweepStatus",
    "SweepTally",
    "TrialPool",
    "alone",
    "find_sweep",
    "forecast",
    "load_sweep",
    "look",
    "plan",
    "plan_tables",
    "planned_sweeps",
    "read_manifest",
    "read_progress",
    "resume_sweep",
    "run_plan",
    "run_sweep",
    "sweep_run",
    "sweep_status",
    "unfinished_sweep",
]

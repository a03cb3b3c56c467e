"""Sweeps: datasets × model types × drawn configurations × seeds, run on warm workers, resumable from the journal."""

from experiments.sweeping._manifests import SweepStatus, planned_sweeps, read_manifest, sweep_run, sweep_status, unfinished_sweep
from experiments.sweeping._plan import PlannedDataset, PlannedTrial, SweepManifest, SweepPlan, plan, plan_tables
from experiments.sweeping._runner import Progress, SweepOutcome, TrialPool, resume_sweep, run_plan, run_sweep
from experiments.sweeping._spec import Configurations, DatasetChoice, SweepSpec, find_sweep, load_sweep
from experiments.sweeping._tally import DatasetTally, SweepTally

__all__ = [
    "Configurations",
    "DatasetChoice",
    "DatasetTally",
    "PlannedDataset",
    "PlannedTrial",
    "Progress",
    "SweepManifest",
    "SweepOutcome",
    "SweepPlan",
    "SweepSpec",
    "SweepStatus",
    "SweepTally",
    "TrialPool",
    "find_sweep",
    "load_sweep",
    "plan",
    "plan_tables",
    "planned_sweeps",
    "read_manifest",
    "resume_sweep",
    "run_plan",
    "run_sweep",
    "sweep_run",
    "sweep_status",
    "unfinished_sweep",
]

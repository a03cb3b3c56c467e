"""Reports: plain data gathered from journal and database, drawn as one self-contained HTML page."""

from experiments.reporting._collect import mined_facts, overhead, swept_datasets, trial_dots
from experiments.reporting._data import (
    HyperparameterFacts,
    Interval,
    MinedFacts,
    Overhead,
    ReportData,
    SeedFacts,
    Stage,
    SweptDataset,
    TrialDot,
)
from experiments.reporting._gather import gather, report_path
from experiments.reporting._render import render, write_report

__all__ = [
    "HyperparameterFacts",
    "Interval",
    "MinedFacts",
    "Overhead",
    "ReportData",
    "SeedFacts",
    "Stage",
    "SweptDataset",
    "TrialDot",
    "gather",
    "mined_facts",
    "overhead",
    "render",
    "report_path",
    "swept_datasets",
    "trial_dots",
    "write_report",
]

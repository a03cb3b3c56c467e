"""Reports: plain data gathered from journal and database, drawn as one self-contained HTML page."""

from experiments.reporting._collect import dataset_facts, mined_facts, overhead, trial_dots
from experiments.reporting._data import (
    DatasetFacts,
    HyperparameterFacts,
    Interval,
    MinedFacts,
    Overhead,
    ReportData,
    SeedFacts,
    Stage,
    TrialDot,
)
from experiments.reporting._gather import gather, report_path
from experiments.reporting._render import render, write_report

__all__ = [
    "DatasetFacts",
    "HyperparameterFacts",
    "Interval",
    "MinedFacts",
    "Overhead",
    "ReportData",
    "SeedFacts",
    "Stage",
    "TrialDot",
    "dataset_facts",
    "gather",
    "mined_facts",
    "overhead",
    "render",
    "report_path",
    "trial_dots",
    "write_report",
]

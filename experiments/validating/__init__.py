"""Validation on held-out datasets: the candidate beside the untuned search, in one engine, at one budget, and a scikit-learn reference."""

from experiments.validating._encoding import Encoded, encode
from experiments.validating._entry import counted, recorded, regret_rows, rounded, run_counted, run_on_warm_pool, watch
from experiments.validating._freeze import ends, freeze_suite
from experiments.validating._freeze_training import freeze_training
from experiments.validating._reference import ReferenceScore, baselines, constant_reference, hgb_reference
from experiments.validating._regret import RegretScale
from experiments.validating._running import RayRunner
from experiments.validating._suite import SuiteBudget, SuiteEntry, SuiteSpec, find_suite, load_suite
from experiments.validating._validate import (
    SearchRunner,
    ValidationPlan,
    ValidationProgress,
    check_splits,
    check_untuned,
    plan_validation,
    run_validation,
)

__all__ = [
    "Encoded",
    "RayRunner",
    "ReferenceScore",
    "RegretScale",
    "SearchRunner",
    "SuiteBudget",
    "SuiteEntry",
    "SuiteSpec",
    "ValidationPlan",
    "ValidationProgress",
    "baselines",
    "check_splits",
    "check_untuned",
    "constant_reference",
    "counted",
    "encode",
    "ends",
    "find_suite",
    "freeze_suite",
    "freeze_training",
    "hgb_reference",
    "load_suite",
    "plan_validation",
    "recorded",
    "regret_rows",
    "rounded",
    "run_counted",
    "run_on_warm_pool",
    "run_validation",
    "watch",
]

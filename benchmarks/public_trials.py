"""Public tables of trials that others ran, as trial tables of ours."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from heuristics_db import CategoricalDomain, FloatDomain, Hyperparameter, IntDomain, Scalar, SearchSpace
from mining import PARAMETER_PREFIX, DatasetFacts

_FIXED: Mapping[str, object] = {
    "sweep_id": "published",
    "role": "training",
    "rows": 1000,
    "row_cap": None,
    "split_id": "published",
    "columns": 10,
    "fidelity": 1,
    "epochs_run": 1,
    "curve": None,
    "train_seconds": 1.0,
    "peak_memory_bytes": 0,
}
_VERSIONS = {"table": "as published"}


@dataclass(frozen=True, eq=False)
class PublicTable:
    """A trial table, the datasets it is of, and the wide space of each model type: the ranges that the table covers."""

    trials: pd.DataFrame
    facts: tuple[DatasetFacts, ...]
    wide: Mapping[str, SearchSpace]


def load_table(name: str, folder: Path, *, noisy: bool = False) -> PublicTable:
    """Read one of ``TABLES`` from ``folder``; ``noisy`` leaves one training seed to the searches and the others to the judging."""
    try:
        return TABLES[name](folder, noisy)
    except FileNotFoundError as fault:
        sys.exit(f"{fault.filename}: not found; --tables names the folder that holds the published tables")


def mlp_grid(folder: Path, noisy: bool) -> PublicTable:
    """Read 2,000 configurations of HPOBench's grid of MLPs on 8 classification datasets: validation accuracy."""
    names = ["alpha", "batch_size", "depth", "learning_rate_init", "width"]
    table = pd.read_parquet(folder / "mlp_grid.parquet").astype({"dataset": str, "config_id": str})
    keys = ["dataset", "config_id", *names]
    if noisy:
        first = table["seed"] == table["seed"].min()
        seen, others = table[first].set_index(keys)["validation_accuracy"], table[~first].groupby(keys)["validation_accuracy"].mean()
        scores = pd.DataFrame({"validation_score": seen, "test_score": others}).reset_index()
    else:
        scores = table.groupby(keys)["validation_accuracy"].mean().rename("validation_score").reset_index()
    scores = scores.assign(model_type="mlp", **{name: [int(each) for each in scores[name]] for name in ("batch_size", "depth", "width")})
    return _table(scores, {"mlp": names}, metric="accuracy", direction="maximize", task="multiclass")


def text_rnn(folder: Path, noisy: bool) -> PublicTable:
    """Read 1,000 Adam configurations on 8 text tasks of TaskSet: the last validation loss, judged by the test loss."""
    _refuse(noisy, "rnn")
    table = pd.read_parquet(folder / "rnn_text_curves.parquet").rename(columns={"task": "dataset"})
    names = ["learning_rate", "one_minus_beta1", "one_minus_beta2", "epsilon", "l1", "l2", "linear_decay", "exponential_decay"]
    table = table.assign(
        one_minus_beta1=1 - table["beta1"],
        one_minus_beta2=1 - table["beta2"],
        validation_score=[float(curve[-1]) for curve in table["validation_loss_curve"]],
        test_score=table["test_loss"].astype(float),
        model_type="rnn",
    )
    failed = ~np.isfinite(table["validation_score"]) | ~np.isfinite(table["test_score"])
    table = table.assign(status=np.where(failed, "diverged", "completed"))
    return _table(table, {"rnn": names}, metric="log_loss", direction="minimize", task="text_classification")


def scikit_learn(folder: Path, noisy: bool) -> PublicTable:
    """Read 219 configurations of 12 scikit-learn algorithms on 300 OpenML sets: balanced error."""
    _refuse(noisy, "sklearn")
    errors = pd.read_parquet(folder / "sklearn_error_300x219.parquet")
    configs = pd.read_csv(folder / "sklearn_configs.csv")
    values = [json.loads(each) for each in configs["hyperparameters"]]
    names = {str(algorithm): list(values[rows[0]]) for algorithm, rows in configs.groupby("algorithm").groups.items()}
    wide = errors.set_axis(configs["config_id"], axis=1).rename_axis("dataset").reset_index()
    long = wide.melt(id_vars="dataset", var_name="config_id", value_name="validation_score")
    given = pd.DataFrame([{f"{key}": each[key] for key in each} for each in values], dtype=object).assign(
        model_type=configs["algorithm"], config_id=configs["config_id"]
    )
    table = long.merge(given, on="config_id").assign(dataset=lambda each: "openml-" + each["dataset"].astype(str).str.zfill(6))
    return _table(table, names, metric="balanced_error", direction="minimize", task="multiclass")


TABLES: Mapping[str, Callable[[Path, bool], PublicTable]] = {"mlp": mlp_grid, "rnn": text_rnn, "sklearn": scikit_learn}


def _table(table: pd.DataFrame, names: Mapping[str, list[str]], *, metric: str, direction: str, task: str) -> PublicTable:
    table = table.assign(dataset=table["dataset"].astype(str)).reset_index(drop=True)
    ids = table["dataset"] + "-" + table["config_id"].astype(str)
    every = sorted({name for own in names.values() for name in own})
    columns: dict[str, object] = {
        "trial_id": ids,
        "dataset": table["dataset"],
        "fingerprint": table["dataset"],
        "family": table["dataset"],
        "model_type": table["model_type"],
        "seed": 0,
        "status": table.get("status", "completed"),
        "validation_score": table["validation_score"],
        "versions": [_VERSIONS] * len(table),
        **{f"{PARAMETER_PREFIX}{name}": table[name].astype(object) for name in every},
        **_FIXED,
        "task": task,
        "metric": metric,
        "direction": direction,
    }
    if "test_score" in table:
        columns["test_score"] = table["test_score"]
    facts = tuple(DatasetFacts(each, each, each, "training", task, metric, 1000) for each in sorted(set(table["dataset"])))
    wide = {}
    for model_type, own in names.items():
        rows = table[table["model_type"] == model_type]
        hyperparameters = tuple(_hyperparameter(name, rows[name].unique().tolist()) for name in own)
        wide[model_type] = SearchSpace(model_type=model_type, hyperparameters=hyperparameters)
    return PublicTable(pd.DataFrame(columns), facts, wide)


def _hyperparameter(name: str, values: list[Scalar]) -> Hyperparameter:
    numbers = [each for each in values if isinstance(each, int | float) and not isinstance(each, bool)]
    if len(numbers) < len(values):
        choices = tuple(sorted((_plain(each) for each in values), key=str))
        return Hyperparameter(name=name, domain=CategoricalDomain(choices=choices))
    low, high = min(numbers), max(numbers)
    log = low > 0 and high / low > 10
    if all(isinstance(each, int) for each in numbers):
        return Hyperparameter(name=name, domain=IntDomain(low=int(low), high=int(high), log=log))
    return Hyperparameter(name=name, domain=FloatDomain(low=float(low), high=float(high), log=log))


def _plain(value: Scalar) -> Scalar:
    return None if isinstance(value, float) and np.isnan(value) else value


def _refuse(noisy: bool, name: str) -> None:
    if noisy:
        sys.exit(f"--noisy: the table {name} has one training seed a configuration; only mlp has several")

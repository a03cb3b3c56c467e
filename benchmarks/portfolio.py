"""Regret of mined seeds on datasets left out, as a ratio to random search, on somebody's crossed table of trials.

    python -m benchmarks.portfolio TABLE.parquet [--configurations 500] [--mined 500] [--trials 50] [--repeats 5]

The table has one row a trial: a dataset column (``dataset`` or ``task``), ``config_id``, numeric hyperparameters, ``seed`` if there
are several, and ``validation_accuracy``. Each dataset is left out in turn; the miner sees the others, on one seed of the table and on
``--mined`` of its configurations; what it proposes is scored on the mean over seeds. Regret is 0 at the best configuration of the
table and 1 at the median one. Three searches are compared, each by the very policy that AutoML runs: random draws, Optuna's TPE from
cold, and the mined seeds, then TPE in the mined space. Where TPE proposes what the table has not, the nearest configuration of
the table stands for it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from heuristics_db import FloatDomain, Hyperparameter, SearchSpace, SeedConfiguration
from mining import DatasetFacts, HeldOut, MiningRecipe, mine
from mining.policies import Observation, SearchPolicy

_RANDOM_SEARCHES = 200
_CHECKPOINTS = (1, 2, 5, 10, 20, 50)
_OTHERS = {"dataset", "task", "config_id", "seed", "validation_accuracy", "validation_f1", "train_seconds"}
_MODEL_TYPE = "table"


def main() -> None:
    """Print the regrets and their ratios to random search."""
    arguments = _arguments()
    table, names = _read(arguments.table, arguments.configurations)
    points = table.drop_duplicates("config_id").set_index("config_id")[names].sort_index()
    space = _space(points)
    scores = table.pivot_table(index="config_id", columns="dataset", values="score", aggfunc="mean").loc[points.index]
    regrets = (scores.max() - scores) / (scores.max() - scores.median())
    found: dict[str, list[np.ndarray]] = {"random": [], "TPE": [], "seeds + TPE": []}
    seeds, seconds = [], []
    known = set(np.random.default_rng(1).permutation(points.index)[: arguments.mined])
    for dataset in scores.columns:
        start = time.perf_counter()
        portfolio, mined = _mine(table[(table["dataset"] != dataset) & table["config_id"].isin(known)], names, space)
        seconds.append(time.perf_counter() - start)
        seeds.append(len(portfolio))
        for repeat in range(_RANDOM_SEARCHES):
            order = np.random.default_rng([repeat, len(seeds)]).permutation(len(points))[: arguments.trials]
            found["random"].append(np.minimum.accumulate(regrets[dataset].to_numpy()[order]))
        for repeat in range(arguments.repeats):
            found["TPE"].append(_search(space, space, [], regrets[dataset], points, arguments.trials, repeat))
            found["seeds + TPE"].append(_search(mined, space, portfolio, regrets[dataset], points, arguments.trials, repeat))
    _print(found, arguments.trials)
    print(f"{len(scores.columns)} datasets, {len(points)} configurations, {np.mean(seeds):.1f} seeds, {np.mean(seconds):.1f} s a mining")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Regret of mined seeds on datasets left out, as a ratio to random search.")
    parser.add_argument("table", type=Path)
    parser.add_argument("--configurations", type=int, default=500)
    parser.add_argument("--mined", type=int, default=500)
    parser.add_argument("--trials", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=5)
    return parser.parse_args()


def _read(path: Path, configurations: int) -> tuple[pd.DataFrame, list[str]]:
    table = pd.read_parquet(path).rename(columns={"task": "dataset"})
    if not {"dataset", "config_id", "validation_accuracy"} <= set(table.columns):
        sys.exit(f"{path}: needs the columns dataset (or task), config_id and validation_accuracy")
    table = table.assign(dataset=table["dataset"].astype(str), config_id=table["config_id"].astype(str), score=table["validation_accuracy"])
    ids = np.random.default_rng(0).permutation(sorted(table["config_id"].unique()))[:configurations]
    names = [name for name in table.columns if name not in _OTHERS | {"score"} and pd.api.types.is_numeric_dtype(table[name])]
    return table[table["config_id"].isin(ids)].reset_index(drop=True), names


def _space(points: pd.DataFrame) -> SearchSpace:
    domains = {}
    for name in points.columns:
        low, high = float(points[name].min()), float(points[name].max())
        domains[name] = FloatDomain(low=low, high=high, log=low > 0 and high / low > 30)
    return SearchSpace(
        model_type=_MODEL_TYPE, hyperparameters=tuple(Hyperparameter(name=name, domain=each) for name, each in domains.items())
    )


def _mine(table: pd.DataFrame, names: Sequence[str], space: SearchSpace) -> tuple[tuple[SeedConfiguration, ...], SearchSpace]:
    one_seed = table if "seed" not in table else table[table["seed"] == table["seed"].min()]
    fixed: Mapping[str, object] = {
        "sweep_id": "table",
        "role": "training",
        "task": "multiclass",
        "rows": 1000,
        "row_cap": None,
        "split_id": "table",
        "columns": 10,
        "model_type": _MODEL_TYPE,
        "seed": 0,
        "fidelity": 1,
        "epochs_run": 1,
        "status": "completed",
        "metric": "accuracy",
        "direction": "maximize",
        "curve": None,
        "train_seconds": 1.0,
        "peak_memory_bytes": 0,
    }
    own = {"dataset": one_seed["dataset"], "fingerprint": one_seed["dataset"], "family": one_seed["dataset"]}
    trials = pd.DataFrame(
        {
            "trial_id": one_seed["dataset"] + "-" + one_seed["config_id"],
            "validation_score": one_seed["score"],
            "versions": [{"table": "as published"}] * len(one_seed),
            **own,
            **fixed,
            **{f"param.{name}": one_seed[name].astype(float) for name in names},
        }
    )
    facts = [DatasetFacts(each, each, each, "training", "multiclass", "accuracy", 1000) for each in sorted(set(one_seed["dataset"]))]
    document = mine(trials, facts, wide={_MODEL_TYPE: space}, held_out=HeldOut(), versions={}, recipe=MiningRecipe())
    heuristics = document.modalities["tabular"]
    return heuristics.portfolio, heuristics.model_types[_MODEL_TYPE].space


def _search(
    searched: SearchSpace,
    space: SearchSpace,
    portfolio: Sequence[SeedConfiguration],
    regret: pd.Series,
    points: pd.DataFrame,
    trials: int,
    seed: int,
) -> np.ndarray:
    policy = SearchPolicy({_MODEL_TYPE: searched}, portfolio, seed, [_MODEL_TYPE], direction="minimize")
    scaled = _scaled(points, space)
    history: list[Observation] = []
    best: list[float] = []
    for _ in range(trials):
        suggestion = policy.next(history)
        wanted = _scaled(pd.DataFrame([dict(suggestion.configuration)])[list(points.columns)], space)
        nearest = int(np.argmin(((scaled - wanted) ** 2).sum(axis=1)))
        value = float(regret.iloc[nearest])
        history.append(Observation(_MODEL_TYPE, suggestion.configuration, value, 1))
        best.append(min(value, best[-1] if best else value))
    return np.asarray(best)


def _scaled(points: pd.DataFrame, space: SearchSpace) -> np.ndarray:
    """Place configurations in the unit cube, on each domain's scale."""
    columns = []
    for each in space.hyperparameters:
        domain, values = each.domain, points[each.name].to_numpy(dtype=float)
        if not isinstance(domain, FloatDomain):
            raise TypeError(f"{each.name} is not a number")
        if domain.log:
            columns.append(np.log(values / domain.low) / max(np.log(domain.high / domain.low), 1e-12))
        else:
            columns.append((values - domain.low) / max(domain.high - domain.low, 1e-12))
    return np.column_stack(columns)


def _print(found: Mapping[str, Sequence[np.ndarray]], trials: int) -> None:
    shown = [count for count in _CHECKPOINTS if count <= trials]
    means = {name: np.mean(curves, axis=0) for name, curves in found.items()}
    print("regret after " + " ".join(f"{count:>13}" for count in shown))
    for name, curve in means.items():
        cells = [f"{curve[count - 1]:.3f} ({curve[count - 1] / means['random'][count - 1]:.2f}x)" for count in shown]
        print(f"{name:<12} " + " ".join(f"{cell:>13}" for cell in cells))


if __name__ == "__main__":
    main()

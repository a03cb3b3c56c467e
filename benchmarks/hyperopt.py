"""The same configurations through `lode sweep`, through stock `ludwig.hyperopt` on Ray, and bare in one warm process, in one run.

Run: ``python -m benchmarks.hyperopt [--configurations 24] [--arms stock,stock-lean,ours,ours-saving,bare] [--json]``. Concat on
scikit-learn's breast cancer table (569 rows), 5 epochs. Each arm is a process of its own, timed from its start to its end, imports and
Ray's start included.

The configurations are those that ``stock`` drew (from the values of a Sobol draw of ours), so it runs first; ``stock-lean`` draws its own
from the same values, since a limit of trials at a time makes Ludwig forget the seed of its draw.

- ``ours``: what `lode sweep run` does, MLflow included: validation after each epoch, the test part scored with the best epoch's weights.
- ``ours-saving``: the same, and each trial's model is saved with the weights of its best epoch, and logged (``ours`` keeps the best one).
- ``stock``: `ludwig.hyperopt`, Ray executor, as it comes: besides training, a checkpoint after each epoch, an evaluation of training,
  validation and test part after each epoch, an evaluation of the best model at the end of each trial, statistics, logs and models on disk.
- ``stock-lean``: the same with everything switched off that its arguments switch off (models, progress, logs, descriptions, statistics,
  predictions); checkpoints and evaluations cannot be.
- ``bare``: the configurations one after another in one warm process on prepared data, training alone; its start is not counted.

Stock needs what Ludwig does not declare: `pip install 'dask[dataframe]' tblib gputil`, best into a folder of their own (`--target`) that
`--stock-path` names.

Switched off in ``ours`` against ``stock``: checkpoints for resuming inside a trial, evaluation of the training part, Ludwig's own
metrics, TensorBoard logs and statistics files. Stock also tunes its evaluation batch and preprocesses in each trial.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

ARMS = ("stock", "stock-lean", "ours", "ours-saving", "bare")
EPOCHS = 5
_NEUTRAL = {"combiner.residual": False, "trainer.optimizer.weight_decay": 0.0}


def planned(count: int, configurations: Sequence[Mapping[str, Any]] = ()) -> Any:
    """Plan a sweep of ``configurations``, or of ``count`` drawn ones."""
    from sklearn.datasets import load_breast_cancer

    from automl import make_task_table
    from experiments.sweeping import SweepSpec, plan_tables

    frame = load_breast_cancer(as_frame=True).frame
    frame["target"] = frame["target"].map({0: "malignant", 1: "benign"})
    table = make_task_table(frame, "target", name="breast_cancer", positive="malignant")
    given = {"portfolio": [{"model_type": "concat", "configuration": each} for each in configurations]}
    drawn = {"configurations": {"count": count, "sampler": "sobol"}}
    spec = SweepSpec.model_validate(
        {"name": "hyperopt", "datasets": ["breast_cancer"], "model_types": ["concat"], "epochs": EPOCHS}
        | (given if configurations else drawn)
    )
    return plan_tables(spec, {"breast_cancer": table}, {"breast_cancer": "breast_cancer"})


def ours(plan: Any, workers: int, folder: Path, *, saving: bool) -> dict[str, float]:
    """Run the sweep as the command does."""
    from experiments import Home
    from experiments.sweeping import run_plan

    os.environ.pop("MLFLOW_TRACKING_URI", None)
    home, trials = Home(folder), len(plan.manifest.trials)
    outcome = run_plan(plan, home, workers=workers, keep_models="all" if saving else "best")
    kept = [each for each in (home.models / plan.sweep_id / "breast_cancer").iterdir() if each.is_dir()]
    assert len(kept) == (trials if saving else 1), f"{len(kept)} models were kept"
    assert outcome.tracking is not None
    assert outcome.tracking.error is None, outcome.tracking.error
    assert outcome.statuses == {"completed": len(plan.manifest.trials)}, outcome.statuses
    overhead, idle = outcome.overhead_seconds or 0.0, outcome.idle_seconds or 0.0
    return {
        "trials": trials,
        "startup_seconds": outcome.startup_seconds,
        "training_seconds_a_trial": outcome.train_seconds / trials,
        "beside_training_seconds_a_trial": overhead + idle,
    }


def stock(count: int, workers: int, folder: Path, *, lean: bool) -> dict[str, Any]:
    """Run Ludwig's own hyperopt, as many trials at a time, and tell which configurations it drew."""
    from automl import render_config

    plan = planned(count)
    (table,) = plan.tables.values()
    config = render_config(table, "concat", {}, epochs=EPOCHS)
    config["trainer"] = {"epochs": EPOCHS, "early_stop": -1}
    config.pop("backend")
    points = _points([trial.hyperparameters for trial in plan.manifest.trials])
    config["hyperopt"] = {
        "goal": "minimize",
        "metric": "loss",
        "output_feature": table.target,
        "split": "validation",
        "parameters": {path: {"space": "choice", "categories": [point[path] for point in points]} for path in points[0]},
        "search_alg": {"type": "variant_generator", "random_state": 0},
        "executor": {"type": "ray", "num_samples": count, "cpu_resources_per_trial": 1, "max_concurrent_trials": workers},
    }
    import ray

    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    from ludwig.hyperopt.run import hyperopt

    skipped = ("training_description", "training_statistics", "model", "progress", "log", "unprocessed_output", "predictions", "eval_stats")
    off = {f"skip_save_{name}": True for name in skipped} | {"skip_save_hyperopt_statistics": True} if lean else {}
    results = hyperopt(
        config,
        dataset=table.frame.assign(__split__=table.split),
        output_directory=str(folder / "results"),
        backend="local",
        random_seed=0,
        hyperopt_log_verbosity=0,
        **off,
    )
    trials = results.experiment_analysis.trials
    assert len(trials) == count
    assert all(trial.status == "TERMINATED" for trial in trials)
    ray.shutdown()
    return {"trials": count, "configurations": [{path: _decoded(trial.config[path]) for path in points[0]} for trial in trials]}


def _decoded(value: Any) -> Any:
    """Undo Ludwig's writing of a choice's values as JSON."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


def bare(plan: Any, folder: Path) -> dict[str, float]:
    """Train the configurations one after another in this process, on prepared data."""
    from automl import _ludwig, prepare, render_config

    (table,) = plan.tables.values()
    _ludwig.load_ludwig("cpu")
    configs = [render_config(table, "concat", trial.hyperparameters, epochs=EPOCHS, seed=trial.seed) for trial in plan.manifest.trials]
    prepared = prepare(table, configs[0], folder / "prepared")
    _ludwig.train(configs[0], prepared, _ludwig.Training(EPOCHS, None, lambda *_: None), seed=0)  # the first is slower
    began = time.perf_counter()
    for config in configs:
        _ludwig.train(config, prepared, _ludwig.Training(EPOCHS, None, lambda *_: None), seed=0)
    return {"trials": len(configs), "seconds_a_trial": (time.perf_counter() - began) / len(configs)}


def _points(configurations: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Give every configuration every path, as Ludwig's hyperopt asks: a path that is lacking gets the value that changes nothing."""
    paths = sorted({path for each in configurations for path in each})
    return [{path: each[path] if path in each else _NEUTRAL[path] for path in paths} for each in configurations]


def run_arm(arm: str, count: int, workers: int, configurations: Sequence[Mapping[str, Any]]) -> None:
    """Run one arm in this process and print its figures as the last line."""
    with tempfile.TemporaryDirectory(prefix="lode-hyperopt-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        figures: dict[str, Any]
        if arm.startswith("ours"):
            figures = ours(planned(count, configurations), workers, folder, saving=arm == "ours-saving")
        elif arm == "bare":
            figures = bare(planned(count, configurations), folder)
        else:
            figures = stock(count, workers, folder, lean=arm == "stock-lean")
    print(json.dumps(figures))


def main() -> None:
    """Run the arms one after another, each in a fresh process, and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--configurations", type=int, default=24)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--arms", default=",".join(ARMS))
    parser.add_argument("--stock-path", help="a folder with the packages that the stock arms need besides")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--arm", choices=ARMS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.arm:
        run_arm(given.arm, given.configurations, given.workers, json.loads(sys.stdin.read() or "[]"))
        return
    figures: dict[str, dict[str, float]] = {}
    configurations: list[dict[str, Any]] = []
    for arm in given.arms.split(","):
        options = ["--configurations", str(given.configurations), "--workers", str(given.workers)]
        path = os.pathsep.join(filter(None, [given.stock_path if arm.startswith("stock") else None, os.environ.get("PYTHONPATH")]))
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.hyperopt", "--arm", arm, *options],
            capture_output=True,
            text=True,
            input=json.dumps(configurations),
            check=False,
            env=os.environ | {"PYTHONPATH": path},
        )
        wall = time.perf_counter() - began
        if done.returncode != 0:
            sys.exit(f"{arm} failed:\n{done.stderr[-3000:]}")
        told = json.loads(done.stdout.strip().splitlines()[-1])
        configurations = configurations or told.get("configurations", [])
        told.pop("configurations", None)
        figures[arm] = told | {"wall_seconds": wall}
        print(f"{arm}: {figures[arm]}", file=sys.stderr)
    print(json.dumps({"figures": figures, "ratios": ratios(figures)}, indent=1, sort_keys=True) if given.json else table(figures))


def ratios(figures: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return how many times as long stock hyperopt takes, and what a trial of ours takes beyond a bare one."""
    found = {
        f"{other} / {mine}": figures[other]["wall_seconds"] / figures[mine]["wall_seconds"]
        for mine in ("ours", "ours-saving")
        for other in ("stock", "stock-lean")
        if mine in figures and other in figures
    }
    if "ours" in figures and "bare" in figures:
        mine = figures["ours"]["training_seconds_a_trial"] + figures["ours"]["beside_training_seconds_a_trial"]
        found["seconds a trial beyond bare training"] = mine - figures["bare"]["seconds_a_trial"]
    return found


def table(figures: Mapping[str, Mapping[str, float]]) -> str:
    """Return the figures for people."""
    lines = [
        f"{arm:12} {each['wall_seconds']:7.1f} s for {each['trials']:.0f} trials: {each['wall_seconds'] / each['trials']:.2f} s a trial"
        for arm, each in figures.items()
    ]
    return "\n".join([*lines, ", ".join(f"{name} {value:.2f}" for name, value in ratios(figures).items())])


if __name__ == "__main__":
    main()

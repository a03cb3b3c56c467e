"""Seconds of overhead a trial: wall minus training, in warm workers, against Ludwig's own `experiment()` in one warm process.

Run as `python -m benchmarks.trial_overhead [--trials 12] [--rows 2000] [--workers 2] [--json]`. The table is drawn (8 numbers,
4 categories, binary target), so that the figures repeat anywhere. Wall a trial of the pool is the elapsed time times workers over
trials: waiting counts. The peer trains the same configuration, with the engine's own shortcuts in Ludwig switched on for it too, but
preprocesses and evaluates anew in each trial, as `experiment()` does.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd

from automl import Feature, TaskTable, TrialRequest, WorkerPool, render_config, start_ray, stop_ray, trial_id

MODELS: dict[str, dict[str, Any]] = {
    "concat": {"combiner.num_fc_layers": 2, "combiner.output_size": 128},
    "tabnet": {"combiner.size": 16, "combiner.output_size": 16, "combiner.num_steps": 3},
    "ft_transformer": {"combiner.hidden_size": 32, "combiner.num_heads": 4, "combiner.num_layers": 2},
}
COMMON = {"trainer.learning_rate": 0.005, "trainer.batch_size": 256}


def drawn_table(rows: int) -> TaskTable:
    """Return a table of 8 numbers and 4 categories whose label follows from some of them."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"n{i}": rng.normal(size=rows) for i in range(8)})
    for i in range(4):
        frame[f"c{i}"] = rng.choice([f"level {j}" for j in range(6)], rows).astype(object)
    signal = frame["n0"] - frame["n1"] * frame["n2"] + (frame["c0"] == "level 0")
    frame["y"] = np.where(signal > signal.median(), "yes", "no").astype(object)
    features = tuple(Feature(name, "number" if name.startswith("n") else "category") for name in frame.columns[:-1])
    split = rng.choice(3, rows, p=[0.7, 0.1, 0.2]).astype(np.int8)
    return TaskTable("drawn", f"drawn-{rows}", frame, "y", "binary", features, split, "drawn", positive="yes")


def request(table: TaskTable, model_type: str, seed: int, epochs: int) -> TrialRequest:
    """Return one trial."""
    hyperparameters = MODELS[model_type] | COMMON
    return TrialRequest(
        trial_id(table, model_type, hyperparameters, seed=seed, epochs=epochs), table, model_type, hyperparameters, seed, epochs
    )


def ours(table: TaskTable, trials: int, epochs: int, workers: int) -> dict[str, dict[str, float]]:
    """Measure the pool: the first trial of each worker and model type does not count."""
    figures = {}
    started = start_ray(workers)
    with tempfile.TemporaryDirectory() as folder, WorkerPool(Path(folder), workers=workers) as pool:
        began = time.monotonic()
        pool.wait_ready()
        warm_up = time.monotonic() - began
        for model_type in MODELS:
            list(pool.run([request(table, model_type, seed, epochs) for seed in range(1000, 1000 + 2 * workers)]))
            began = time.monotonic()
            results = list(pool.run([request(table, model_type, seed, epochs) for seed in range(trials)]))
            wall = (time.monotonic() - began) * workers / trials
            training = statistics.mean(result.train_seconds for result in results)
            figures[model_type] = {"wall": wall, "training": training, "overhead": wall - training, "warm_up": warm_up}
    if started:
        stop_ray()
    return figures


def peer(table: TaskTable, trials: int, epochs: int) -> dict[str, float]:
    """Measure `LudwigModel.experiment` in this process, after one that does not count."""
    from automl._ludwig import load_ludwig

    load_ludwig()
    from ludwig.api import LudwigModel

    logging.disable(logging.CRITICAL)
    seconds = {}
    for model_type in MODELS:
        config = render_config(table, model_type, MODELS[model_type] | COMMON, epochs=epochs)
        config["trainer"]["skip_all_evaluation"] = False
        times = []
        for seed in range(trials + 1):
            with tempfile.TemporaryDirectory() as folder:
                began = time.monotonic()
                model = LudwigModel(config, backend="local", logging_level=logging.CRITICAL)
                model.experiment(
                    dataset=table.frame.assign(__split__=table.split), output_directory=folder, random_seed=seed, skip_save_model=True,
                    skip_save_progress=True, skip_save_log=True, skip_save_processed_input=True, skip_save_predictions=True,
                    skip_save_unprocessed_output=True, skip_save_training_description=True, skip_save_training_statistics=True,
                    skip_save_eval_stats=True, skip_collect_predictions=True, skip_collect_overall_stats=True,
                )  # fmt: skip
                times.append(time.monotonic() - began)
        seconds[model_type] = statistics.mean(times[1:])
    return seconds


def main() -> None:
    """Print the figures and each model type's ratio to the peer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=12)
    parser.add_argument("--peer-trials", type=int, default=3)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    table = drawn_table(given.rows)
    figures = ours(table, given.trials, given.epochs, given.workers)
    for model_type, seconds in peer(table, given.peer_trials, given.epochs).items():
        mine = figures[model_type]
        mine |= {"ludwig_experiment": seconds, "ratio": seconds / mine["wall"]}
    if given.json:
        print(json.dumps(figures, indent=1, sort_keys=True))
        return
    for model_type, row in figures.items():
        print(
            f"{model_type:15} wall {row['wall']:.2f} s a trial = training {row['training']:.2f} + overhead {row['overhead']:.2f}"
            f" ({row['overhead'] / row['training']:.0%} of it);"
            f" Ludwig's experiment {row['ludwig_experiment']:.2f} s: {row['ratio']:.1f} times ours"
        )
    told = (f"{model_type} {row['overhead']:.2f} s ({row['ratio']:.1f} times)" for model_type, row in figures.items())
    print(f"overhead a trial (Ludwig's experiment against ours): {', '.join(told)}")


if __name__ == "__main__":
    main()

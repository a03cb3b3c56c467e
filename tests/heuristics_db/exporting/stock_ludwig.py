"""Run as a program: stock Ludwig's AutoML on a small table, in whatever Ludwig is imported. Prints one JSON line.

``configs [FOLDER]`` tells what `create_auto_config` makes of each combiner; ``train COMBINER USER_CONFIG OUT`` trains.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import ludwig
import ray
import yaml
from sklearn.datasets import load_breast_cancer

COLUMNS = ["mean radius", "mean texture", "mean smoothness", "mean concavity", "mean symmetry"]
SEED = 5


def table():
    frame = load_breast_cancer(as_frame=True).frame
    frame = frame[[*COLUMNS, "target"]].iloc[:240].rename(columns=lambda name: name.replace(" ", "_"))
    frame["size"] = frame["mean_radius"].gt(13).map({True: "large", False: "small"})
    return frame


def configs():
    from ludwig.automl import create_auto_config

    found = {}
    for combiner in ("concat", "tabnet", "ft_transformer"):
        for reference in (False, True):
            try:
                user = (
                    yaml.safe_load(Path(sys.argv[2], f"{combiner}.yaml").read_text())
                    if len(sys.argv) > 2
                    else {"combiner": {"type": combiner}}
                )
                config = create_auto_config(
                    table(), "target", 60, user_config=user, random_seed=SEED, use_reference_config=reference, backend="local"
                )
                found[f"{combiner} {reference}"] = config
            except Exception as error:
                found[f"{combiner} {reference}"] = f"{type(error).__name__}: {error}"
    return found


def train():
    from ludwig.automl import auto_train

    user = yaml.safe_load(Path(sys.argv[3]).read_text())
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    results = auto_train(table(), "target", 240, output_directory=sys.argv[4], user_config=user, random_seed=SEED, backend="local")
    analysis = results.experiment_analysis
    trials = [{"config": trial.config, "status": trial.status, "score": trial.last_result.get("metric_score")} for trial in analysis.trials]
    best = results.best_model
    scored = None
    if best is not None:
        predictions, _ = best.predict(table().head(40))
        scored = len(predictions)
    return {"trials": trials, "predicted": scored}


if __name__ == "__main__":
    answer = configs() if sys.argv[1] == "configs" else train()
    sys.stdout.write("\nANSWER " + json.dumps({"ludwig": str(Path(ludwig.__file__).parent), "answer": answer}, default=str) + "\n")

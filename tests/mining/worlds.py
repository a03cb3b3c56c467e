"""Made-up worlds of trials, in which it is known what there is to find."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

import numpy as np

from heuristics_db import Scalar, SearchSpace
from mining import CurvePoint, DatasetFacts, TrialRecord
from mining.policies import draw_configurations
from tests.mining.spaces import small_space

Loss = Callable[[str, str, Mapping[str, Scalar]], float]
SPACES: dict[str, SearchSpace] = {"concat": small_space(), "tabnet": small_space("tabnet")}
DATASETS = tuple(f"d{number}" for number in range(6))


def learning_rate_matters(dataset: str, model_type: str, configuration: Mapping[str, Scalar]) -> float:
    """The nearer to a learning rate of 1e-3 the better, with a little of each dataset's own; tabnet is worse everywhere."""
    own = np.random.default_rng([int(dataset[1:]), len(str(configuration))]).normal(0, 0.02)
    distance = abs(math.log10(float(configuration["trainer.learning_rate"]) / 1e-3))  # type: ignore[arg-type]
    return min(distance, 2.0) * 0.2 + 0.5 + own + (0.3 if model_type == "tabnet" else 0.0)


def nothing_matters(dataset: str, model_type: str, configuration: Mapping[str, Scalar]) -> float:
    """Noise, drawn anew for each dataset and configuration."""
    text = f"{dataset}/{model_type}/{sorted(configuration.items(), key=str)}"
    return float(np.random.default_rng(list(text.encode())).uniform(0.2, 0.8))


def records(
    loss: Loss = learning_rate_matters,
    *,
    model_types: Sequence[str] = ("concat",),
    datasets: Sequence[str] = DATASETS,
    configurations: int = 12,
    shared: bool = True,
    epochs: int = 5,
    seed: int = 0,
) -> list[TrialRecord]:
    """One completed trial for each dataset, model type and configuration. Odd datasets maximise (an accuracy), even ones minimise."""
    found = []
    for dataset in datasets:
        for model_type in model_types:
            drawn_with = seed if shared else seed + 100 * int(dataset[1:])
            for number, configuration in enumerate(draw_configurations(SPACES[model_type], configurations, seed=drawn_with)):
                value = loss(dataset, model_type, configuration)
                found.append(record(dataset, model_type, configuration, value, number=number, epochs=epochs))
    return found


def record(
    dataset: str,
    model_type: str,
    configuration: Mapping[str, Scalar],
    loss: float,
    *,
    number: int = 0,
    epochs: int = 5,
    **changes: object,
) -> TrialRecord:
    """One completed trial whose curve falls to ``loss``."""
    maximize = int(dataset[1:]) % 2 == 1
    losses = [loss + 0.5 ** (epoch + 1) for epoch in range(epochs - 1)] + [loss]
    scores = [1 - each if maximize else each for each in losses]
    fields: dict[str, object] = {
        "trial_id": f"{dataset}-{model_type}-{number:04d}",
        "sweep_id": "sweep",
        "dataset": dataset,
        "fingerprint": f"fingerprint-{dataset}",
        "family": f"family-{dataset}",
        "role": "training",
        "task": "binary" if maximize else "regression",
        "target": "y",
        "row_cap": None,
        "rows": 100 * (1 + int(dataset[1:])),
        "columns": 5,
        "split_id": "split",
        "model_type": model_type,
        "hyperparameters": dict(configuration),
        "config": "{}",
        "seed": 0,
        "fidelity": epochs,
        "epochs_run": epochs,
        "status": "completed",
        "metric": "auc" if maximize else "rmse",
        "direction": "maximize" if maximize else "minimize",
        "validation_score": scores[-1],
        "test_score": None,
        "curve": tuple(CurvePoint(epoch=each, step=each, seconds=0.1 * each, score=score) for each, score in enumerate(scores, 1)),
        "train_seconds": 0.5,
        "prepare_seconds": 0.1,
        "wall_seconds": 0.7,
        "peak_memory_bytes": 10**9,
        "n_parameters": 1000,
        "device": "cpu",
        "node_type": "local",
        "versions": {"engine": "1", "ludwig": "0.17", "torch": "2"},
        "started_at": datetime(2026, 1, 1, tzinfo=UTC),
    }
    return TrialRecord.model_validate(fields | changes)


def strange_sketch(place: int) -> tuple[int, ...]:
    """A row sketch that no other place shares a number with."""
    return (2, *[1000] * 4, *range(512 * place, 512 * (place + 1)))


def facts(datasets: Sequence[str] = DATASETS, **changes: object) -> list[DatasetFacts]:
    """What a catalogue would tell of the datasets of a world; ``changes`` go to the first."""
    found = []
    for place, name in enumerate(datasets):
        maximize = int(name[1:]) % 2 == 1
        told: dict[str, object] = {
            "name": name,
            "fingerprint": f"fingerprint-{name}",
            "family": f"family-{name}",
            "role": "training",
            "task": "binary" if maximize else "regression",
            "metric": "auc" if maximize else "rmse",
            "rows": 1000,
            "sketch": strange_sketch(place),
        }
        found.append(DatasetFacts(**(told | changes if place == 0 else told)))  # type: ignore[arg-type]
    return found

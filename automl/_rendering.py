"""From a table, a model type and hyperparameters to the Ludwig configuration of one trial."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from automl._errors import AutoMLError
from automl._frames import MISSING_DATE, MISSING_LEVEL
from automl._trial import Feature, TaskTable
from heuristics_db import Scalar

SPLIT_COLUMN = "__split__"
EVALUATION_BATCH = 1024

_OWNED = {
    "trainer.epochs": "it is the trial's fidelity",
    "trainer.train_steps": "the trial's fidelity is given in epochs",
    "trainer.early_stop": "the search stops trials",
    "trainer.eval_batch_size": "unset, Ludwig tunes it anew in each trial",
    "trainer.skip_all_evaluation": "the engine evaluates",
    "trainer.compile": "the engine runs many short trials",
}

_OPEN_ROOTS = ("combiner", "trainer", "defaults")

_INPUT_PREPROCESSING: dict[str, dict[str, Any]] = {
    "number": {"normalization": "zscore", "missing_value_strategy": "fill_with_mean"},
    "category": {"missing_value_strategy": "fill_with_const", "fill_value": MISSING_LEVEL},
    "text": {
        "missing_value_strategy": "fill_with_const",
        "fill_value": "",
        "tokenizer": "space_punct",
        "max_sequence_length": 64,
        "most_common": 10000,
    },
    "date": {"missing_value_strategy": "fill_with_const", "fill_value": MISSING_DATE},
}


def render_config(
    table: TaskTable, model_type: str, hyperparameters: Mapping[str, Scalar], *, epochs: int, seed: int = 0
) -> dict[str, Any]:
    """Return the Ludwig configuration of a trial: a fresh nested dict of plain JSON values, the same for the same arguments.

    Binary features are given to Ludwig as categories: its own binary type raises on a value that training rows lack and knows no missing
    value. Class labels of every kind are one ``category`` output; numbers are standardised by training rows, targets too.

    Args:
        table: gives features, target and task; its rows are not looked at.
        model_type: a Ludwig combiner.
        hyperparameters: dotted Ludwig paths (``combiner.dropout``, ``trainer.learning_rate``, ``defaults.…``) to values. Of all that Ludwig
            tunes by itself, ``trainer.batch_size: auto`` alone is let through: what it finds depends on the device and the moment.
        epochs: the trial's fidelity, at least 1.
        seed: Ludwig's own seed, kept in the configuration so that it tells the whole trial.

    Raises:
        AutoMLError: a hyperparameter that the engine sets itself, or one whose path runs through another's value; epochs below 1.

    """
    if epochs < 1:
        raise AutoMLError(f"epochs = {epochs}: a trial needs at least 1")
    if not table.features:
        raise AutoMLError(f"{table.name}: no feature is left to learn from")
    config: dict[str, Any] = {
        "model_type": "ecd",
        "input_features": [_input(feature) for feature in table.features],
        "output_features": [_output(table)],
        "combiner": {"type": model_type},
        "preprocessing": {"split": {"type": "fixed", "column": SPLIT_COLUMN}},
        "trainer": {
            "epochs": epochs,
            "early_stop": -1,
            "eval_batch_size": EVALUATION_BATCH,
            "skip_all_evaluation": True,
            "evaluate_training_set": True,
        },
        "backend": {"type": "local"},
        "random_seed": seed,
    }
    for path, value in sorted(hyperparameters.items()):
        _set(config, path, value)
    return config


def canonical_config(config: Mapping[str, Any]) -> str:
    """Return a configuration as JSON with sorted keys and no blanks: equal configurations, equal text."""
    return json.dumps(config, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def preprocessing_part(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return what of a configuration decides preprocessing, and nothing else: trials that share it share prepared data."""
    defaults = {name: part["preprocessing"] for name, part in config.get("defaults", {}).items() if "preprocessing" in part}
    features = ("input_features", "output_features", "preprocessing")
    return {name: config[name] for name in features} | {"defaults": defaults}


def _input(feature: Feature) -> dict[str, Any]:
    kind = "category" if feature.type == "binary" else feature.type
    rendered: dict[str, Any] = {"name": feature.name, "type": kind, "preprocessing": dict(_INPUT_PREPROCESSING[kind])}
    if kind == "text":
        rendered["encoder"] = {"type": "embed", "embedding_size": 32, "reduce_output": "mean"}
    return rendered


def _output(table: TaskTable) -> dict[str, Any]:
    if table.task == "regression":
        return {"name": table.target, "type": "number", "preprocessing": {"normalization": "zscore"}}
    return {"name": table.target, "type": "category"}


def _set(config: dict[str, Any], path: str, value: Scalar) -> None:
    if path in _OWNED:
        raise AutoMLError(f"{path} cannot be a hyperparameter: {_OWNED[path]}")
    if path == "combiner.type" or "." not in path or path.split(".")[0] not in _OPEN_ROOTS:
        raise AutoMLError(f"{path} cannot be a hyperparameter: only paths below combiner, trainer and defaults can")
    if path.startswith("trainer.") and value == "auto" and path != "trainer.batch_size":
        raise AutoMLError(f"{path} cannot be 'auto': Ludwig then tunes it on the clock, and no trial repeats")
    *parents, last = path.split(".")
    place = config
    for name in parents:
        place = place.setdefault(name, {})
        if not isinstance(place, dict):
            raise AutoMLError(f"{path} cannot be set: {name} already holds the value {place!r}")
    place[last] = value

"""What determines a trial's result, and the id made of it."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from typing import Any

from automl._rendering import canonical_config, render_config
from automl._trial import TaskTable
from heuristics_db import Scalar

ENGINE_VERSION = 1
"""Raised by hand whenever the same request would give another result; earlier trials then count as different ones."""


@cache
def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "absent"


def engine_versions() -> dict[str, str]:
    """Return the versions that a result depends on. Nothing heavy is imported for it."""
    named = {package: _version(package) for package in ("ludwig", "torch", "scikit-learn", "numpy", "motherlode")}
    return named | {"python": platform.python_version(), "engine": str(ENGINE_VERSION)}


def trial_id(
    table: TaskTable, model_type: str, hyperparameters: Mapping[str, Scalar], *, seed: int, epochs: int, device_class: str = "cpu"
) -> str:
    """Return the id of a trial: 32 hexadecimal digits of a SHA-256 over everything that determines the result.

    That is the dataset's fingerprint, target, row cap, split id, the rendered Ludwig configuration, seed, epochs, device class
    (``cpu``, ``cuda`` or ``mps``), ``ENGINE_VERSION`` and the versions of Ludwig and torch.

    Raises:
        AutoMLError: the hyperparameters cannot be rendered.

    """
    config = render_config(table, model_type, hyperparameters, epochs=epochs, seed=seed)
    return digest(
        table_parts(table)
        | {
            "config": canonical_config(config),
            "seed": seed,
            "epochs": epochs,
            "device_class": device_class,
            "torch": _version("torch"),
        }
    )


def table_parts(table: TaskTable) -> dict[str, Any]:
    """Return what a table is, and what reads it: that part of a result which no configuration decides."""
    return {
        "fingerprint": table.fingerprint,
        "target": table.target,
        "task": table.task,
        "positive": table.positive,
        "row_cap": table.row_cap,
        "split_id": table.split_id,
        "engine": ENGINE_VERSION,
        "ludwig": _version("ludwig"),
    }


def digest(parts: Mapping[str, Any]) -> str:
    """Return 32 hexadecimal digits of a SHA-256 over ``parts``, whatever their order."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:32]

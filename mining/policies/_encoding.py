"""Configurations as rows of numbers, so that they have distances."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from heuristics_db import CategoricalDomain, Hyperparameter, Scalar, SearchSpace

Floats = npt.NDArray[np.float64]


def encode(space: SearchSpace, configurations: Sequence[Mapping[str, Scalar]]) -> Floats:
    """Return one row of numbers a configuration: numeric hyperparameters on their scale from 0 to 1 (absent: -1), choices one-hot."""
    columns = [_encode(each, configurations) for each in space.hyperparameters if each.searched]
    return np.hstack(columns) if columns else np.zeros((len(configurations), 1))


def position(hyperparameter: Hyperparameter, value: Scalar) -> float:
    """Return where a numeric value lies in its domain, on the domain's scale: 0 at the low end, 1 at the high one."""
    domain = hyperparameter.domain
    if isinstance(domain, CategoricalDomain) or not isinstance(value, int | float):
        raise TypeError(f"{hyperparameter.name} is not numeric")
    if domain.high == domain.low:
        return 0.0
    if domain.log:
        return math.log(value / domain.low) / math.log(domain.high / domain.low)
    return (value - domain.low) / (domain.high - domain.low)


def _encode(hyperparameter: Hyperparameter, configurations: Sequence[Mapping[str, Scalar]]) -> Floats:
    name, domain = hyperparameter.name, hyperparameter.domain

    def one(configuration: Mapping[str, Scalar]) -> list[float]:
        if isinstance(domain, CategoricalDomain):
            given = name in configuration
            return [float(given and type(each) is type(configuration[name]) and each == configuration[name]) for each in domain.choices]
        return [position(hyperparameter, configuration[name]) if name in configuration else -1.0]

    return np.asarray([one(each) for each in configurations], dtype=np.float64)

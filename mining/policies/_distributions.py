"""Hyperparameters as Optuna knows them. Choices travel as their position, so that ``1``, ``True`` and ``None`` stay three choices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heuristics_db import CategoricalDomain, Hyperparameter, Scalar

if TYPE_CHECKING:
    from optuna import Trial
    from optuna.distributions import BaseDistribution


def distribution_of(hyperparameter: Hyperparameter) -> BaseDistribution:
    """Return the Optuna distribution over the hyperparameter's domain."""
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    domain = hyperparameter.domain
    if isinstance(domain, CategoricalDomain):
        return CategoricalDistribution(range(len(domain.choices)))
    if domain.kind == "int":
        return IntDistribution(domain.low, domain.high, log=domain.log)
    return FloatDistribution(domain.low, domain.high, log=domain.log)


def to_optuna(hyperparameter: Hyperparameter, value: Scalar) -> int | float:
    """Return ``value`` (which lies in the domain) as the distribution has it."""
    domain = hyperparameter.domain
    if isinstance(domain, CategoricalDomain):
        return next(index for index, choice in enumerate(domain.choices) if CategoricalDomain(choices=(choice,)).contains(value))
    if domain.kind == "int":
        return int(value)  # type: ignore[arg-type]
    return float(value)  # type: ignore[arg-type]


def asked(trial: Trial, name: str, hyperparameter: Hyperparameter) -> Scalar:
    """Ask an Optuna trial for a value of the hyperparameter, under ``name``."""
    domain = hyperparameter.domain
    if isinstance(domain, CategoricalDomain):
        return domain.choices[trial.suggest_categorical(name, range(len(domain.choices)))]
    if domain.kind == "int":
        return trial.suggest_int(name, domain.low, domain.high, log=domain.log)
    return trial.suggest_float(name, domain.low, domain.high, log=domain.log)

"""Hyperparameters as Optuna knows them. Choices travel as their position, so that ``1``, ``True`` and ``None`` stay three choices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from heuristics_db import CategoricalDomain, Configuration, Hyperparameter, Scalar

if TYPE_CHECKING:
    from optuna import Trial
    from optuna.distributions import BaseDistribution
    from optuna.trial import FrozenTrial


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


def told_trial(
    hyperparameters: Sequence[Hyperparameter], configuration: Configuration, value: float | None, prefix: str = ""
) -> FrozenTrial:
    """Return the Optuna trial of a configuration: complete with its ``value``, running without."""
    from optuna.trial import TrialState, create_trial

    return create_trial(
        state=TrialState.RUNNING if value is None else TrialState.COMPLETE,
        params={prefix + each.name: to_optuna(each, configuration[each.name]) for each in hyperparameters},
        distributions={prefix + each.name: distribution_of(each) for each in hyperparameters},
        value=value,
    )


def asked(trial: Trial, name: str, hyperparameter: Hyperparameter) -> Scalar:
    """Ask an Optuna trial for a value of the hyperparameter, under ``name``."""
    domain = hyperparameter.domain
    if isinstance(domain, CategoricalDomain):
        return domain.choices[trial.suggest_categorical(name, range(len(domain.choices)))]
    if domain.kind == "int":
        return trial.suggest_int(name, domain.low, domain.high, log=domain.log)
    return trial.suggest_float(name, domain.low, domain.high, log=domain.log)

"""Search spaces: the hyperparameters of one model type, their domains, scales and conditions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from heuristics_db._places import figure, interval

Scalar = bool | int | float | str | None
"""A hyperparameter's value, as JSON knows it."""

Configuration = Mapping[str, Scalar]
"""Hyperparameter name (a dotted Ludwig path such as ``trainer.learning_rate``) to value."""


class Frozen(BaseModel):
    """Base of every part of a heuristics document: immutable, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class FloatDomain(Frozen):
    """The real numbers from ``low`` to ``high``, both included."""

    kind: Literal["float"] = "float"
    low: float
    high: float
    log: bool = False

    @model_validator(mode="after")
    def _ordered(self) -> FloatDomain:
        _check_bounds(self.low, self.high, self.log)
        return self

    def contains(self, value: Scalar) -> bool:
        """Say whether ``value`` is a number between the bounds."""
        return _is_number(value) and self.low <= value <= self.high  # type: ignore[operator]


class IntDomain(Frozen):
    """The whole numbers from ``low`` to ``high``, both included."""

    kind: Literal["int"] = "int"
    low: int
    high: int
    log: bool = False

    @model_validator(mode="after")
    def _ordered(self) -> IntDomain:
        _check_bounds(self.low, self.high, self.log)
        return self

    def contains(self, value: Scalar) -> bool:
        """Say whether ``value`` is a whole number between the bounds."""
        return _is_number(value) and value == value // 1 and self.low <= value <= self.high  # type: ignore[operator]


class CategoricalDomain(Frozen):
    """A finite list of choices, in the order in which they were given."""

    kind: Literal["categorical"] = "categorical"
    choices: tuple[Scalar, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _distinct(self) -> CategoricalDomain:
        if len({(type(choice).__name__, choice) for choice in self.choices}) != len(self.choices):
            raise ValueError(f"choices repeat: {figure(list(self.choices))}")
        return self

    def contains(self, value: Scalar) -> bool:
        """Say whether ``value`` is one of the choices (``True`` and ``1`` are different)."""
        return any(value == choice and isinstance(value, bool) == isinstance(choice, bool) for choice in self.choices)


Domain = Annotated[FloatDomain | IntDomain | CategoricalDomain, Field(discriminator="kind")]


class Condition(Frozen):
    """A hyperparameter exists only while its ``parent`` takes one of ``values``."""

    parent: str
    values: tuple[Scalar, ...] = Field(min_length=1)


class Evidence(Frozen):
    """What a mined choice rests on. ``effect`` is in normalised regret unless ``unit`` says otherwise; below 0 is a gain."""

    method: str
    trials: int = Field(ge=0)
    datasets: tuple[str, ...] = ()
    effect: float | None = None
    interval: tuple[float, float] | None = None
    unit: str = "normalised regret"
    note: str = ""


class Hyperparameter(Frozen):
    """One hyperparameter: where it may lie, whether it is searched or fixed, and why.

    ``weights`` is a prior over the choices of a categorical domain, in their order; ``fixed`` counts only when ``searched`` is false.
    """

    name: str = Field(min_length=1)
    domain: Domain
    searched: bool = True
    fixed: Scalar = None
    condition: Condition | None = None
    weights: tuple[float, ...] | None = None
    importance: float | None = Field(default=None, ge=0)
    reason: str = ""
    evidence: Evidence | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Hyperparameter:
        if not self.searched and not self.domain.contains(self.fixed):
            raise ValueError(f"the fixed value {figure(self.fixed)} lies outside its domain")
        if self.weights is not None:
            choices = len(self.domain.choices) if isinstance(self.domain, CategoricalDomain) else 0
            if len(self.weights) != choices or min(self.weights) < 0 or sum(self.weights) <= 0:
                raise ValueError(f"a prior needs one weight of at least 0 for each of the {choices} choices")
        return self

    def admits(self, value: Scalar) -> bool:
        """Say whether a configuration may give this hyperparameter ``value``."""
        if self.searched:
            return self.domain.contains(value)
        return value == self.fixed and isinstance(value, bool) == isinstance(self.fixed, bool)


class SearchSpace(Frozen):
    """The hyperparameters of one model type. A parent stands before the hyperparameters that depend on it."""

    model_type: str = Field(min_length=1)
    hyperparameters: tuple[Hyperparameter, ...]

    @model_validator(mode="after")
    def _parents_first(self) -> SearchSpace:
        seen: dict[str, Hyperparameter] = {}
        for hyperparameter in self.hyperparameters:
            if hyperparameter.name in seen:
                raise ValueError(f"{hyperparameter.name} is named twice")
            condition = hyperparameter.condition
            if condition is not None and condition.parent not in seen:
                raise ValueError(f"{hyperparameter.name} depends on {condition.parent}, which does not stand before it")
            seen[hyperparameter.name] = hyperparameter
        return self

    def active(self, configuration: Configuration) -> tuple[Hyperparameter, ...]:
        """Return the hyperparameters that exist under ``configuration``, in their order."""
        chosen: dict[str, Scalar] = {}
        found = []
        for hyperparameter in self.hyperparameters:
            condition = hyperparameter.condition
            if condition is None or (condition.parent in chosen and chosen[condition.parent] in condition.values):
                found.append(hyperparameter)
                chosen[hyperparameter.name] = configuration.get(hyperparameter.name, hyperparameter.fixed)
        return tuple(found)

    def misfits(self, configuration: Configuration) -> Iterator[str]:
        """Yield one line, beginning with the hyperparameter's name, for each reason why ``configuration`` does not lie in this space."""
        active = {hyperparameter.name: hyperparameter for hyperparameter in self.active(configuration)}
        for name in configuration:
            if name not in active:
                yield f"{name}: not a hyperparameter of {self.model_type} under this configuration"
        for name, hyperparameter in active.items():
            if name not in configuration:
                yield f"{name}: missing"
            elif not hyperparameter.admits(configuration[name]):
                yield f"{name}: {figure(configuration[name])} {_limits(hyperparameter)}"

    def misfit(self, configuration: Configuration) -> str | None:
        """Return the first of `misfits`, or ``None`` when ``configuration`` lies in this space."""
        return next(self.misfits(configuration), None)

    def contains(self, configuration: Configuration) -> bool:
        """Say whether ``configuration`` names exactly the active hyperparameters, each within its domain."""
        return self.misfit(configuration) is None


class SeedConfiguration(Frozen):
    """A full configuration that a new search tries first, and the training datasets that it was best on."""

    model_type: str
    configuration: dict[str, Scalar]
    best_on: tuple[str, ...] = ()
    evidence: Evidence | None = None


def _is_number(value: Scalar) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, int) or math.isfinite(value)


def _check_bounds(low: float, high: float, log: bool) -> None:
    if low > high:
        raise ValueError(f"low {figure(low)} lies above high {figure(high)}")
    if log and low <= 0:
        raise ValueError(f"a log scale needs a low above 0, not {figure(low)}")


def _limits(hyperparameter: Hyperparameter) -> str:
    """Say where a value that is refused should have lain."""
    domain = hyperparameter.domain
    if not hyperparameter.searched:
        return f"is not its fixed value {figure(hyperparameter.fixed)}"
    if isinstance(domain, CategoricalDomain):
        return f"outside {figure(list(domain.choices))}"
    return f"outside {interval(domain.low, domain.high)}"

"""What a sweep is to run, as a user writes it in YAML."""

from __future__ import annotations

import difflib
from collections import Counter
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from experiments._errors import ExperimentError
from experiments._yaml import Seed, read_yaml
from experiments.sweeping._portfolio import Portfolio
from experiments.sweeping._settings import Limits, RetryPolicy, Stopping, SweepBudget
from experiments.sweeping._strict import Strict

SWEEPS_FOLDER = Path(__file__).parents[1] / "sweeps"
_EARLIER_NAMES = {"workers": "parallel", "time_limit": "trial_seconds"}
"""Keys of sweeps written before ``limits`` was there, in files and in plans that were begun then."""


class DatasetChoice(Strict):
    """All datasets of a role. Only training datasets may be swept."""

    role: Literal["training"]


class Configurations(Strict):
    """How configurations are drawn from each model type's wide search space.

    One list is ``shared`` by all datasets and seeds, so that datasets can be compared configuration by configuration; otherwise each
    dataset has a list of its own, drawn with a seed that is made of ``seed`` and its name.
    """

    count: int = Field(default=0, ge=0, le=100_000)
    sampler: Literal["random", "sobol", "grid"] = "random"
    seed: Seed = 0
    shared: bool = True


class SweepSpec(Strict):
    """Datasets × model types × configurations × seeds, each trained to ``epochs``.

    ``portfolio`` holds configurations that are taken as they are, before those that are drawn. ``row_cap`` is the most rows kept of a
    dataset (a stratified draw); ``split_seed`` fixes each dataset's rows and parts. Without ``stopping``, every trial trains to its last
    epoch.
    """

    name: str = Field(min_length=1, max_length=60, pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")
    description: str = ""
    datasets: tuple[str, ...] | DatasetChoice
    model_types: tuple[str, ...] | None = None
    configurations: Configurations = Configurations()
    portfolio: Portfolio | None = None
    seeds: tuple[Seed, ...] = Field(default=(0,), min_length=1)
    epochs: int = Field(ge=1, le=100_000)
    row_cap: int | None = Field(default=None, ge=50)
    split_seed: Seed = 0
    stopping: Stopping | None = None
    limits: Limits = Limits()
    budget: SweepBudget = SweepBudget()
    retries: RetryPolicy = RetryPolicy()

    def determinants(self) -> dict[str, Any]:
        """Return what a sweep's id is made of, beside its trials; how it is carried out is no part of it, but for the time limit.

        Keys that came later are there only where they say something: what was written before keeps its id.
        """
        content = self.model_dump(mode="json", exclude={"description", "limits", "budget", "retries", "portfolio", "stopping"})
        content["time_limit"] = self.limits.trial_seconds
        if self.configurations.shared:
            del content["configurations"]["shared"]
        if self.portfolio is not None:
            content["portfolio"] = [each.model_dump(mode="json") for each in self.portfolio.seeds]
        if self.stopping is not None:
            content["stopping"] = self.stopping.model_dump(mode="json")
        return content

    @model_validator(mode="before")
    @classmethod
    def _earlier_names(cls, value: Any) -> Any:
        if not isinstance(value, dict) or not _EARLIER_NAMES.keys() & value.keys():
            return value
        given = {name: each for name, each in value.items() if name not in _EARLIER_NAMES}
        moved = {_EARLIER_NAMES[name]: each for name, each in value.items() if name in _EARLIER_NAMES}
        limits = given.get("limits") or {}
        twice = sorted(moved.keys() & limits.keys()) if isinstance(limits, dict) else []
        if twice:
            earlier = next(name for name, now in _EARLIER_NAMES.items() if now == twice[0])
            raise ValueError(f"{earlier} is the earlier name of limits.{twice[0]}; give the latter alone")
        return given | {"limits": moved | limits if isinstance(limits, dict) else limits}

    @field_validator("datasets", mode="before")
    @classmethod
    def _names_or_role(cls, value: Any) -> Any:
        if isinstance(value, DatasetChoice):
            return value
        if isinstance(value, dict):
            if value.get("role") == "held_out":
                raise ValueError("held-out datasets may not be swept: heuristics are mined from training datasets alone")
            if value != {"role": "training"}:
                raise ValueError("give a list of dataset names, or {role: training}")
            return DatasetChoice(role="training")
        if not isinstance(value, list | tuple) or not all(isinstance(name, str) and name for name in value):
            raise ValueError("give a list of dataset names, or {role: training}")
        return tuple(value)

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        datasets = () if isinstance(self.datasets, DatasetChoice) else self.datasets
        if not isinstance(self.datasets, DatasetChoice) and not datasets:
            raise ValueError("datasets: name at least one")
        if self.model_types is not None and not self.model_types:
            raise ValueError("model_types: name at least one, or leave the key out for all")
        for what, names in (("dataset", datasets), ("model type", self.model_types or ()), ("seed", self.seeds)):
            repeated = sorted(str(name) for name, count in Counter(names).items() if count > 1)
            if repeated:
                raise ValueError(f"{what} {', '.join(repeated)} is named twice")
        if self.configurations.count == 0 and self.portfolio is None:
            raise ValueError("configurations: say how many to draw ({count: 32}), or give a portfolio")
        if self.configurations.sampler == "grid" and not self.configurations.shared:
            raise ValueError("configurations: a grid is the same for every dataset; leave shared out, or draw with random or sobol")
        return self


def find_sweep(reference: str) -> Path:
    """Return the file of a sweep given by path, or by the name of one that is shipped (``demo``).

    Raises :class:`ExperimentError`, which names the shipped sweeps, when there is no such file.
    """
    path = Path(reference)
    if path.is_file():
        return path
    if path.is_dir():
        raise ExperimentError(f"{reference} is a folder; give a sweep's YAML file")
    shipped = {each.stem: each for each in sorted(SWEEPS_FOLDER.glob("*.yaml"))}
    if reference in shipped:
        return shipped[reference]
    near = difflib.get_close_matches(path.stem, shipped, n=1)
    hint = f"did you mean {near[0]}?" if near else f"sweeps shipped: {', '.join(shipped) or 'none'}"
    raise ExperimentError(f"no such sweep: {reference}; {hint}")


def load_sweep(path: Path) -> SweepSpec:
    """Read a sweep from YAML; raises :class:`ExperimentError` in one line for anything that is not one."""
    return read_yaml(path, SweepSpec, "sweep")

"""What a sweep is to run, as a user writes it in YAML."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from experiments._errors import ExperimentError
from experiments._yaml import Seed, read_yaml

SWEEPS_FOLDER = Path(__file__).parents[1] / "sweeps"


class Strict(BaseModel):
    """Base of what a sweep is made of: immutable, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class DatasetChoice(Strict):
    """All datasets of a role. Only training datasets may be swept."""

    role: Literal["training"]


class Configurations(Strict):
    """How configurations are drawn from each model type's wide search space: one list, shared by all datasets and seeds."""

    count: int = Field(ge=1, le=100_000)
    sampler: Literal["random", "sobol", "grid"] = "random"
    seed: Seed = 0


class SweepSpec(Strict):
    """Datasets × model types × drawn configurations × seeds, each trained to ``epochs``.

    ``row_cap`` is the most rows kept of a dataset (a stratified draw); ``time_limit`` ends a trial after that many seconds of training;
    ``split_seed`` fixes each dataset's rows and parts; ``workers`` is the number of trials at a time (default: one a core).
    """

    name: str = Field(min_length=1, max_length=60, pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")
    description: str = ""
    datasets: tuple[str, ...] | DatasetChoice
    model_types: tuple[str, ...] | None = None
    configurations: Configurations
    seeds: tuple[Seed, ...] = Field(default=(0,), min_length=1)
    epochs: int = Field(ge=1, le=100_000)
    row_cap: int | None = Field(default=None, ge=50)
    split_seed: Seed = 0
    time_limit: float | None = Field(default=None, gt=0)
    workers: int | None = Field(default=None, ge=1)

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
            repeated = sorted({str(name) for name in names if list(names).count(name) > 1})
            if repeated:
                raise ValueError(f"{what} {', '.join(repeated)} is named twice")
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

"""A validation suite: held-out datasets with frozen ends of the regret scale, a budget and seeds, read from YAML."""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from experiments._errors import ExperimentError
from experiments._yaml import Seed, read_yaml

RESERVED_FOR = "production"
SUITES_FOLDER = Path(__file__).parents[1] / "suites"


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class SuiteEntry(_Strict):
    """One held-out dataset and the frozen ends of its regret scale: ``best`` (regret 0) and ``reference`` (regret 1), in its metric.

    ``how`` says where the two come from; ``best_by`` names the baseline that reached ``best``, ``split_id`` the rows and parts that both
    were computed on: on others they don't hold. A dataset without ends must be frozen before a version can be validated on it. A
    ``reserved`` one is looked at by validations for ``production`` alone.
    """

    name: str = Field(min_length=1)
    best: float | None = None
    reference: float | None = None
    best_by: str = ""
    how: str = ""
    split_id: str | None = None
    reserved: bool = False

    @model_validator(mode="after")
    def _both_or_neither(self) -> Self:
        if (self.best is None) != (self.reference is None):
            raise ValueError(f"{self.name}: best and reference are frozen together; give both or neither")
        if self.best is not None and self.best == self.reference:
            raise ValueError(f"{self.name}: best and reference are equal ({self.best}); regret has no scale")
        return self

    @property
    def frozen(self) -> bool:
        """Say whether both ends stand."""
        return self.best is not None


class SuiteBudget(_Strict):
    """What each search may spend: ``trials`` in all, ``epochs`` a trial at most."""

    trials: int = Field(ge=1)
    epochs: int = Field(ge=1)


class SuiteSpec(_Strict):
    """A suite: the datasets, and the one budget, seeds, row cap and model types that every arm works under.

    ``floor`` is the least length of a regret scale, as a share of the larger end, so that noise on a dataset where nothing beats the
    constant predictor cannot rule the mean. ``split_seed`` fixes each dataset's training, validation and test rows.
    """

    name: str = Field(min_length=1, pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")
    revision: int = Field(default=1, ge=1)
    description: str = ""
    datasets: tuple[SuiteEntry, ...] = Field(min_length=1)
    model_types: tuple[str, ...] = Field(min_length=1)
    budget: SuiteBudget
    seeds: tuple[Seed, ...] = Field(min_length=1)
    row_cap: int | None = Field(default=None, ge=50)
    split_seed: Seed = 0
    floor: float = Field(default=0.001, ge=0)

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        named: dict[str, Sequence[str | int]] = {
            "dataset": [each.name for each in self.datasets],
            "model type": self.model_types,
            "seed": self.seeds,
        }
        for what, names in named.items():
            repeated = {str(name) for name in names if names.count(name) > 1}
            if repeated:
                raise ValueError(f"{what} {', '.join(sorted(repeated))} is named twice")
        return self

    def part_for(self, channel: str) -> Self:
        """Return what a validation for ``channel`` looks at: the whole suite for ``production``, else without the reserved datasets.

        Raises:
            ExperimentError: all of them are reserved.

        """
        if channel == RESERVED_FOR or not any(each.reserved for each in self.datasets):
            return self
        left = tuple(each for each in self.datasets if not each.reserved)
        if not left:
            raise ExperimentError(f"suite {self.name}: all of its datasets are reserved for {RESERVED_FOR}; nothing is left for {channel}")
        return self.model_copy(update={"datasets": left})

    @property
    def suite_hash(self) -> str:
        """SHA-256 of everything that a result depends on, in canonical JSON (words for people are left out)."""
        content = self.model_dump(mode="json", exclude={"description": True, "datasets": {"__all__": {"how", "best_by", "reserved"}}})
        return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()).hexdigest()

    @property
    def unfrozen(self) -> tuple[str, ...]:
        """Names of the datasets whose ends do not stand yet."""
        return tuple(each.name for each in self.datasets if not each.frozen)


def find_suite(reference: str) -> Path:
    """Return the file of a suite given by path, or by the name of one that is shipped (``demo``).

    Raises:
        ExperimentError: there is no such file; the shipped suites are named.

    """
    path = Path(reference)
    if path.is_file():
        return path
    shipped = sorted(SUITES_FOLDER.glob("*.yaml"))
    for candidate in shipped:
        if reference in {candidate.stem, candidate.name}:
            return candidate
    if path.is_dir():
        raise ExperimentError(f"{reference} is a folder; give a suite's YAML file")
    near = difflib.get_close_matches(path.stem, [each.stem for each in shipped], n=1)
    hint = f"did you mean {near[0]}?" if near else f"suites shipped: {', '.join(each.stem for each in shipped) or 'none'}"
    raise ExperimentError(f"no such suite: {reference}; {hint}")


def load_suite(path: Path) -> SuiteSpec:
    """Read a suite from YAML; raises :class:`ExperimentError` in one line for anything that is not one."""
    return read_yaml(path, SuiteSpec, "suite")

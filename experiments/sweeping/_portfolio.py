"""Configurations that a sweep takes as they are: a heuristics version's portfolio, or a list of the user's."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

from pydantic import Field, field_validator, model_validator

from experiments._errors import ExperimentError
from experiments._home import Home
from experiments._store import open_store
from experiments._yaml import parse_yaml, read_text, validated
from experiments.sweeping._strict import Strict
from heuristics_db import Scalar, SearchSpace


class PortfolioSeed(Strict):
    """One configuration of a portfolio: dotted Ludwig paths to values, for one model type."""

    model_type: str
    configuration: dict[str, Scalar] = Field(min_length=1)

    @field_validator("configuration", mode="before")
    @classmethod
    def _paths_to_values(cls, value: Any) -> Any:
        for name, each in value.items() if isinstance(value, dict) else ():
            if isinstance(each, dict) and each:
                raise ValueError(f"write dotted paths: {name}.{next(iter(each))} in place of a mapping under {name}")
            if isinstance(each, dict | list | tuple):
                raise ValueError(f"{name} takes one value: a number, a text, true, false or null")  # noqa: TRY004 - pydantic takes a ValueError
        return value


class Portfolio(Strict):
    """Where configurations come from: ``version`` (a heuristics version's hash, a beginning of it, or a channel), ``file``, or ``seeds``.

    In a plan, ``seeds`` are always filled in, and ``version`` is the whole hash: a channel that moves changes no sweep that was begun.
    """

    version: str | None = None
    file: str | None = None
    seeds: tuple[PortfolioSeed, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _a_list_is_seeds(cls, value: Any) -> Any:
        return {"seeds": value} if isinstance(value, list | tuple) else value

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if self.version is not None and self.file is not None:
            raise ValueError("give a version or a file, not both")
        if self.version is None and self.file is None and not self.seeds:
            raise ValueError("give a version, a file, or a list of {model_type, configuration}")
        return self

    def resolved(self, home: Home, spaces: Mapping[str, SearchSpace]) -> Portfolio:
        """Return the portfolio with its seeds, each checked against the names of ``spaces``.

        Raises :class:`ExperimentError` for a file that holds none, an unknown model type or hyperparameter,
        ``heuristics_db.HeuristicsError`` for a version that is not there.
        """
        version, seeds = self.version, self.seeds
        if not seeds and version is not None:
            with open_store(home) as store:
                version = store.version(version).id
                found = store.get(version).modalities.get("tabular")
            seeds = tuple(
                PortfolioSeed(model_type=each.model_type, configuration=dict(each.configuration))
                for each in (found.portfolio if found is not None else ())
            )
            if not seeds:
                raise ExperimentError(f"heuristics version {self.version} has no tabular portfolio to sweep")
        elif not seeds and self.file is not None:
            seeds = _read(Path(self.file))
        _check(seeds, spaces)
        return Portfolio(version=version, file=self.file, seeds=seeds)


def _read(path: Path) -> tuple[PortfolioSeed, ...]:
    content = _parse(path)
    if not isinstance(content, list) or not content:
        raise ExperimentError(f"{path}: a portfolio is a list of {{model_type, configuration}}")
    return tuple(_seed(each, f"{path}: configuration {place}") for place, each in enumerate(content, 1))


def _parse(path: Path) -> Any:
    text = read_text(path, "portfolio")
    if path.suffix != ".json":
        return parse_yaml(text, str(path), "portfolio")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ExperimentError(f"{path}: not valid JSON: {' '.join(str(error).split())[:200]}") from error


def _seed(content: Any, where: str) -> PortfolioSeed:
    if not isinstance(content, dict):
        raise ExperimentError(f"{where} is not {{model_type, configuration}}")
    return validated(content, PortfolioSeed, where)


def _check(seeds: Iterable[PortfolioSeed], spaces: Mapping[str, SearchSpace]) -> None:
    for place, seed in enumerate(seeds, 1):
        if seed.model_type not in spaces:
            raise ExperimentError(f"portfolio, configuration {place}: unknown model type {seed.model_type}; known: {', '.join(spaces)}")
        known = {each.name for each in spaces[seed.model_type].hyperparameters}
        if strange := sorted(set(seed.configuration) - known):
            told = f"{strange[0]} is no hyperparameter of {seed.model_type}; known: {', '.join(sorted(known))}"
            raise ExperimentError(f"portfolio, configuration {place}: {told}")

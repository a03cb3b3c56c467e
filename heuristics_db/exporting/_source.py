"""What every exporter starts from, and what it gives back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from heuristics_db._document import DatasetProvenance, HeuristicsDocument, ModalityHeuristics
from heuristics_db._errors import HeuristicsError
from heuristics_db._places import figure, one_line, shortened
from heuristics_db._spaces import CategoricalDomain, Configuration, Hyperparameter, Scalar, SearchSpace, SeedConfiguration

SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
"""Names of model types stand in file and study names: letters, digits, and nothing that leads out of a folder."""


@dataclass(frozen=True)
class Export:
    """Files by their name within the folder (one of no folder stands alone), and what the other tool could not be told."""

    files: dict[str, bytes]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Source:
    """What is exported: the heuristics that a search for one modality and task follows."""

    version: str
    place: str
    task: str | None
    heuristics: ModalityHeuristics
    datasets: tuple[DatasetProvenance, ...]

    @classmethod
    def of(cls, document: HeuristicsDocument, *, version: str, modality: str | None, task: str | None) -> Self:
        """Pick the heuristics of one modality and task; raise :class:`HeuristicsError` where that is none or not clear."""
        names = sorted(document.modalities)
        wanted = modality or (names[0] if len(names) == 1 else None)
        if wanted is None:
            raise HeuristicsError(f"the version has heuristics for {' and '.join(names)}: say which (--modality)")
        pooled = next((each for name, each in document.modalities.items() if name == wanted), None)
        if pooled is None:
            raise HeuristicsError(f"the version has no heuristics for {figure(wanted)}, only for {' and '.join(names)}")
        tasks = {each.task for each in document.provenance.datasets} | set(pooled.tasks)
        if task is not None and task not in tasks:
            raise HeuristicsError(f"the version knows no task {figure(task)}: choose {', '.join(sorted(tasks))}")
        strange = [
            name for name in (*pooled.for_task(task).model_types, *([] if task is None else [task])) if not SAFE_NAME.fullmatch(name)
        ]
        if strange:
            raise HeuristicsError(f"{figure(strange[0])} can't be exported: the name of a model type or task is a plain word")
        place = wanted if task is None else f"{wanted}.{task}"
        datasets = tuple(each for each in document.provenance.datasets if task in (None, each.task))
        return cls(version=version, place=place, task=task, heuristics=pooled.for_task(task), datasets=datasets)

    @property
    def ordered(self) -> list[str]:
        """The model types: those that a search follows first, best first, then the rest by name."""
        order = self.heuristics.model_choice.order
        return [*order, *sorted(name for name in self.heuristics.model_types if name not in order)]

    def seeds(self, model_type: str) -> list[SeedConfiguration]:
        """Return the seeds of one model type: its own portfolio, or where that is empty, its seeds of the joint one."""
        own = self.heuristics.model_types[model_type].portfolio
        return list(own or (each for each in self.heuristics.portfolio if each.model_type == model_type))


def searched(space: SearchSpace) -> list[Hyperparameter]:
    """Return the hyperparameters that are searched and have more than one value."""
    return [each for each in space.hyperparameters if each.searched and not _single(each)]


def settled(space: SearchSpace) -> dict[str, Scalar]:
    """Return the values of the hyperparameters that have but one: those that are fixed, and ranges of one value."""
    return {
        each.name: each.fixed if not each.searched else resting(each)
        for each in space.hyperparameters
        if not each.searched or _single(each)
    }


def resting(hyperparameter: Hyperparameter) -> Scalar:
    """Return the value that stands for a hyperparameter where it plays no part: the first choice, or the low end."""
    domain = hyperparameter.domain
    return domain.choices[0] if isinstance(domain, CategoricalDomain) else domain.low


def complete(space: SearchSpace, configuration: Configuration) -> dict[str, Scalar]:
    """Return a value for every searched hyperparameter: tools without conditions ask for those that play no part, too."""
    return {each.name: configuration.get(each.name, resting(each)) for each in searched(space)}


def lost(place: str, space: SearchSpace, *, conditions: bool) -> Iterator[str]:
    """Yield what a tool without priors (and, with ``conditions``, without conditions) can't be told of a space."""
    weighted = [each.name for each in searched(space) if each.weights is not None]
    if weighted:
        yield _note(f"{place}: the priors of {', '.join(weighted)} are left out: all choices are equally likely")
    bound = [each.name for each in searched(space) if each.condition is not None]
    if bound and conditions:
        told = f"{place}: searched whatever the condition, and at their first value in seeds that lack them: {', '.join(bound)}"
        yield _note(told)


def _note(text: str) -> str:
    return shortened(one_line(text), 1000)


def _single(hyperparameter: Hyperparameter) -> bool:
    domain = hyperparameter.domain
    return len(domain.choices) == 1 if isinstance(domain, CategoricalDomain) else domain.low == domain.high

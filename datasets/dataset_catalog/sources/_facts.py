"""What a source itself tells about a dataset: for the card that is written when one is added."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from dataset_catalog._cards import Loader

UNSTATED = "unstated"


@dataclass(frozen=True)
class SourceFacts:
    """What the source says of a dataset; what it does not say is ``None``, or "unstated" where a card needs a word.

    ``loader`` is the one asked about, pinned to the content of today where the source has versions. ``target`` is a column of the table.
    ``split_column`` names the column that says training, validation or test for each row, where the source parts the rows itself.
    ``notes`` are sentences for the card: what the source warns of, and what was left out.
    """

    title: str
    loader: Loader
    target: str | None = None
    licence: str = UNSTATED
    citation: str = UNSTATED
    split_column: str | None = None
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return plain values, to be kept beside the table."""
        return dataclasses.asdict(self) | {"loader": self.loader.model_dump(mode="json", exclude_defaults=True)}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> SourceFacts:
        """Read back what :meth:`as_json` gave; raises ``KeyError``, ``TypeError`` or ``ValueError`` for anything else."""
        return cls(**{**content, "loader": Loader.model_validate(content["loader"]), "notes": tuple(content["notes"])})


def stated(text: object, *, longest: int = 2000) -> str:
    """Return what a source gives for a licence or a citation in one line, "unstated" when that is nothing."""
    if isinstance(text, list | tuple):
        text = ", ".join(str(each) for each in text if each)
    line = " ".join(str(text or "").split())
    return line[:longest] if line and line.lower() not in ("none", "unknown", "n/a", "null", "?") else UNSTATED


def free_name(name: str, taken: Collection[str]) -> str:
    """Return ``name``, or it with a number when a column is called so already."""
    return next(each for each in (name, *(f"{name}_{number}" for number in range(2, len(taken) + 3))) if each not in taken)

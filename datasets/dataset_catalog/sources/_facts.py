"""What a source itself tells about a dataset: for the card that is written when one is added."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dataset_catalog._cards import Loader

UNSTATED = "unstated"
Tell = Callable[[str], None]


@dataclass(frozen=True)
class SourceFacts:
    """What the source says of a dataset; what it does not say is ``None``, or "unstated" where a card needs a word.

    ``loader`` is the one asked about, pinned to the content of today where the source has versions. ``split_column`` names the column that
    says training, validation or test for each row, where the source parts the rows itself. ``task`` is the source's own word for
    what is predicted: ``classification`` or ``regression``.
    """

    title: str
    loader: Loader
    target: str | None = None
    task: str | None = None
    licence: str = UNSTATED
    citation: str = UNSTATED
    split_column: str | None = None
    ignored: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

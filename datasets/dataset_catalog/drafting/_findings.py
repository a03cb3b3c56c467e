"""What a look at a table finds that its owner should know before anything is learnt from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FindingKind = Literal[
    "id",
    "leak",
    "duplicate_column",
    "constant",
    "unusable",
    "repeated_rows",
    "contradicting_rows",
    "rare_class",
    "missing_target",
    "near_duplicate",
]


@dataclass(frozen=True)
class Finding:
    """One thing found: on which columns, with which figure, and what to do about it.

    A ``serious`` one makes scores meaningless if it stands: it is a warning, the others are remarks. ``figure`` is the share or score that
    ``text`` tells in words.
    """

    kind: FindingKind
    text: str
    remedy: str = ""
    columns: tuple[str, ...] = ()
    figure: float | None = None
    serious: bool = False

    def __str__(self) -> str:
        return f"{self.text}: {self.remedy}" if self.remedy else self.text


def drop(*names: str) -> str:
    """Return the remedy of leaving columns out, as it is typed."""
    return " ".join(f"--drop {name if name.replace('_', '').isalnum() else repr(name)}" for name in names)

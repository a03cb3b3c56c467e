"""One change between two heuristics documents, in the field's terms."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from heuristics_db._canonical import rewritten
from heuristics_db._spaces import Evidence, Frozen

ChangeKind = Literal[
    "range widened",
    "range narrowed",
    "range moved",
    "scale changed",
    "kind changed",
    "fixed",
    "freed",
    "fixed value changed",
    "prior changed",
    "condition changed",
    "order changed",
    "hyperparameter added",
    "hyperparameter removed",
    "seed in",
    "seed out",
    "seed moved",
    "model choice changed",
    "model type added",
    "model type removed",
    "policy changed",
    "part added",
    "part removed",
    "evidence changed",
    "provenance changed",
    "dataset in",
    "dataset out",
]


class Change(Frozen):
    """One change: where (``tabular.tabnet.trainer.learning_rate``), of what kind, from what to what, and what each side rests on."""

    place: str
    kind: ChangeKind
    before: str | None = None
    after: str | None = None
    evidence_before: Evidence | None = None
    evidence_after: Evidence | None = None


def same(before: Any, after: Any) -> bool:
    """Say whether two parts are written alike: to Python, 1, 1.0 and True are equal, to a document they are not."""
    return _written(before) == _written(after)


def _written(part: Any) -> str:
    return rewritten(part.model_dump(mode="json") if isinstance(part, BaseModel) else part)

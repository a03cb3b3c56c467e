"""One way into all the formats."""

from __future__ import annotations

from typing import Literal, get_args

from heuristics_db._document import HeuristicsDocument
from heuristics_db._errors import HeuristicsError
from heuristics_db.exporting._ludwig import ludwig_export
from heuristics_db.exporting._optuna import optuna_export
from heuristics_db.exporting._ray import ray_export
from heuristics_db.exporting._source import Export, Source

Format = Literal["ludwig", "optuna", "ray"]
FORMATS: tuple[Format, ...] = get_args(Format)


def export_document(
    document: HeuristicsDocument,
    format: str,  # noqa: A002
    *,
    version: str,
    modality: str | None = None,
    task: str | None = None,
) -> Export:
    """Return a document's search spaces and seeds as files of another tool.

    Args:
        document: a document that keeps the invariants.
        format: ``ludwig`` (a folder in place of ``ludwig/automl/defaults``), ``optuna`` (a journal file with one study a model type) or
            ``ray`` (a Python module with ``PARAM_SPACE`` and ``POINTS_TO_EVALUATE``).
        version: the version's id, which the files name.
        modality: which one; may be left out where there is only one.
        task: what holds for this task in place of what was pooled over tasks.

    Raises:
        HeuristicsError: no such format or modality, or a name or value in the document that the other tool can't take.

    """
    writers = {"ludwig": ludwig_export, "optuna": optuna_export, "ray": ray_export}
    if format not in writers:
        raise HeuristicsError(f"no export format {format!r}: choose {', '.join(FORMATS[:-1])} or {FORMATS[-1]}")
    return writers[format](Source.of(document, version=version, modality=modality, task=task))

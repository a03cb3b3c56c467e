"""Freezing the training datasets' ends: on validation scores, from the same baselines as a suite's, before anything is mined."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import yaml

from automl import TaskTable
from experiments._errors import ExperimentError
from experiments._scales import FrozenEnds, ScaleBook
from experiments.validating._freeze import Say, ends, leading_comments
from experiments.validating._reference import VALIDATION, baselines, constant_reference


def freeze_training(path: Path, tables: Iterable[TaskTable], *, seed: int = 0, say: Say) -> ScaleBook:
    """Add the ends of those of ``tables`` that the book at ``path`` lacks, and write it after each one.

    Ends that stand are left alone. ``seed`` is the baselines' own; ``say`` hears of each one's score.

    Raises:
        ExperimentError: the file is no book of scales, or nothing beats the constant predictor on a table.

    """
    book = ScaleBook.load(path) if path.exists() else ScaleBook(revision=1)
    for table in tables:
        if book.find(table.fingerprint, table.row_cap, table.split_id) is None:
            scales = sorted((*book.scales, _freeze_table(table, seed, say)), key=lambda each: (each.name, each.row_cap or 0))
            book = book.model_copy(update={"scales": tuple(scales)})
            _write(path, book)
    return book


def _freeze_table(table: TaskTable, seed: int, say: Say) -> FrozenEnds:
    if not (table.split == VALIDATION).any():
        raise ExperimentError(f"{table.name} has no validation part")
    constant = constant_reference(table, part=VALIDATION)
    scores = []
    for score in baselines(table, seed=seed, part=VALIDATION):
        say(f"{table.name}, {table.row_cap or 'all'} rows: {score.name} {score.score:.5g} ({score.seconds:.1f} s)")
        scores.append(score)
    found = ends(table.name, table, scores, constant, part="validation")
    if found.best is None or found.reference is None:
        raise ExperimentError(f"{table.name}: nothing was frozen")
    return FrozenEnds(
        name=table.name,
        fingerprint=table.fingerprint,
        row_cap=table.row_cap,
        split_id=table.split_id,
        best=found.best,
        reference=found.reference,
        best_by=found.best_by,
        how=found.how,
    )


def _write(path: Path, book: ScaleBook) -> None:
    comments = leading_comments(path) if path.exists() else ""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(book.model_dump(mode="json"), sort_keys=False, allow_unicode=True, width=140)
    path.write_text(comments + text, encoding="utf-8")

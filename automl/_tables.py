"""From anybody's table and a target to a task table: task inferred, rows in canonical order, split fixed, features typed."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from automl._cells import Column, convert
from automl._columns import safe_names
from automl._errors import AutoMLError
from automl._features import infer_columns
from automl._trial import Feature, Task, TaskTable
from dataset_catalog import CatalogError, columns
from dataset_catalog.columns import as_numbers, as_strings

if TYPE_CHECKING:
    from dataset_catalog import Split


@dataclass(frozen=True, eq=False)
class ReadyTable:
    """A task table with what led to it: each column's recipe, the dropped columns with reasons, and remarks for people.

    ``rows`` are the table's rows as they were given, in its order; ``target`` is the target's own name.
    """

    table: TaskTable
    rows: pd.DataFrame
    columns: tuple[Column, ...]
    dropped: dict[str, str]
    target: str
    notes: tuple[str, ...]


def make_task_table(
    frame: pd.DataFrame,
    target: str,
    *,
    name: str,
    task: Task | None = None,
    seed: int = 0,
    row_cap: int | None = None,
    split: Split | None = None,
    shares: tuple[float, float] = (0.1, 0.2),
    fingerprint: str | None = None,
    positive: str | None = None,
) -> TaskTable:
    """Make ``frame`` ready to learn ``target`` from.

    Rows without a target are dropped, rows put in canonical order, capped at ``row_cap`` and split (``shares``: of validation and test);
    features are typed on the training rows alone. With ``split``, the rows are taken as they stand (in canonical order and capped
    already), one part a row, and ``row_cap`` is only noted. ``fingerprint`` is that of the whole dataset; it is computed from ``frame``
    when not given. Class labels become strings.

    Raises ``AutoMLError`` when the target is absent, constant or of no kind that can be learnt, or when no feature is of use.
    """
    return ready_table(
        frame,
        target,
        name=name,
        task=task,
        seed=seed,
        row_cap=row_cap,
        split=split,
        shares=shares,
        fingerprint=fingerprint,
        positive=positive,
    ).table


def ready_table(
    frame: pd.DataFrame,
    target: str,
    *,
    name: str,
    task: Task | None = None,
    seed: int = 0,
    row_cap: int | None = None,
    split: Split | None = None,
    shares: tuple[float, float] = (0.1, 0.2),
    fingerprint: str | None = None,
    positive: str | None = None,
) -> ReadyTable:
    """Do what ``make_task_table`` does, and keep what led to the table."""
    from dataset_catalog import canonical_order, cap_rows, make_split
    from dataset_catalog import fingerprint as fingerprint_of

    check_target(frame, target)
    fingerprint = fingerprint or fingerprint_of(frame)
    task = task or infer_task(frame, target)
    truth, notes = read_target(frame[target], target, task)
    kept = truth.notna().to_numpy()
    rows = frame.loc[kept].assign(**{target: truth[kept]}).reset_index(drop=True)
    if split is None:
        ordered = cap_rows(canonical_order(rows), target, task, row_cap, seed=seed)
        split = make_split(ordered, target, task, seed=seed, validation_share=shares[0], test_share=shares[1])
        parts, split_id = split.parts, split.split_id
    else:
        ordered, parts, split_id = rows, split.parts[kept], split.split_id
        if not kept.all():
            split_id = hashlib.sha256(split_id.encode() + np.packbits(kept).tobytes()).hexdigest()[: len(split_id)]
    ordered = ordered.reset_index(drop=True)
    _check_parts(ordered[target], parts, target, task)
    recipes, dropped = infer_columns(ordered.loc[parts == 0], target)
    if not recipes:
        reasons = "; ".join(f"{column}: {reason}" for column, reason in list(dropped.items())[:3])
        raise AutoMLError(f"no column but {target!r} can be learnt from" + (f" ({reasons})" if reasons else ""))
    safe_target = safe_names([str(column) for column in frame.columns])[target]
    ready = convert(ordered, recipes).assign(**{safe_target: ordered[target]})
    table = TaskTable(
        name=name,
        fingerprint=fingerprint,
        frame=ready,
        target=safe_target,
        task=task,
        features=tuple(Feature(column.feature, column.type, column.reason) for column in recipes),
        split=np.asarray(parts, dtype=np.int8),
        split_id=split_id,
        row_cap=row_cap,
        positive=(positive or columns.likely_positive(ordered[target])) if task == "binary" else None,
    )
    return ReadyTable(table, ordered, recipes, dropped, target, notes)


def check_target(frame: pd.DataFrame, target: str) -> None:
    """Raise ``AutoMLError`` when ``frame`` has no column ``target``."""
    with _faults_as_ours():
        columns.check_target(frame.columns, target)


def infer_task(frame: pd.DataFrame, target: str) -> Task:
    """Say what kind of task ``target`` is, as ``dataset_catalog.columns.infer_task`` does.

    Raises ``AutoMLError`` when the target is absent, missing everywhere, constant, or names its rows.
    """
    with _faults_as_ours():
        return columns.infer_task(frame, target)


def read_target(cells: pd.Series, target: str, task: Task) -> tuple[pd.Series, tuple[str, ...]]:
    """Return the target as ``task`` asks (float64, or class labels as strings; missing where there is none) and remarks for people."""
    texts = as_strings(cells)
    if task == "regression":
        truth: pd.Series = as_numbers(cells)
        levels = truth.nunique()
    else:
        truth, levels = texts, texts.nunique()
    with _faults_as_ours():
        columns.check_levels(levels, int(truth.notna().sum()), target)
    if task == "binary" and levels != 2:
        raise AutoMLError(f"target {target!r} has {levels} classes, and a binary task needs two; leave --task out, or say multiclass")
    notes = []
    missing, stray = int(texts.isna().sum()), int((texts.notna() & truth.isna()).sum())
    if missing:
        notes.append(f"{missing} rows without a target were dropped")
    if stray:
        notes.append(f"{stray} rows whose target is no number were dropped")
    return truth, tuple(notes)


@contextlib.contextmanager
def _faults_as_ours() -> Iterator[None]:
    try:
        yield
    except CatalogError as error:
        raise AutoMLError(str(error)) from None


def _check_parts(truth: pd.Series, parts: np.ndarray, target: str, task: Task) -> None:
    """Every score needs rows of its part, and a class score two classes among them."""
    for part, name in enumerate(("training", "validation", "test")):
        found = truth[parts == part]
        if found.empty:
            raise AutoMLError(f"the {name} part has no row with a target {target!r}: the table is too small")
        if task != "regression" and found.nunique() < 2:
            counts = ", ".join(f"{label!r} {count}" for label, count in truth.value_counts().head(3).items())
            raise AutoMLError(f"the {name} part holds one class of {target!r} alone: too few rows of the others (rows a class: {counts})")

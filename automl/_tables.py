"""From anybody's table and a target to a task table: task inferred, rows in canonical order, split fixed, features typed."""

from __future__ import annotations

import difflib
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from automl._cells import Column, as_numbers, as_strings, convert
from automl._columns import safe_names
from automl._errors import AutoMLError
from automl._features import infer_columns
from automl._trial import Feature, Task, TaskTable

if TYPE_CHECKING:
    from dataset_catalog import Split

FEWEST_ROWS = 20
_MOST_CLASSES = 1000
_LEVELS_OF_WHOLE_NUMBERS = 20
_MOSTLY = 0.9
_POSITIVE = ("1", "true", "yes", "y", "t", "positive", "pos", "bad", "default", "churn", "fraud")


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
    columns, dropped = infer_columns(ordered.loc[parts == 0], target)
    if not columns:
        reasons = "; ".join(f"{column}: {reason}" for column, reason in list(dropped.items())[:3])
        raise AutoMLError(f"no column but {target!r} can be learnt from" + (f" ({reasons})" if reasons else ""))
    safe_target = safe_names([str(column) for column in frame.columns])[target]
    ready = convert(ordered, columns).assign(**{safe_target: ordered[target]})
    table = TaskTable(
        name=name,
        fingerprint=fingerprint,
        frame=ready,
        target=safe_target,
        task=task,
        features=tuple(Feature(column.feature, column.type, column.reason) for column in columns),
        split=np.asarray(parts, dtype=np.int8),
        split_id=split_id,
        row_cap=row_cap,
        positive=(positive or _positive(ordered[target])) if task == "binary" else None,
    )
    return ReadyTable(table, ordered, columns, dropped, target, notes)


def check_target(frame: pd.DataFrame, target: str) -> None:
    """Raise ``AutoMLError`` when ``frame`` has no column ``target``, or a cell in it that is no single value."""
    names = [str(column) for column in frame.columns]
    if target not in names:
        folded = {name.casefold(): name for name in names}
        near = [folded[name] for name in difflib.get_close_matches(target.strip().casefold(), list(folded), n=1, cutoff=0.6)]
        meant = f"; did you mean {near[0]!r}?" if near else f"; it has {', '.join(map(repr, names[:8]))}{' …' if len(names) > 8 else ''}"
        raise AutoMLError(f"the table has no column {target!r}{meant}")


def infer_task(frame: pd.DataFrame, target: str) -> Task:
    """Say what kind of task ``target`` is.

    Two different values are ``binary``. Numbers are ``regression``, unless they are at most 20 different whole numbers that come up five
    times each on average. All else is ``multiclass``.

    Raises ``AutoMLError`` when the target is absent, missing everywhere, constant, or names its rows.
    """
    check_target(frame, target)
    cells = frame[target]
    texts = as_strings(cells).dropna()
    levels = texts.nunique()
    _check_levels(levels, len(texts), target)
    if levels == 2:
        return "binary"
    numbers = as_numbers(cells).dropna()
    if len(numbers) >= _MOSTLY * len(texts):
        whole = bool((numbers == np.floor(numbers)).all())
        few = numbers.nunique() <= _LEVELS_OF_WHOLE_NUMBERS and numbers.nunique() * 5 <= len(numbers)
        return "multiclass" if whole and few else "regression"
    if levels > _MOST_CLASSES or levels * 2 > len(texts):
        raise AutoMLError(f"target {target!r} holds {levels} different strings in {len(texts)} rows: neither classes nor numbers")
    return "multiclass"


def read_target(cells: pd.Series, target: str, task: Task) -> tuple[pd.Series, tuple[str, ...]]:
    """Return the target as ``task`` asks (float64, or class labels as strings; missing where there is none) and remarks for people."""
    texts = as_strings(cells)
    if task == "regression":
        truth: pd.Series = as_numbers(cells)
        levels = truth.nunique()
    else:
        truth, levels = texts, texts.nunique()
    _check_levels(levels, int(truth.notna().sum()), target)
    if task == "binary" and levels != 2:
        raise AutoMLError(f"target {target!r} has {levels} classes, and a binary task needs two; leave --task out, or say multiclass")
    notes = []
    missing, stray = int(texts.isna().sum()), int((texts.notna() & truth.isna()).sum())
    if missing:
        notes.append(f"{missing} rows without a target were dropped")
    if stray:
        notes.append(f"{stray} rows whose target is no number were dropped")
    return truth, tuple(notes)


def _check_levels(levels: int, count: int, target: str) -> None:
    if count == 0:
        raise AutoMLError(f"target {target!r} is missing in every row")
    if levels == 1:
        raise AutoMLError(f"target {target!r} is constant: there is nothing to learn")
    if count < FEWEST_ROWS:
        raise AutoMLError(f"only {count} rows have a target {target!r}; at least {FEWEST_ROWS} are needed")


def _check_parts(truth: pd.Series, parts: np.ndarray, target: str, task: Task) -> None:
    """Every score needs rows of its part, and a class score two classes among them."""
    for part, name in enumerate(("training", "validation", "test")):
        found = truth[parts == part]
        if found.empty:
            raise AutoMLError(f"the {name} part has no row with a target {target!r}: the table is too small")
        if task != "regression" and found.nunique() < 2:
            counts = ", ".join(f"{label!r} {count}" for label, count in truth.value_counts().head(3).items())
            raise AutoMLError(f"the {name} part holds one class of {target!r} alone: too few rows of the others (rows a class: {counts})")


def _positive(truth: pd.Series) -> str:
    """Choose the class that says yes; without one the rarer, the later in the alphabet among equals."""
    counts = truth.value_counts()
    for label in counts.index:
        if str(label).casefold() in _POSITIVE:
            return str(label)
    return str(min(counts.index, key=lambda label: (counts[label], [-ord(letter) for letter in str(label)])))

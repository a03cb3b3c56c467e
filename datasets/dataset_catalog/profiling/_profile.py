"""Profiles: the meta-features of a table, which neighbours are found by and models of time and memory are fitted to."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pandas as pd

from dataset_catalog._errors import CatalogError
from dataset_catalog.profiling._columns import facts
from dataset_catalog.profiling._fields import Profile
from dataset_catalog.profiling._figures import ratio, share
from dataset_catalog.profiling._landmarks import landmarks
from dataset_catalog.profiling._relations import correlations, informations
from dataset_catalog.profiling._rows import Rows, rows_of
from dataset_catalog.profiling._tallies import missingness, shapes, text_figures, types
from dataset_catalog.profiling._target import target_figures
from dataset_catalog.profiling._threads import one_thread

_SAMPLE_ROWS = 10_000
_SAMPLE_CELLS = 10_000_000
_FEWEST_SAMPLED = 500


def profile(frame: pd.DataFrame, target: str, task: str, *, ignore: Collection[str] = ()) -> Profile:
    """Profile ``frame`` as a table to predict ``target`` from, without the columns to ``ignore`` (those that part its rows).

    The same content gives the same profile, whatever the order of rows and columns, the width of dtypes and the number of processors.
    Rows without a target are left out. Counts, shares and moments are of all rows; correlations and information are of a sample of 10,000
    (fewer for more than 1,000 columns), landmarkers of 2,000 rows, drawn by content. Raises :class:`CatalogError` when there is no such
    target, no row that has one, no column beside it, or when two columns share a name.
    """
    if target not in frame.columns:
        raise CatalogError(f"there is no column {target!r} to profile against; the columns are {', '.join(map(str, frame.columns[:20]))}")
    positions = [at for at, name in enumerate(frame.columns) if name != target and name not in ignore]
    if not positions or len(frame) == 0:
        raise CatalogError(f"a profile needs a row and a column beside {target!r}")
    places = [at for at, name in enumerate(frame.columns) if name == target]
    if len(places) > 1:
        raise CatalogError(f"column names repeat: {target}; rename them so that each is named once")
    with one_thread():
        return _profiled(frame.iloc[:, sorted(positions, key=lambda at: str(frame.columns[at]))], frame.iloc[:, places[0]], task)


def _profiled(features: pd.DataFrame, targets: pd.Series, task: str) -> Profile:
    rows, goal = rows_of(features, targets, task)
    size = min(max(_SAMPLE_CELLS // features.shape[1], _FEWEST_SAMPLED), _SAMPLE_ROWS)
    sample = rows.order[:size]
    everyone = len(rows.kept) == len(features)
    columns = []
    for position, name in enumerate(features.columns):
        column = features.iloc[:, position]
        columns.append(facts(str(name), column if everyone else column.iloc[rows.kept], sample, of_text=task == "text_classification"))
    sampled = goal.at(sample)
    return Profile(
        **_sizes(rows, len(features), len(columns)),
        **types(columns),
        **missingness(columns, len(rows.kept)),
        **target_figures(goal),
        **shapes(columns),
        **correlations(columns),
        **informations(columns, sampled),
        **text_figures(columns),
        **landmarks(columns, sampled),
    )


def _sizes(rows: Rows, of: int, columns: int) -> dict[str, Any]:
    kept = len(rows.kept)
    return {
        "nr_inst": kept,
        "nr_attr": columns,
        "inst_to_attr": ratio(kept, columns),
        "attr_to_inst": ratio(columns, kept),
        "target_missing_share": share(of - kept, of),
        "repeated_row_share": share(kept - rows.distinct, kept),
    }

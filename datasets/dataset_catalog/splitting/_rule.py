"""A card's split rule, applied: which rows under a cap, and which part each belongs to."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from dataset_catalog._cards import SplitRule
from dataset_catalog._errors import CatalogError
from dataset_catalog.content import row_hashes
from dataset_catalog.splitting._groups import group_parts
from dataset_catalog.splitting._official import official_parts
from dataset_catalog.splitting._split import Split, cap_rows, capped_positions, make_split
from dataset_catalog.splitting._strata import Parts, strata_of
from dataset_catalog.splitting._times import time_parts


@dataclass(frozen=True, eq=False)
class PartedRows:
    """Rows with a target, without the column that parted them, an index without meaning, and their split."""

    frame: pd.DataFrame
    split: Split


def part_rows(
    frame: pd.DataFrame, target: str, task: str, rule: SplitRule, *, row_cap: int | None = None, seed: int | None = None
) -> PartedRows:
    """Part the rows of ``frame`` as ``rule`` says, at most ``row_cap`` of them; ``seed`` takes the place of the rule's own.

    A stratified split is of the rows under the cap. Under every other rule all rows are parted, and the cap draws from each part and each
    class its share afterwards: no row changes its part under a cap, official parts keep their proportions, time keeps its order, and groups
    are thinned rather than left out, so that each part holds as many of them as it can. Rows without a target are left out first.

    Raises :class:`CatalogError` when the rule's column is not there, when it does not part rows as the rule needs, and as
    :func:`make_split` does.
    """
    seed = rule.seed if seed is None else seed
    frame = frame[frame[target].notna()].reset_index(drop=True) if target in frame.columns else frame
    if rule.column is None:
        frame = cap_rows(frame, target, task, row_cap, seed=seed)
        return PartedRows(frame, _split(frame, target, task, rule, seed, None))
    if rule.column not in frame.columns or rule.column == target:
        raise CatalogError(f"the rows are to be parted by the column {rule.column!r}, which is none of the table's features")
    features = frame.drop(columns=rule.column)
    parts = _parts(frame, features, target, task, rule, rule.column, seed)
    kept = capped_positions(features, target, task, row_cap, seed=seed, parts=parts)
    if kept is not None:
        features, parts = features.iloc[kept].reset_index(drop=True), parts[kept]
    return PartedRows(features, _split(features, target, task, rule, seed, parts))


def _parts(frame: pd.DataFrame, features: pd.DataFrame, target: str, task: str, rule: SplitRule, column: str, seed: int) -> Parts:
    if rule.kind == "column":
        return _split(features, target, task, rule, seed, official_parts(frame[column])).parts
    if rule.kind == "time":
        return time_parts(frame[column], validation_share=rule.validation_share, test_share=rule.test_share)
    return group_parts(
        frame[column],
        strata_of(frame, target, task),
        row_hashes(frame),
        seed=seed,
        validation_share=rule.validation_share,
        test_share=rule.test_share,
    )


def _split(frame: pd.DataFrame, target: str, task: str, rule: SplitRule, seed: int, parts: Parts | None) -> Split:
    return make_split(frame, target, task, seed=seed, validation_share=rule.validation_share, test_share=rule.test_share, fixed=parts)

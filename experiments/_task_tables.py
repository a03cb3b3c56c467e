"""From a catalogued dataset to the table that every trial of it learns from, in sweeps and in validation alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from automl import TaskTable, make_task_table
from dataset_catalog import Dataset, Split, cap_rows, make_split
from experiments._errors import ExperimentError

if TYPE_CHECKING:
    import pandas as pd

_PARTS = {"training": 0, "validation": 1, "test": 2}


def task_table(dataset: Dataset, *, row_cap: int | None = None, seed: int = 0) -> TaskTable:
    """Return ``dataset`` with typed features, at most ``row_cap`` rows, and the split that its card rules.

    ``seed`` is added to the card's own, and draws rows under a cap too: 0 takes the card's split as it is. A card that parts its rows by
    a column keeps those parts; the column is no feature, and where it names no validation row, the card's share of the training rows is
    taken.

    Raises:
        ExperimentError: the card's column holds something else than training, validation and test, or is not there.
        AutoMLError: the table cannot be learnt from.

    """
    card = dataset.card
    seed += card.split.seed
    frame, split = dataset.frame, None
    if card.split.kind == "column":
        frame, split = _parted(dataset, row_cap, seed)
    return make_task_table(
        frame,
        card.target,
        name=card.name,
        task=card.task,
        seed=seed,
        row_cap=row_cap,
        split=split,
        shares=(card.split.validation_share, card.split.test_share),
        fingerprint=dataset.fingerprint,
        positive=card.positive,
    )


def _parted(dataset: Dataset, row_cap: int | None, seed: int) -> tuple[pd.DataFrame, Split]:
    card = dataset.card
    rule, frame = card.split, dataset.frame
    if rule.column is None or rule.column not in frame.columns or rule.column == card.target:
        raise ExperimentError(f"{card.name}: its card splits by the column {rule.column!r}, which is none of the table's features")
    frame = cap_rows(frame[frame[card.target].notna()], card.target, card.task, row_cap, seed=seed).reset_index(drop=True)
    parts = frame[rule.column].map(_PARTS)
    if parts.isna().any():
        stray = frame.loc[parts.isna(), rule.column].iloc[0]
        raise ExperimentError(f"{card.name}: {rule.column!r} holds {stray!r}; it parts rows by training, validation and test alone")
    features = frame.drop(columns=rule.column)
    split = make_split(
        features,
        card.target,
        card.task,
        seed=seed,
        validation_share=rule.validation_share,
        test_share=rule.test_share,
        fixed=parts.to_numpy(dtype="int8"),
    )
    return features, split

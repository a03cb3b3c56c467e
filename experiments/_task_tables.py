"""From a catalogued dataset to the table that every trial of it learns from, in sweeps and in validation alike."""

from __future__ import annotations

from automl import TaskTable, make_task_table
from dataset_catalog import Dataset


def task_table(dataset: Dataset, *, row_cap: int | None = None, seed: int = 0) -> TaskTable:
    """Return ``dataset`` with typed features and a fixed split: at most ``row_cap`` rows, drawn and split under ``seed``.

    Raises ``automl.AutoMLError`` when the table cannot be learnt from.
    """
    card = dataset.card
    return make_task_table(
        dataset.frame,
        card.target,
        name=card.name,
        task=card.task,
        seed=seed,
        row_cap=row_cap,
        fingerprint=dataset.fingerprint,
        positive=card.positive,
    )

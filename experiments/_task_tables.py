"""From a catalogued dataset to the table that every trial of it learns from, in sweeps and in validation alike."""

from __future__ import annotations

from automl import TaskTable, make_task_table
from dataset_catalog import Dataset, part_rows


def task_table(dataset: Dataset, *, row_cap: int | None = None, seed: int = 0) -> TaskTable:
    """Return ``dataset`` with typed features, at most ``row_cap`` rows, and the split that its card rules.

    ``seed`` is added to the card's own, and draws rows under a cap too: 0 takes the card's split as it is. The column of an official split,
    of groups or of times is no feature; see ``dataset_catalog.part_rows`` for what each rule does, under a cap too.

    Raises:
        CatalogError: the card's column does not part the rows as its rule needs, or is not there.
        AutoMLError: the table cannot be learnt from.

    """
    card = dataset.card
    seed += card.split.seed
    frame, split = dataset.frame, None
    if card.split.kind != "stratified":
        parted = part_rows(frame, card.target, card.task, card.split, row_cap=row_cap, seed=seed)
        frame, split = parted.frame, parted.split
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

"""Preprocessing, done once: Ludwig's processed arrays and metadata, memoised on disk, fitted to training rows alone."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from automl._errors import AutoMLError, MachineError
from automl._frames import table_frame
from automl._identity import digest, table_parts
from automl._ludwig import ludwig_model
from automl._preparation_store import PARTS, PreparedStore
from automl._prepared import Prepared
from automl._rendering import SPLIT_COLUMN, preprocessing_part
from automl._trial import TaskTable


def preparation_key(table: TaskTable, config: Mapping[str, Any]) -> str:
    """Return the hash of all that decides preprocessing: dataset, target, split, row cap, feature configuration, versions.

    The seed, the trainer's and the combiner's hyperparameters, the dataset's name and the order of rows in its file are no part of it.
    """
    return digest(table_parts(table) | {"preprocessing": preprocessing_part(config)})


def prepare(
    table: TaskTable, config: Mapping[str, Any], root: Path, *, max_age: float | None = None, limit: float | None = None
) -> Prepared:
    """Return ``table`` preprocessed under ``config``, from ``root`` where it stands there whole and is younger than ``max_age`` seconds.

    Several processes may ask at once: one prepares, the others wait and read. A folder that is torn or altered is prepared anew. What is
    returned keeps its folder from being evicted for as long as it lives; what was not used for longest goes when all folders together
    take more than ``limit`` bytes. The defaults of both are :class:`PreparedStore`'s.

    Raises:
        AutoMLError: a part of the split is empty, or Ludwig cannot read the table.
        MachineError: what was written cannot be read back.

    """
    started = time.monotonic()
    store, key = PreparedStore(root, max_age=max_age, limit=limit), preparation_key(table, config)
    use = store.hold(key)
    found = store.read(key)
    hit = found is not None
    if found is None:
        with store.writing(key):
            found = store.read(key)
            hit = found is not None
            if found is None:
                store.write(key, *_preprocess(table, config), {"dataset": table.name} | table_parts(table))
                found = store.read(key, any_age=True)
        if not hit:
            store.evict()
    if found is None:
        raise MachineError(f"{root / key}: prepared data were written but cannot be read back; is the disk full?")
    arrays, metadata = found
    return Prepared(key, arrays, metadata, hit, time.monotonic() - started, use)


def _preprocess(table: TaskTable, config: Mapping[str, Any]) -> tuple[tuple[Mapping[str, np.ndarray], ...], dict[str, Any]]:
    """Fit metadata to the training rows, then apply it to all three parts: by itself Ludwig fits it to test rows too."""
    frame = table_frame(table)
    parts = [frame[table.split == number].reset_index(drop=True) for number in range(3)]
    for name, part in zip(PARTS, parts, strict=True):
        if part.empty:
            raise AutoMLError(f"{table.name}: the {name} part has no row; the table is too small to learn from")
    fitted = ludwig_model(config).preprocess(dataset=parts[0].assign(**{SPLIT_COLUMN: 0}), skip_save_processed_input=True)
    applied = ludwig_model(config).preprocess(
        training_set=parts[0],
        validation_set=parts[1],
        test_set=parts[2],
        training_set_metadata=fitted.training_set_metadata,
        skip_save_processed_input=True,
    )
    arrays = tuple(dict(each.dataset) for each in (applied.training_set, applied.validation_set, applied.test_set))
    for name, part, processed in zip(PARTS, parts, arrays, strict=True):
        rows = {len(array) for array in processed.values()}
        if rows != {len(part)}:
            raise AutoMLError(f"{table.name}: Ludwig kept {sorted(rows)} of the {len(part)} rows of the {name} part")
    metadata = dict(applied.training_set_metadata)
    metadata.pop("checksum", None)  # of all rows, for a cache of Ludwig's own that is not used here
    return arrays, metadata

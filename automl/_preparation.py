"""Preprocessing, done once: Ludwig's processed arrays and metadata, memoised on disk, fitted to training rows alone."""

from __future__ import annotations

import hashlib
import json
import logging
import math
import os
import shutil
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock

from automl._errors import AutoMLError
from automl._frames import table_frame
from automl._identity import ENGINE_VERSION, engine_versions
from automl._ludwig import ludwig_model
from automl._prepared import Prepared
from automl._rendering import SPLIT_COLUMN, preprocessing_part
from automl._trial import TaskTable

MAX_AGE_SECONDS = 30 * 24 * 3600.0
_PARTS = ("training", "validation", "test")
_METADATA = "metadata.json"
_SUMS = "checksums.json"
_log = logging.getLogger(__name__)


def preparation_key(table: TaskTable, config: Mapping[str, Any]) -> str:
    """Return the hash of all that decides preprocessing: dataset, target, split, row cap, feature configuration, versions."""
    parts = {
        "fingerprint": table.fingerprint,
        "target": table.target,
        "task": table.task,
        "row_cap": table.row_cap,
        "split_id": table.split_id,
        "preprocessing": preprocessing_part(config),
        "engine": ENGINE_VERSION,
        "ludwig": engine_versions()["ludwig"],
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:32]


def prepare(table: TaskTable, config: Mapping[str, Any], root: Path, *, max_age: float = MAX_AGE_SECONDS) -> Prepared:
    """Return ``table`` preprocessed under ``config``, from ``root`` where it stands there whole and is younger than ``max_age`` seconds.

    Several processes may ask at once: one prepares, the others wait and read. A folder that is torn or altered is prepared anew.

    Raises:
        AutoMLError: a part of the split is empty, or Ludwig cannot read the table.

    """
    started = time.monotonic()
    key = preparation_key(table, config)
    folder = root / key
    found = _read(folder, max_age)
    hit = found is not None
    if found is None:
        root.mkdir(parents=True, exist_ok=True)
        with FileLock(root / f"{key}.lock"):
            found = _read(folder, max_age)
            hit = found is not None
            if found is None:
                _write(folder, *_preprocess(table, config))
                found = _read(folder, math.inf)
    if found is None:
        raise AutoMLError(f"{folder}: prepared data were written but cannot be read back; is the disk full?")
    arrays, metadata = found
    return Prepared(key, arrays, metadata, hit, time.monotonic() - started)


def _preprocess(table: TaskTable, config: Mapping[str, Any]) -> tuple[tuple[Mapping[str, np.ndarray], ...], dict[str, Any]]:
    """Fit metadata to the training rows, then apply it to all three parts: by itself Ludwig fits it to test rows too."""
    frame = table_frame(table)
    parts = [frame[table.split == number].reset_index(drop=True) for number in range(3)]
    for name, part in zip(_PARTS, parts, strict=True):
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
    for name, part, processed in zip(_PARTS, parts, arrays, strict=True):
        rows = {len(array) for array in processed.values()}
        if rows != {len(part)}:
            raise AutoMLError(f"{table.name}: Ludwig kept {sorted(rows)} of the {len(part)} rows of the {name} part")
    metadata = dict(applied.training_set_metadata)
    metadata.pop("checksum", None)  # of all rows, for a cache of Ludwig's own that is not used here
    return arrays, metadata


def _write(folder: Path, arrays: tuple[Mapping[str, np.ndarray], ...], metadata: Mapping[str, Any]) -> None:
    """Write everything beside the place, then move it there: a reader sees all of it or nothing."""
    from ludwig.utils.data_utils import NumpyEncoder

    for left in folder.parent.glob(f".{folder.name}-*"):
        shutil.rmtree(left, ignore_errors=True)  # the lock is ours: whoever wrote this was killed
    draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        for name, part in zip(_PARTS, arrays, strict=True):
            with (draft / f"{name}.npz").open("wb") as file:
                np.savez(file, **{column: _plain(array) for column, array in part.items()})  # type: ignore[arg-type]
        (draft / _METADATA).write_text(json.dumps(metadata, cls=NumpyEncoder, sort_keys=True), encoding="utf-8")
        names = [f"{name}.npz" for name in _PARTS] + [_METADATA]
        sums = {name: hashlib.sha256((draft / name).read_bytes()).hexdigest() for name in names}
        (draft / _SUMS).write_text(json.dumps(sums, sort_keys=True), encoding="utf-8")
        for name in [*names, _SUMS]:
            _sync(draft / name)
        if folder.exists():
            shutil.rmtree(folder)
        draft.rename(folder)
        _sync(folder.parent)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _plain(array: np.ndarray) -> np.ndarray:
    """Text and date columns come as objects holding equal-length vectors: make one array of them, since no pickle is read back."""
    return np.stack([np.asarray(row) for row in array]) if array.dtype == object else array


def _read(folder: Path, max_age: float) -> tuple[Any, dict[str, Any]] | None:
    try:
        sums_file = folder / _SUMS
        if time.time() - sums_file.stat().st_mtime > max_age:
            return None
        sums = json.loads(sums_file.read_text(encoding="utf-8"))
        altered = [name for name, digest in sums.items() if hashlib.sha256((folder / Path(name).name).read_bytes()).hexdigest() != digest]
        if altered:
            _log.warning("%s: prepared data were altered (%s); preparing anew", folder, ", ".join(altered))
            return None
        arrays = tuple(_load(folder / f"{name}.npz") for name in _PARTS)
        return arrays, json.loads((folder / _METADATA).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as fault:  # the last two: JSON of another shape
        _log.warning("%s: prepared data are torn (%s); preparing anew", folder, fault)
        return None


def _load(path: Path) -> dict[str, np.ndarray]:
    with np.load(path, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

"""Parts: many settled records of a sweep in one Parquet file, written once, never changed.

A part has one row a trial: ``trial_id``, ``dataset``, ``model_type``, ``seed``, ``status``, ``validation_score`` for other people's tools,
and ``record``, the JSON text that the worker wrote. Its name ends in the beginning of a SHA-256 of its records.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from experiments._whole_files import put
from mining import TrialRecord

_COLUMNS = ("dataset", "model_type", "seed", "status", "validation_score")
_REQUIRED = frozenset(name for name, field in TrialRecord.model_fields.items() if field.is_required())
_ROWS_A_GROUP = 100
_KEPT_INDICES = 512


def is_whole(trial_id: str, content: bytes) -> bool:
    """Say whether ``content`` is the whole record of ``trial_id``, without validating it: every record was valid when it was written."""
    try:
        record = json.loads(content)
    except ValueError:
        return False
    return isinstance(record, dict) and record.get("trial_id") == trial_id and record.keys() >= _REQUIRED


def write_part(folder: Path, records: Mapping[str, bytes]) -> Path:
    """Write records, each trial's id with the bytes of its file, as one part of ``folder``, flushed to disk."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    ids = sorted(records)
    texts = [records[trial_id].decode() for trial_id in ids]
    parsed = [json.loads(text) for text in texts]
    columns: dict[str, list[Any]] = {name: [record[name] for record in parsed] for name in _COLUMNS}
    buffer = io.BytesIO()
    table = pa.table({"trial_id": ids, **columns, "record": texts})
    pq.write_table(table, buffer, compression="zstd", row_group_size=_ROWS_A_GROUP)
    path = folder / f"{ids[0][:8]}-{len(ids)}-{_digest(texts)}.parquet"
    put(path, buffer.getvalue())
    return path


def part_files(folder: Path) -> list[Path]:
    """Return the parts of a sweep's folder of parts."""
    try:
        names = os.listdir(folder)  # noqa: PTH208 - called for each record that is appended
    except FileNotFoundError:
        return []
    return [folder / name for name in sorted(names) if name.endswith(".parquet") and not name.startswith(".")]


def trials_of(part: Path) -> Mapping[str, int]:
    """Return the ids in a part, each with its row; empty when the part cannot be read. Kept in memory: a name stands for one content."""
    try:
        return _index(str(part))
    except (OSError, ValueError, KeyError):  # pyarrow's errors are these
        return MappingProxyType({})


def find_in(parts: Sequence[Path], trial_id: str) -> TrialRecord | None:
    """Return the record of ``trial_id`` from the first part that holds it."""
    for part in parts:
        row = trials_of(part).get(trial_id)
        if row is not None and (record := _row(part, row)) is not None:
            return record
    return None


def read_part(part: Path, wanted: Collection[str] | None = None, without: Collection[str] = ()) -> Iterator[TrialRecord]:
    """Yield the records of a part: of the trials in ``wanted``, but for those in ``without``. The others are not even parsed.

    Raises ``ValueError`` (or ``OSError``) when the part is torn or was altered.
    """
    import pyarrow.parquet as pq

    known = trials_of(part)
    if known and not any(trial_id not in without and (wanted is None or trial_id in wanted) for trial_id in known):
        return
    table = pq.read_table(part, columns=["trial_id", "record"])
    texts = table["record"].to_pylist()
    if part.stem.rpartition("-")[2] != _digest(texts):
        raise ValueError(f"{part} was altered")
    for trial_id, text in zip(table["trial_id"].to_pylist(), texts, strict=True):
        if trial_id not in without and (wanted is None or trial_id in wanted):
            yield TrialRecord.model_validate_json(text)


def _row(part: Path, row: int) -> TrialRecord | None:
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(part) as file:
            group = file.read_row_group(row // _ROWS_A_GROUP, columns=["record"])
        return TrialRecord.model_validate_json(group["record"][row % _ROWS_A_GROUP].as_py())
    except (OSError, ValueError, IndexError, ValidationError):
        return None


@lru_cache(maxsize=_KEPT_INDICES)
def _index(part: str) -> Mapping[str, int]:
    import pyarrow.parquet as pq

    ids = pq.read_table(part, columns=["trial_id"])["trial_id"].to_pylist()
    return MappingProxyType({trial_id: row for row, trial_id in enumerate(ids)})


def _digest(texts: Sequence[str]) -> str:
    digest = hashlib.sha256()
    for text in texts:
        digest.update(len(text).to_bytes(8, "big"))
        digest.update(text.encode())
    return digest.hexdigest()[:16]

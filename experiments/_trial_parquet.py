"""Trials in Parquet: one row a trial, all that its record holds, in few bytes."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from pydantic import BaseModel

from mining import PARAMETER_PREFIX, CurvePoint, TrialRecord

if TYPE_CHECKING:
    import pyarrow as pa

Kind = Literal["text", "json", "whole", "real", "time", "points"]
CONTENT_KEY = b"lode.content"
"""Where a file keeps the hash of its content: damage to the names of columns shows in no checksum of a page."""
_LEVEL = 15
_PAGE_BYTES = 2**23


def kinds(model: type[BaseModel] = TrialRecord) -> dict[str, Kind]:
    """Return how each field of ``model`` stands in a column; the hyperparameters of a trial have columns of their own (``json``)."""
    found: dict[str, Kind] = {}
    for name, field in model.model_fields.items():
        origin, options = get_origin(field.annotation), get_args(field.annotation)
        if origin is tuple:
            found[name] = "points"
        elif origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
            found[name] = "json"
        else:
            plain: dict[object, Kind] = {int: "whole", float: "real", datetime: "time"}
            found[name] = next((plain[each] for each in (field.annotation, *options) if each in plain), "text")
    found.pop("hyperparameters", None)
    return found


def table_bytes(records: Iterable[TrialRecord]) -> bytes:
    """Return ``records``, ordered by trial id, as a Parquet file from which every one of them can be read back equal.

    The columns are the fields of a record and one ``param.*`` column a hyperparameter, a JSON text each, since one column may mix types
    (none: the trial lacks it). ``versions`` and ``extra_scores`` are JSON texts, too; ``curve`` is a list of structures.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    ordered = sorted(records, key=lambda each: each.trial_id)
    columns = {name: _column(kind, [getattr(each, name) for each in ordered]) for name, kind in kinds().items()}
    for name in sorted({name for each in ordered for name in each.hyperparameters}):
        cells = [_text(each.hyperparameters[name]) if name in each.hyperparameters else None for each in ordered]
        columns[PARAMETER_PREFIX + name] = pa.array(cells, pa.string())
    table, buffer = pa.table(columns), io.BytesIO()
    with pq.ParquetWriter(
        buffer,
        table.schema,
        compression="zstd",
        compression_level=_LEVEL,
        use_dictionary=[field.name for field in table.schema if kind_of(field.type) == "text"],  # few numbers come twice
        data_page_size=_PAGE_BYTES,  # alike texts (configurations, above all) are pressed together
        dictionary_pagesize_limit=_PAGE_BYTES,
        write_statistics=False,
        store_schema=False,
        write_page_checksum=True,
    ) as writer:
        writer.write_table(table)
        content = ContentHash()
        for row in table.to_pylist():
            content.add(row)
        writer.add_key_value_metadata({CONTENT_KEY.decode(): content.told.decode()})
    return buffer.getvalue()


class ContentHash:
    """A hash of the rows of a table, by the names and values of their cells, however a file lays them out."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def add(self, cells: Mapping[str, Any]) -> None:
        """Go on with the next row."""
        self._hash.update(json.dumps(cells, sort_keys=True, default=datetime.isoformat).encode())

    @property
    def told(self) -> bytes:
        """The hash of what was added so far."""
        return self._hash.hexdigest()[:32].encode()


def kind_of(column: pa.DataType) -> str:
    """Name what a column of a file holds: ``text``, ``whole``, ``real``, ``time`` (with its unit), ``points``, or else its Arrow type."""
    import pyarrow as pa

    if pa.types.is_dictionary(column):
        column = column.value_type
    if pa.types.is_timestamp(column):
        return f"time in {column.unit}"
    if pa.types.is_list(column) or pa.types.is_large_list(column):
        return "points" if pa.types.is_struct(column.value_type) else str(column)
    known = {"text": (pa.types.is_string, pa.types.is_large_string), "whole": (pa.types.is_integer,), "real": (pa.types.is_floating,)}
    return next((kind for kind, tests in known.items() if any(test(column) for test in tests)), str(column))


def _column(kind: Kind, values: list[Any]) -> pa.Array:
    import pyarrow as pa

    if kind == "points":
        fields = [(name, _plain_type(kind)) for name, kind in kinds(CurvePoint).items()]
        return pa.array([[dict(point) for point in curve] for curve in values], pa.list_(pa.struct(fields)))
    if kind == "json":
        return pa.array([_text(dict(value)) for value in values], pa.string())
    if kind == "time" and any(each.tzinfo is None for each in values):  # a moment without a zone is no moment
        return pa.array([each.isoformat() for each in values], pa.string())
    return pa.array(values, _plain_type(kind))


def _plain_type(kind: Kind) -> pa.DataType:
    import pyarrow as pa

    return {"whole": pa.int64(), "real": pa.float64(), "time": pa.timestamp("us", tz="UTC")}.get(kind, pa.string())


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

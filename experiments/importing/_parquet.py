"""Reads trials from Parquet, as ``lode trials export X.parquet`` writes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from pydantic import ValidationError
from pydantic_core import from_json

from experiments._errors import ExperimentError
from experiments._trial_parquet import COLUMNS_KEY, Kind, columns_hash, kind_of, kinds
from experiments.importing import _rows
from experiments.importing._rows import Row, RowError, check_rows, fault, shown
from mining import PARAMETER_PREFIX, TrialRecord

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

_BATCH = 256
_MOST_COLUMNS = 2_000
_MOST_CELLS = 100_000_000
_MOST_UNPACKED = 4 * 2**30
_JSON = frozenset(name for name, kind in kinds().items() if kind == "json")
_HOLDS: dict[Kind, tuple[str, ...]] = {
    "text": ("text", "null"),
    "json": ("text", "null"),
    "whole": ("whole", "real", "null"),  # pandas makes real numbers of whole ones where some are missing
    "real": ("real", "whole", "null"),
    "time": ("time in us", "time in ns", "text"),
    "points": ("points",),
}


def read_parquet(path: Path) -> Iterator[Row]:
    """Yield the trials of ``path``, in its order.

    Raises :class:`ExperimentError` for a file that is damaged or no Parquet, lacks a column or has one that no trial has, or is too large.
    """
    import pyarrow as pa

    with path.open("rb") as source:
        try:
            yield from _read(path, source)
        except (pa.ArrowException, OSError, ValueError, LookupError, OverflowError) as error:
            raise ExperimentError(
                f"{path}: no Parquet file that can be read to its end: it is damaged, cut off, or something else; export the trials again"
            ) from error


def _read(path: Path, source: BinaryIO) -> Iterator[Row]:
    import pyarrow.parquet as pq

    schema = pq.read_schema(source)
    texts = [field.name for field in schema if kind_of(field.type) == "text"]
    source.seek(0)
    # as dictionaries, so that a text which is repeated a million times is in memory once
    file = pq.ParquetFile(source, read_dictionary=texts, page_checksum_verification=True)
    _check_columns(path, schema)
    _check_amount(path, file.metadata)
    number = 0
    for batch in file.iter_batches(batch_size=_BATCH):
        columns = {name: _cells(path, batch.column(place)) for place, name in enumerate(batch.schema.names)}
        for place in range(batch.num_rows):
            number += 1
            yield _row(number, {name: cells[place] for name, cells in columns.items()})
    if number != file.metadata.num_rows:
        raise ValueError("rows are missing")


def _check_columns(path: Path, schema: pa.Schema) -> None:
    wanted, found = kinds(), {field.name: kind_of(field.type) for field in schema}
    if len(found) < len(schema):
        raise ExperimentError(f"{path}: it has a column twice")
    if missing := [name for name in wanted if name not in found]:
        raise ExperimentError(f"{path}: it lacks the column {missing[0]}, without which trials are not whole; export them again")
    for name, held in found.items():
        if name not in wanted and not name.startswith(PARAMETER_PREFIX):
            raise ExperimentError(f"{path}: no trial has a column {shown(name)!r}")
        if held not in _HOLDS[wanted.get(name, "json")]:
            raise ExperimentError(f"{path}: the column {shown(name)} holds {shown(held)}, not what a trial has there")
    if (schema.metadata or {}).get(COLUMNS_KEY, columns_hash(schema)) != columns_hash(schema):
        raise ExperimentError(
            f"{path}: its columns are not those that were written: it is damaged, or was changed; export the trials again"
        )


def _check_amount(path: Path, metadata: pq.FileMetaData) -> None:
    """Refuse what would not fit into memory, by what the file itself tells of its sizes."""
    check_rows(path, metadata.num_rows)
    groups = [metadata.row_group(place) for place in range(metadata.num_row_groups)]
    chunks = [group.column(place) for group in groups for place in range(min(group.num_columns, _MOST_COLUMNS + 1))]
    unpacked, cells = sum(each.total_uncompressed_size for each in chunks), max((each.num_values for each in chunks), default=0)
    if metadata.num_columns > _MOST_COLUMNS or unpacked > _MOST_UNPACKED or cells > _MOST_CELLS:
        told = f"{metadata.num_columns:,} columns, {unpacked:,} bytes unpacked, {cells:,} values in one column"
        raise ExperimentError(f"{path}: too large to be read ({told}); export fewer sweeps at a time (--sweep)")


def _cells(path: Path, column: pa.Array) -> list[Any]:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not isinstance(column, pa.DictionaryArray):
        plain: list[Any] = column.to_pylist()
        return plain
    longest = pc.max(pc.binary_length(column.dictionary)).as_py() or 0
    if longest > _rows.LONGEST_ROW:
        raise ExperimentError(f"{path}: a text of {longest:,} bytes; no trial has more than {_rows.LONGEST_ROW:,}")
    texts = column.dictionary.to_pylist()
    return [None if place is None else texts[place] for place in column.indices.to_pylist()]


def _row(number: int, cells: Mapping[str, Any]) -> Row:
    content: dict[str, Any] = {"hyperparameters": {}}
    try:
        for name, cell in cells.items():
            if not name.startswith(PARAMETER_PREFIX):
                content[name] = _parsed(name, cell) if name in _JSON else cell
            elif cell is not None:
                content["hyperparameters"][name.removeprefix(PARAMETER_PREFIX)] = _parsed(name, cell)
        return Row(number, TrialRecord.model_validate(content))
    except ValidationError as error:
        return Row(number, None, fault(error))
    except RowError as error:
        return Row(number, None, str(error))


def _parsed(name: str, text: str | None) -> object:
    try:
        return None if text is None else from_json(text)
    except ValueError:
        raise RowError(shown(f"{name}: {text!r} is no JSON")) from None

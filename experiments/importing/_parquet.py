"""Reads trials from Parquet, as ``lode trials export X.parquet`` writes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from experiments._errors import ExperimentError
from experiments._trial_parquet import CONTENT_KEY, ContentHash, Kind, kind_of, kinds
from experiments.importing import _rows
from experiments.importing._opening import TooLargeError, read_batches, whole_and_fit
from experiments.importing._rows import Row, RowError, check_rows, fault, shown
from mining import PARAMETER_PREFIX, TrialRecord

if TYPE_CHECKING:
    import pyarrow as pa

_ANY: TypeAdapter[object] = TypeAdapter(object)
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

    with path.open("rb"):
        pass  # what keeps us from reading it at all is said as it is
    damaged = f"{path}: no Parquet file that can be read to its end: it is damaged, cut off, or something else; export the trials again"
    try:
        if not whole_and_fit(path):
            raise ExperimentError(damaged)
        yield from _read(path)
    except TooLargeError:
        raise ExperimentError(f"{path}: more columns, or larger ones, than trials have; export fewer sweeps at a time (--sweep)") from None
    except (pa.ArrowException, OSError, ValueError, LookupError, OverflowError) as error:
        raise ExperimentError(damaged) from error


def _read(path: Path) -> Iterator[Row]:
    schema, rows, batches = read_batches(path)
    _check_columns(path, schema)
    check_rows(path, rows)
    content, number = ContentHash(), 0
    for batch in batches:
        columns = {name: _cells(path, batch.column(place)) for place, name in enumerate(batch.schema.names)}
        for place in range(batch.num_rows):
            number += 1
            cells = {name: each[place] for name, each in columns.items()}
            content.add(cells)
            yield _row(number, cells)
    if number != rows or (schema.metadata or {}).get(CONTENT_KEY, content.told) != content.told:
        raise ExperimentError(f"{path}: its content is not what was exported: it is damaged, or was changed; export the trials again")


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
        return None if text is None else _ANY.validate_json(text)
    except ValueError:
        raise RowError(shown(f"{name}: {text!r} is no JSON")) from None

"""Parquet, Arrow (Feather) and ORC files to a table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from dataset_catalog._errors import CatalogError

_MAGICS = {b"PAR1": "Parquet", b"PARE": "Parquet", b"ARROW1": "Arrow", b"ORC": "ORC"}


def columnar_format(content: bytes) -> str | None:
    """Return the format that the first bytes tell, or ``None`` when it is none of these."""
    return next((name for magic, name in _MAGICS.items() if content.startswith(magic)), None)


def read_columnar(content: bytes, path: Path, name: str) -> pd.DataFrame:
    """Read ``content``, which is of the format ``name``. Columns of one name, and an index that was kept, stay columns.

    Raises :class:`CatalogError` when it is damaged, locked, or holds what pandas has no place for.
    """
    import pyarrow as pa

    if content.startswith(b"PARE"):
        raise CatalogError(f"{path}: the Parquet file is encrypted; save it without")
    try:
        table = _READERS[name](pa.BufferReader(content))
        table.validate(full=True)  # offsets that lead nowhere would be followed, text that is none would be found out later
        return _framed(table)
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        said = (str(error).splitlines() or [type(error).__name__])[0]
        raise CatalogError(f"{path}: the {name} file is damaged or of an unknown kind: {said}") from None


def _framed(table: Any) -> pd.DataFrame:
    """Whole numbers with missing ones stay whole numbers: as doubles, long identities would lose their last digits."""
    names = table.column_names
    if len(set(names)) < len(names):  # pandas' own notes in the file find columns by name
        numbered = table.replace_schema_metadata(None).rename_columns([str(position) for position in range(len(names))])
        repeated: pd.DataFrame = numbered.to_pandas(integer_object_nulls=True).set_axis(names, axis=1)
        return repeated
    try:
        frame: pd.DataFrame = table.to_pandas(integer_object_nulls=True)
    except (KeyError, TypeError, ValueError, AttributeError):  # pandas' notes are damaged; the table need not be
        frame = table.replace_schema_metadata(None).to_pandas(integer_object_nulls=True)
    named = [name for name in frame.index.names if name is not None]
    return frame.reset_index(level=named) if named else frame


def _parquet(source: Any) -> Any:
    import pyarrow.parquet as pq

    return pq.ParquetFile(source).read()


def _arrow(source: Any) -> Any:
    import pyarrow as pa

    return pa.ipc.open_file(source).read_all()


def _orc(source: Any) -> Any:
    import pyarrow.orc as orc

    return orc.ORCFile(source).read()


_READERS: dict[str, Callable[[Any], Any]] = {"Parquet": _parquet, "Arrow": _arrow, "ORC": _orc}

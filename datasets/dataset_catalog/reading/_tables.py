"""Anybody's file to a table: CSV and its relatives, Parquet, JSON lines, each perhaps compressed by gzip."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from pathlib import Path
from typing import Any

import pandas as pd

from dataset_catalog._errors import CatalogError
from dataset_catalog.reading._delimited import read_delimited
from dataset_catalog.reading._plain import plain

NOTES = "notes"
_KNOWN = {b"PK\x03\x04": "a zip archive or a spreadsheet", b"\xd0\xcf\x11\xe0": "an old spreadsheet", b"%PDF": "a PDF document"}


def read_table(path: Path) -> pd.DataFrame:
    """Read the table in ``path`` with plain dtypes (see :func:`plain`), rows in the order of the file.

    CSV, TSV and texts parted by ``;`` or ``|`` (UTF-8 with or without its mark, UTF-16, else Latin-1; any line ends), Parquet and JSON
    lines, each perhaps compressed by gzip; the content decides, the file's name only helps. A column keeps its cells as they are
    written unless each of them is a number (or a truth value). What was changed or guessed is told in :func:`table_notes`.

    Raises :class:`CatalogError`, one line, for whatever keeps the file from being a table: it is not there, a folder, empty, a header
    without rows, not a table at all, or a row has more or fewer cells than the header.
    """
    path = Path(path)
    content = _content(path)
    notes: list[str] = []
    try:
        if content.startswith(b"PAR1"):
            frame = _parquet(content, path)
        else:
            text = _text(content, path, notes)
            lines = _is_json(text, path)
            frame = _json_lines(text, path) if lines else read_delimited(text, path, notes)
    except MemoryError:
        raise CatalogError(f"{path}: the table does not fit into memory") from None
    if frame.shape[1] == 0 or len(frame) == 0:
        raise CatalogError(f"{path}: the table has {frame.shape[1]} columns and {len(frame)} rows; at least one of each is needed")
    frame.columns = pd.Index(_distinct([str(name) for name in frame.columns], notes), dtype=object)
    frame = plain(frame.reset_index(drop=True))
    frame.attrs[NOTES] = tuple(notes)
    return frame


def table_notes(frame: pd.DataFrame) -> tuple[str, ...]:
    """Return what :func:`read_table` changed or guessed, one sentence each; empty for any other frame."""
    return tuple(frame.attrs.get(NOTES, ()))


def _content(path: Path) -> bytes:
    if path.is_dir():
        raise CatalogError(f"{path}: is a folder; name a file in it")
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise CatalogError(f"{path}: no such file") from None
    except (OSError, ValueError) as error:
        raise CatalogError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from None
    if content.startswith(b"\x1f\x8b"):
        try:
            content = gzip.decompress(content)
        except (EOFError, OSError, zlib.error):
            raise CatalogError(f"{path}: the gzip stream is damaged or cut short; fetch the file again") from None
    if not content.strip(b"\x00 \t\r\n\xef\xbb\xbf"):
        raise CatalogError(f"{path}: the file is empty")
    return content


def _parquet(content: bytes, path: Path) -> pd.DataFrame:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(io.BytesIO(content)).read()
        names = table.column_names
        if len(set(names)) < len(names):  # pandas' own notes in the file find columns by name
            numbered = table.replace_schema_metadata(None).rename_columns([str(position) for position in range(len(names))])
            repeated: pd.DataFrame = numbered.to_pandas().set_axis(names, axis=1)
            return repeated
        frame: pd.DataFrame = table.to_pandas()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise CatalogError(f"{path}: the Parquet file is damaged or of an unknown kind: {str(error).splitlines()[0]}") from None
    named = [name for name in frame.index.names if name is not None]
    return frame.reset_index(level=named) if named else frame


def _text(content: bytes, path: Path, notes: list[str]) -> str:
    for magic, what in _KNOWN.items():
        if content.startswith(magic):
            raise CatalogError(f"{path}: this is {what}; save the table as CSV or Parquet")
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return content.decode("utf-16")
        except UnicodeDecodeError:
            raise CatalogError(f"{path}: starts like UTF-16 text but is not; save the table as UTF-8 CSV or Parquet") from None
    sample = content[:65536]
    control = sum(byte < 9 or 13 < byte < 32 for byte in sample)
    if b"\x00" in content or control > len(sample) // 100:
        raise CatalogError(f"{path}: holds binary data, not a table; CSV, Parquet and JSON lines can be read")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        notes.append("the text is not UTF-8: it was read as Latin-1")
        return content.decode("latin-1")


def _is_json(text: str, path: Path) -> bool:
    names = [suffix.lower() for suffix in path.suffixes]
    return bool({".jsonl", ".ndjson", ".json"} & set(names[-2:])) or text.lstrip().startswith(("{", "[{"))


def _json_lines(text: str, path: Path) -> pd.DataFrame:
    records: list[dict[str, Any]] = []
    if text.lstrip().startswith("["):
        try:
            records = json.loads(text)
        except json.JSONDecodeError as error:
            raise CatalogError(f"{path}: line {error.lineno} is not JSON ({error.msg})") from None
        except RecursionError:
            raise CatalogError(f"{path}: the JSON is nested too deeply to be a table") from None
        if not all(isinstance(record, dict) for record in records):
            raise CatalogError(f"{path}: a JSON table is a list of objects, one a row")
        return pd.DataFrame.from_records(records)
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (json.JSONDecodeError, RecursionError):
            raise CatalogError(f"{path}: line {number} is not JSON; JSON lines hold one object a line") from None
        if not isinstance(record, dict):
            raise CatalogError(f"{path}: line {number} is not a JSON object; JSON lines hold one object a line")
        records.append(record)
    return pd.DataFrame.from_records(records)


def _distinct(names: list[str], notes: list[str]) -> list[str]:
    """Give each repeated name a number (``x``, ``x.1``), and each empty one a name, and say so."""
    taken: set[str] = set(names)
    seen: set[str] = set()
    answer = []
    for position, name in enumerate(names):
        new = name if name.strip() else f"column_{position + 1}"
        number = 0
        while new in seen or (new != name and new in taken):
            number += 1
            new = f"{name if name.strip() else f'column_{position + 1}'}.{number}"
        if new != name:
            notes.append(
                f"column {position + 1} is named {name!r} as an earlier one: it is called {new!r} here"
                if name.strip()
                else f"column {position + 1} has no name: it is called {new!r} here"
            )
        seen.add(new)
        answer.append(new)
    return answer

"""Anybody's file to a table: which format it is, whatever it is called."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from dataset_catalog._errors import CatalogError
from dataset_catalog.reading._arff import is_arff, read_arff
from dataset_catalog.reading._columnar import columnar_format, read_columnar
from dataset_catalog.reading._compressed import unpacked
from dataset_catalog.reading._decoding import text_of
from dataset_catalog.reading._delimited import read_delimited
from dataset_catalog.reading._grid import OLD
from dataset_catalog.reading._json import is_json, read_json
from dataset_catalog.reading._names import distinct
from dataset_catalog.reading._opening import content_of
from dataset_catalog.reading._plain import plain
from dataset_catalog.reading._spreadsheet import read_spreadsheet

NOTES = "notes"
_PAGES = ("<!doctype", "<html", "<?xml")


def read_table(path: Path, *, sheet: str | None = None) -> pd.DataFrame:
    """Read the table in ``path`` with plain dtypes (see :func:`plain`), rows in the order of the file.

    CSV, TSV and texts parted by ``;`` or ``|``, JSON lines or a JSON list of objects, ARFF (all of them UTF-8 or UTF-16 with or without
    a mark, else Windows-1252 or Latin-1, with any line ends), Parquet, Arrow (Feather), ORC, and spreadsheets (.xlsx, .xlsb, .xls, .ods);
    each perhaps compressed by gzip, Zstandard, bzip2, xz or LZ4, or the one file of a zip archive. The content decides, the file's name
    only helps. ``sheet`` names one of a spreadsheet, and so does ``#SHEET`` after the path; else the first that holds something is read.
    A pipe is read to its end.

    A column of text keeps its cells as they are written unless each of them is a number (or a truth value), decimal commas, thousands and
    marks such as ``?`` for missing ones included. What was changed or guessed is told in :func:`table_notes`.

    Raises :class:`CatalogError`, one line, for whatever keeps the file from being a table: it is not there, a folder, empty, a header
    without rows, damaged or cut short, not a table at all, or a row has more or fewer cells than the header.
    """
    path = Path(path)
    if sheet is None and "#" in path.name and not path.exists():
        name, _, sheet = path.name.partition("#")
        path = path.with_name(name) if name else path
    notes: list[str] = []
    try:
        frame = _read(path, sheet, notes)
        if frame.shape[1] == 0 or len(frame) == 0:
            raise CatalogError(f"{path}: the table has {frame.shape[1]} columns and {len(frame)} rows; at least one of each is needed")
        frame.columns = pd.Index(distinct([str(name) for name in frame.columns], notes), dtype=object)
        frame = plain(frame.reset_index(drop=True))
    except MemoryError:
        raise CatalogError(f"{path}: the table does not fit into memory") from None
    frame.attrs = {NOTES: tuple(notes)}
    return frame


def table_notes(frame: pd.DataFrame) -> tuple[str, ...]:
    """Return what :func:`read_table` changed or guessed, one sentence each; empty for any other frame."""
    return tuple(frame.attrs.get(NOTES, ()))


def _read(path: Path, sheet: str | None, notes: list[str]) -> pd.DataFrame:
    content = unpacked(content_of(path), path)
    if not content.strip(b"\x00 \t\r\n\xef\xbb\xbf"):
        raise CatalogError(f"{path}: the file is empty")
    if content.startswith((b"PK\x03\x04", OLD)):
        return read_spreadsheet(content, path, sheet, notes)
    if sheet is not None:
        raise CatalogError(f"{path}: is no spreadsheet, and has no sheet {sheet!r}")
    columnar = columnar_format(content)
    if columnar is not None:
        return read_columnar(content, path, columnar)
    text = text_of(content, path, notes)
    if is_arff(text):
        return read_arff(text, path, notes)
    if is_json(text, path):
        return read_json(text, path)
    if text.lstrip()[:20].lower().startswith(_PAGES):
        raise CatalogError(f"{path}: this is a web page or an XML document, not a table; was something else downloaded than was meant?")
    return read_delimited(text, path, notes)

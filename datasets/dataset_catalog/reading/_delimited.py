"""Delimited text to a table: which character parts the cells, whether each row has its cells, which columns are numbers."""

from __future__ import annotations

import csv
import io
import itertools
import re
from pathlib import Path

import pandas as pd

from dataset_catalog._errors import CatalogError
from dataset_catalog.reading._numerals import read_numerals

DELIMITERS = (",", "\t", ";", "|")
_SAMPLE_ROWS = 100
_PRESCRIBED = re.compile(r'"?sep=(.)"?\n')


def read_delimited(text: str, path: Path, notes: list[str]) -> pd.DataFrame:
    """Read ``text`` with its first line as the header. Repeated names stay as they are; ``notes`` gains what was guessed."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    prescribed = _PRESCRIBED.match(text)  # what Excel writes for itself
    if prescribed:
        text = text[prescribed.end() :]
    delimiter = prescribed[1] if prescribed else sniff_delimiter(text)
    if delimiter not in (",", "\t"):
        notes.append(f"cells are parted by {delimiter!r}")
    header, rows = _checked(text, delimiter, path)
    if rows == 0:
        raise CatalogError(f"{path}: has a header and no rows")
    if len(header) > 1 and all(_is_number(name) for name in header):
        notes.append("every name in the first line is a number: perhaps the header is missing")
    try:
        frame = pd.read_csv(
            io.StringIO(text),
            sep=delimiter,
            header=0,
            names=list(range(len(header))),
            index_col=False,
            low_memory=False,
            float_precision="round_trip",
            skip_blank_lines=True,
        )
    except (ValueError, OverflowError) as error:  # pandas' ParserError is a ValueError
        if "EOF inside string" in str(error):
            raise CatalogError(f"{path}: a quotation mark is opened and never closed") from None
        raise CatalogError(f"{path}: cannot be read as delimited text ({str(error).strip().splitlines()[0]})") from None
    read_numerals(frame, header, delimiter, text, notes)
    frame.columns = pd.Index(header, dtype=object)
    return frame


def sniff_delimiter(text: str) -> str:
    """Return the delimiter that parts the first rows most evenly, and into most cells; a comma when there is none."""
    sample = list(itertools.islice(io.StringIO(text), _SAMPLE_ROWS))
    best, best_score = ",", (0.0, 0)
    for delimiter in DELIMITERS:
        try:
            widths = [len(row) for row in csv.reader(sample, delimiter=delimiter) if row]
        except csv.Error:
            continue
        if not widths or widths[0] < 2:
            continue
        score = (sum(width == widths[0] for width in widths) / len(widths), widths[0])
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _checked(text: str, delimiter: str, path: Path) -> tuple[list[str], int]:
    """Return the header and the number of rows below it; a row of another width than the header is refused."""
    limit = csv.field_size_limit(2**31 - 1)
    reader = csv.reader(io.StringIO(text), delimiter=delimiter)
    header: list[str] = []
    rows = 0
    try:
        for row in reader:
            if not row:
                continue
            if not header:
                header = row
            elif len(row) != len(header):
                where = f"the row that ends in line {reader.line_num}"
                how = "close its quotation mark" if any("\n" in cell for cell in row) else "mend the row or quote its cells"
                raise CatalogError(f"{path}: {where} has {len(row)} cells, the header has {len(header)}; {how}")
            else:
                rows += 1
    except csv.Error as error:
        raise CatalogError(f"{path}: line {reader.line_num} cannot be read as delimited text ({error})") from None
    finally:
        csv.field_size_limit(limit)
    return [name.strip() for name in header], rows


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True

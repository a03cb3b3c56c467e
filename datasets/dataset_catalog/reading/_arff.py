"""ARFF, the format of Weka and of OpenML's older datasets, to a table.

Written here since no kept library reads all of it: SciPy's has neither strings nor sparse rows, liac-arff neither dates nor upkeep.
"""

from __future__ import annotations

import datetime as dt
import itertools
import math
import re
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dataset_catalog._errors import CatalogError
from dataset_catalog.reading._arff_header import QUOTED, Attribute, parse_attribute, unquoted

_CELL = re.compile(rf"\s*(?P<cell>{QUOTED}|[^,]*?)\s*(?P<end>,|$)", re.DOTALL)
_SPARSE = re.compile(rf"\s*(?P<position>\d+)\s+(?P<cell>{QUOTED}|[^,'\"\s][^,]*?)\s*(?P<end>,|$)", re.DOTALL)
_WEIGHT = re.compile(r",\s*\{[^{}]*\}\s*$")
_OPENING = re.compile(r"\s*(?:%[^\r\n]*[\r\n]+\s*)*@(?:relation|attribute)\b", re.IGNORECASE)
_BATCH = 10_000
_EXACT = 2.0**53
_MISSING = "?"


def is_arff(text: str) -> bool:
    """Return whether the first line that is no comment opens an ARFF file."""
    return _OPENING.match(text) is not None


def read_arff(text: str, path: Path, notes: list[str]) -> pd.DataFrame:
    """Read an ARFF file, dense or sparse: numbers are numbers, nominal values and strings text, dates times, ``?`` a missing cell.

    In sparse rows a number that is left out is 0, a nominal value the first of its list, as Weka has it. Raises :class:`CatalogError`
    with the line that is at fault.
    """
    lines = iter(enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1))
    attributes = _header(lines, path)
    columns = [_Column(attribute) for attribute in attributes]
    rows = _Rows(columns)
    below = ((number, line.strip()) for number, line in lines)
    filled = ((number, line) for number, line in below if line and not line.startswith("%"))
    while batch := list(itertools.islice(filled, _BATCH)):
        if rows.add_plain([line for _, line in batch]):
            continue
        for number, line in batch:
            try:
                rows.add(line)
            except ValueError as error:
                raise CatalogError(f"{path}: line {number} {error}") from None
    if rows.weighted:
        notes.append("rows have weights: they were left out")
    for column in columns:
        notes.extend(column.notes())
    frame = pd.DataFrame(dict(enumerate(column.series() for column in columns)))
    frame.columns = pd.Index([attribute.name for attribute in attributes], dtype=object)
    return frame


def _header(lines: Iterator[tuple[int, str]], path: Path) -> list[Attribute]:
    attributes: list[Attribute] = []
    for number, line in lines:
        bare = line.strip()
        word = bare.partition(" ")[0].partition("\t")[0].lower()
        if not bare or bare.startswith("%") or word.startswith("@relation"):
            continue
        if word == "@data":
            if not attributes:
                raise CatalogError(f"{path}: the ARFF file has no attributes")
            return attributes
        try:
            attributes.append(parse_attribute(bare))
        except ValueError as error:
            raise CatalogError(f"{path}: line {number} {error}") from None
    raise CatalogError(f"{path}: the ARFF file has no @data")


class _Column:
    """The cells of one attribute, as they come. Numbers are kept as doubles at once: a table may have millions."""

    def __init__(self, attribute: Attribute) -> None:
        self.attribute = attribute
        self._numbers = array("d")
        self._others: list[Any] = []
        self._levels = {level: level for level in attribute.levels}
        self._left_out = 0

    def add(self, token: str) -> None:
        """Take one cell as it is written; raise ``ValueError`` when it is none of this attribute's."""
        kind, missing = self.attribute.kind, token == _MISSING
        if kind == "number":
            self._numbers.append(math.nan if missing else self._number(token))
        elif missing:
            self._others.append(None)
        elif kind == "nominal":
            value = unquoted(token)
            if value not in self._levels:
                raise ValueError(f"has {value!r} in {self.attribute.name!r}, whose list of values lacks it")
            self._others.append(self._levels[value])
        else:
            self._others.append(unquoted(token) if kind == "text" else self._date(unquoted(token)))

    def read_plain(self, cells: Sequence[str]) -> Sequence[Any]:
        """Return many cells without quotes as they are kept; raise ``ValueError`` or ``KeyError`` when one is none of this attribute's."""
        if self.attribute.kind == "number":
            written = "".join(cells)
            if "_" in written:
                raise ValueError
            return array("d", map(float, [cell if cell.strip() != _MISSING else "nan" for cell in cells] if _MISSING in written else cells))
        bare = [cell.strip() for cell in cells]
        if self.attribute.kind == "nominal":
            levels = self._levels
            return [None if cell == _MISSING else levels[cell] for cell in bare]
        return [None if cell == _MISSING else cell if self.attribute.kind == "text" else self._date(cell) for cell in bare]

    def extend(self, kept: Sequence[Any]) -> None:
        """Take what :meth:`read_plain` returned."""
        (self._numbers if self.attribute.kind == "number" else self._others).extend(kept)

    def add_left_out(self) -> None:
        """Take a cell that a sparse row leaves out."""
        if self.attribute.kind == "number":
            self._numbers.append(0.0)
            return
        self._left_out += 1
        self._others.append(self.attribute.levels[0] if self.attribute.levels else None)

    def series(self) -> pd.Series:
        """Return all cells; whole numbers alone are integers."""
        if self.attribute.kind == "date":
            return pd.Series(pd.to_datetime(pd.Series(self._others, dtype=object), utc=self.attribute.pattern.endswith("%z")))
        if self.attribute.kind != "number":
            return pd.Series(self._others, dtype=object)
        values = np.frombuffer(self._numbers, dtype=np.float64) if self._numbers else np.empty(0)
        whole = len(values) > 0 and bool(np.all(np.isfinite(values) & (values == np.rint(values)) & (np.abs(values) < _EXACT)))
        return pd.Series(values.astype(np.int64) if whole else values)

    def notes(self) -> Iterator[str]:
        """Tell what was guessed."""
        if self._left_out and self.attribute.kind != "nominal":
            yield f"column {self.attribute.name!r} is left out by {self._left_out} of the sparse rows: missing there"
        values = np.frombuffer(self._numbers) if self._numbers else np.empty(0)
        if np.any(np.isfinite(values) & (np.abs(values) > _EXACT)):
            yield f"column {self.attribute.name!r} has numbers beyond 2^53: whole ones may have lost their last digits"

    def _number(self, token: str) -> float:
        try:
            return float(unquoted(token).replace("_", "?"))  # Python's own 1_000 is no number here
        except ValueError:
            raise ValueError(f"has {token!r} in {self.attribute.name!r}, which is numeric") from None

    def _date(self, text: str) -> dt.datetime:
        try:
            return dt.datetime.strptime(text, self.attribute.pattern)
        except ValueError:
            raise ValueError(f"has {text!r} in {self.attribute.name!r}, which is no date of its pattern") from None


class _Rows:
    """Takes the lines below ``@data`` apart, and hands each cell to its column."""

    def __init__(self, columns: list[_Column]) -> None:
        self._columns = columns
        self._blanks: bool | None = None
        self.weighted = False

    def add_plain(self, lines: list[str]) -> bool:
        """Take many lines at once when they hold nothing but commas and cells; else, or when one is at fault, take none of them."""
        text = "\n".join(lines)
        if any(mark in text for mark in ("'", '"', "{", "}")):
            return False
        try:
            columns = list(zip(*(line.split(",") for line in lines), strict=True))
            read = [column.read_plain(cells) for column, cells in zip(self._columns, columns, strict=True)]
        except (ValueError, KeyError):
            return False
        for column, kept in zip(self._columns, read, strict=True):
            column.extend(kept)
        return True

    def add(self, line: str) -> None:
        """Take one line; raise ``ValueError`` with what is wrong with it."""
        if line.startswith("{"):
            self._add_sparse(line)
            return
        if line.endswith("}") and (weight := _WEIGHT.search(line)):
            line, self.weighted = line[: weight.start()], True
        cells = self._cells(line)
        if len(cells) != len(self._columns):
            raise ValueError(f"has {len(cells)} cells, there are {len(self._columns)} attributes")
        for column, cell in zip(self._columns, cells, strict=True):
            column.add(cell)

    def _cells(self, line: str) -> list[str]:
        """Part a line at its commas, or at blanks when the first line of several attributes has no comma."""
        if self._blanks is None:
            self._blanks = "," not in line and len(self._columns) > 1
        if self._blanks:
            return re.findall(rf"{QUOTED}|[^\s'\"]+", line)
        if "'" not in line and '"' not in line:
            return [cell.strip() for cell in line.split(",")]
        cells, position = [], 0
        while True:
            match = _CELL.match(line, position)
            if match is None or (match["cell"][:1] in ("'", '"') and not re.fullmatch(QUOTED, match["cell"], re.DOTALL)):
                raise ValueError(
                    f"has a quotation mark that is not closed, or text beside a quoted cell, near {line[position : position + 20]!r}"
                )
            cells.append(match["cell"])
            position = match.end()
            if not match["end"]:
                return cells

    def _add_sparse(self, line: str) -> None:
        end = line.rfind("}")
        inner, rest = line[1:end], line[end + 1 :].strip()
        if end < 0:
            raise ValueError("opens a sparse row and does not close it")
        if _WEIGHT.search(line) and line.find("}") < end:  # {0 1, 3 x}, {0.5}
            inner, self.weighted = line[1 : line.rfind("}", 0, end)], True
        elif rest:
            raise ValueError(f"has {rest[:20]!r} after a sparse row")
        given: dict[int, str] = {}
        position = 0
        while inner[position:].strip():
            match = _SPARSE.match(inner, position)
            if match is None:
                raise ValueError(f"has a sparse cell that is not POSITION VALUE near {inner[position : position + 20]!r}")
            given[int(match["position"])] = match["cell"]
            position = match.end()
        if any(each >= len(self._columns) for each in given):
            raise ValueError(f"names attribute {max(given)}, there are {len(self._columns)}, counted from 0")
        for each, column in enumerate(self._columns):
            if each in given:
                column.add(given[each])
            else:
                column.add_left_out()

"""Spreadsheets as people keep them: several sheets, titles above the table, merged cells, empty rows and columns."""

from __future__ import annotations

import datetime as dt
import io
from pathlib import Path
from typing import Any

import pandas as pd

from dataset_catalog._errors import CatalogError

OLD = b"\xd0\xcf\x11\xe0"
_EXACT = 2**53
_Grid = list[list[Any]]


def read_spreadsheet(content: bytes, path: Path, sheet: str | None, notes: list[str]) -> pd.DataFrame:
    """Read one sheet: the one named, else the first that is visible and not empty; others that hold something are noted.

    Empty rows and columns are left out. A first row of one cell above a wider table is a title. Every cell of a merged range has the
    range's value. Formulas are what the program that saved the file last computed; cells in error (``#N/A``) are missing.
    Raises :class:`CatalogError` for a damaged or locked file, no such sheet, or no table in it.
    """
    import python_calamine as calamine

    try:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(content))
        name, grid = _chosen(book, path, sheet, notes)
    except calamine.PasswordError:
        raise CatalogError(f"{path}: the spreadsheet is locked by a password; save it without") from None
    except calamine.CalamineError as error:
        said = " ".join(str(error).split())[:120]
        raise CatalogError(f"{path}: the spreadsheet is damaged or of an unknown kind ({said}); save the table as CSV or Parquet") from None
    return _table(grid, path, name, notes)


def _chosen(book: Any, path: Path, wanted: str | None, notes: list[str]) -> tuple[str, _Grid]:
    names = list(book.sheet_names)
    if wanted is not None:
        if wanted not in names:
            raise CatalogError(f"{path}: there is no sheet {wanted!r}; there are {', '.join(map(repr, names))}")
        return wanted, _grid(book, wanted, notes)
    shown = [each.name for each in book.sheets_metadata if str(each.visible).endswith("Visible")] or names
    filled = [name for name in shown if any(cell != "" for row in book.get_sheet_by_name(name).to_python() for cell in row)]
    if not filled:
        raise CatalogError(f"{path}: the file is empty: none of its {len(names)} sheets holds anything")
    if len(filled) > 1:
        others = ", ".join(repr(name) for name in filled[1:])
        notes.append(f"the sheet {filled[0]!r} was read; others hold something, too: {others} (name one by {path.name}#SHEET)")
    return filled[0], _grid(book, filled[0], notes)


def _grid(book: Any, name: str, notes: list[str]) -> _Grid:
    """Return the cells of a sheet from its first filled one on, with merged ranges filled."""
    sheet = book.get_sheet_by_name(name)
    grid: _Grid = sheet.to_python()
    merged = list(sheet.merged_cell_ranges or [])
    if not grid or not merged:
        return grid
    first_row, first_column = sheet.start
    for (top, left), (bottom, right) in merged:
        rows = range(max(top - first_row, 0), min(bottom - first_row + 1, len(grid)))
        columns = range(max(left - first_column, 0), min(right - first_column + 1, len(grid[0])))
        if top >= first_row and left >= first_column and rows and columns and (bottom > top or not _is_title(grid[rows[0]], columns)):
            for row in rows:
                for column in columns:
                    grid[row][column] = grid[rows[0]][columns[0]]
    notes.append(f"{len(merged)} merged ranges: each of their cells has the value of the range")
    return grid


def _is_title(row: list[Any], columns: range) -> bool:
    """Return whether a range that is merged sideways holds all there is in its row: it then heads the table, and names no columns."""
    return all(cell == "" or position in columns for position, cell in enumerate(row))


def _table(grid: _Grid, path: Path, name: str, notes: list[str]) -> pd.DataFrame:
    rows = [row for row in grid if any(cell != "" for cell in row)]
    while len(rows) > 2 and _filled(rows[0]) == 1 < _filled(rows[1]):
        title = next(cell for cell in rows.pop(0) if cell != "")
        notes.append(f"the row {str(title)[:40]!r} above the table was taken for a title")
    if len(rows) < 2:
        raise CatalogError(f"{path}: the sheet {name!r} has a header and no rows")
    kept = [position for position in range(len(rows[0])) if any(row[position] != "" for row in rows)]
    if len(rows) < len(grid) or len(kept) < len(grid[0]):
        notes.append("empty rows and columns of the sheet were left out")
    columns = [_column([row[position] for row in rows[1:]]) for position in kept]
    frame = pd.DataFrame(dict(enumerate(columns)))
    frame.columns = pd.Index([_written(rows[0][position]) for position in kept], dtype=object)
    return frame


def _filled(row: list[Any]) -> int:
    return sum(cell != "" for cell in row)


def _column(cells: list[Any]) -> pd.Series:
    """One kind of cells stays what it is; cells of several kinds become text, as they are written. Whole numbers are integers."""
    present = [cell for cell in cells if cell != ""]
    kinds = {_kind(cell) for cell in present}
    if kinds == {"number"} and all(float(cell).is_integer() and abs(cell) < _EXACT for cell in present):
        return pd.Series([None if cell == "" else int(cell) for cell in cells], dtype=object)
    if kinds == {"time"}:
        return pd.Series([None if cell == "" else _instant(cell) for cell in cells], dtype=object)
    if len(kinds) > 1 or kinds == {"other"}:
        return pd.Series([None if cell == "" else _written(cell) for cell in cells], dtype=object)
    return pd.Series([None if cell == "" else cell for cell in cells], dtype=object)


def _kind(cell: Any) -> str:
    if isinstance(cell, bool):
        return "truth"
    if isinstance(cell, int | float):
        return "number"
    if isinstance(cell, str):
        return "text"
    return "time" if isinstance(cell, dt.date) else "other"


def _instant(cell: dt.date) -> dt.datetime:
    return cell if isinstance(cell, dt.datetime) else dt.datetime(cell.year, cell.month, cell.day)


def _written(cell: Any) -> str:
    """Return a cell as a person would write it: 12, not 12.0."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < _EXACT:
        return str(int(cell))
    return cell.isoformat() if isinstance(cell, dt.date | dt.time) else str(cell)

"""Spreadsheets as people keep them: several sheets, titles above the table, merged cells, empty rows and columns."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pandas as pd

from dataset_catalog._errors import CatalogError
from dataset_catalog.reading._compressed import check_sheets
from dataset_catalog.reading._grid import Grid, GridError, read_grid

_EXACT = 2**53


def read_spreadsheet(content: bytes, path: Path, sheet: str | None, notes: list[str]) -> pd.DataFrame:
    """Read one sheet: the one named, else the first that is visible and not empty; others that hold something are noted.

    Empty rows and columns are left out. A first row of one cell above a wider table is a title. Every cell of a merged range has the
    range's value. Formulas are what the program that saved the file last computed; cells in error (``#N/A``) are missing.
    Raises :class:`CatalogError` for a damaged or locked file, one that unpacks to more than fits into memory, no such sheet, or no table.
    """
    check_sheets(content, path)
    try:
        grid = read_grid(content, sheet)
    except GridError as error:
        raise CatalogError(f"{path}: the spreadsheet is damaged, locked or of an unknown kind ({error}); save the table as CSV") from None
    if sheet is not None and grid.name is None:
        raise CatalogError(f"{path}: there is no sheet {sheet!r}; there are {', '.join(map(repr, grid.names))}")
    if grid.name is None:
        raise CatalogError(f"{path}: the file is empty: none of its {len(grid.names)} sheets holds anything")
    if sheet is None and len(grid.filled) > 1:
        others = ", ".join(repr(name) for name in grid.filled[1:])
        notes.append(f"the sheet {grid.name!r} was read; others hold something, too: {others} (name one by {path.name}#SHEET)")
    if grid.merged:
        _fill(grid)
        notes.append(f"{len(grid.merged)} merged ranges: each of their cells has the value of the range")
    return _table(grid.rows, path, grid.name, notes)


def _fill(grid: Grid) -> None:
    """Give each cell of a merged range the range's value, but for a title that was merged over the columns below it."""
    for (top, left), (bottom, right) in grid.merged:
        columns = range(left, min(right + 1, len(grid.rows[0]) if grid.rows else 0))
        if top < 0 or left < 0 or top >= len(grid.rows) or not columns or (top == bottom and _is_title(grid.rows[top], columns)):
            continue
        for row in range(top, min(bottom + 1, len(grid.rows))):
            for column in columns:
                grid.rows[row][column] = grid.rows[top][left]


def _is_title(row: list[Any], columns: range) -> bool:
    """Return whether a range that is merged sideways holds all there is in its row: it then heads the table, and names no columns."""
    return all(cell == "" or position in columns for position, cell in enumerate(row))


def _table(grid: list[list[Any]], path: Path, name: str, notes: list[str]) -> pd.DataFrame:
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

"""What every command writes: results to stdout, progress and remarks to stderr, one JSON document for machines."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from pydantic import BaseModel
from rich.cells import cell_len
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

_WIDTH_IN_A_PIPE = 200

_HARMLESS = {code: f"\\x{code:02x}" for code in (*range(9), *range(11, 32), *range(127, 160))} | {
    code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
}
"""What would move a terminal's cursor, colour it, name its window or turn its text round, in somebody's data."""

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout instead of tables.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")]


class _Console(Console):
    """A console that leaves it to the command's root to end when its reader goes away (rich would exit 1: a failed check)."""

    def on_broken_pipe(self) -> None:
        raise


def _console(stream: TextIO | None, *, stderr: bool) -> Console:
    """Return a console on a standard stream; ``None`` stands for one that was closed before the command began (``>&-``)."""
    on_screen = stream is not None and stream.isatty()
    width = None if on_screen or (stream is not None and "COLUMNS" in os.environ) else _WIDTH_IN_A_PIPE
    return _Console(stderr=stderr, width=width, highlight=False, emoji=False, soft_wrap=not on_screen)


out = _console(sys.stdout, stderr=False)
err = _console(sys.stderr, stderr=True)


def tell(text: str, *, style: str | None = None) -> None:
    """Write a sentence that is part of what was asked for to stdout, as it stands (no markup)."""
    out.print(harmless(text), markup=False, style=style)


def harmless(text: str) -> str:
    """Return ``text`` with what a terminal would take for a command written out, lines and tabs apart."""
    return text.translate(_HARMLESS)


def counted(count: int, what: str) -> str:
    """Write a count with its noun, ``1 dataset`` or ``2 datasets``."""
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def say(text: str) -> None:
    """Write a remark for people to stderr, as it stands (no markup)."""
    _remark(text)


def warn(text: str) -> None:
    """Write a warning for people to stderr."""
    _remark(f"warning: {text}", style="yellow")


def complain(text: str) -> None:
    """Write the one line that ends a command that could not be carried out."""
    _remark(f"lode: {' '.join(text.split())}", style="red", soft_wrap=True)


def print_json(data: Any, *, line: bool = False) -> None:
    """Write ``data`` to stdout as one JSON document with sorted keys; ``line``: as one line, at once, of several that follow.

    Takes what JSON knows, and pydantic models, dataclasses, mappings, iterables, numpy scalars, paths, dates and enumerations. Numbers that
    are not finite become ``null``.
    """
    indent = None if line else 2
    sys.stdout.write(json.dumps(_plain(data), sort_keys=True, indent=indent, ensure_ascii=False, allow_nan=False) + "\n")
    if line:
        sys.stdout.flush()


def print_table(title: str, columns: Iterable[str], rows: Iterable[Iterable[object]], *, optional: Sequence[str] = ()) -> tuple[str, ...]:
    """Write a table for people to stdout; ``None`` is shown as a dash, floats with four significant digits.

    What stands in titles, columns and cells is shown as it is: brackets in somebody's data are no markup. Where the terminal is too narrow
    for a table without folded cells, columns of ``optional`` are left out, the first one first: the answer names them.
    """
    columns, cells = list(columns), [[_cell(value) for value in row] for row in rows]
    gone: list[str] = []
    while len(gone) < len(optional) and _width(columns, cells, gone) > out.width:
        gone.append(optional[len(gone)])
    kept = [position for position, column in enumerate(columns) if column not in gone]
    out.print(_table(title, [columns[each] for each in kept], [[row[each] for each in kept] for row in cells]))
    return tuple(each for each in gone if each in columns)


def _width(columns: Sequence[str], cells: Sequence[Sequence[str]], gone: Sequence[str]) -> int:
    """Return how many characters wide the table is when no cell is folded."""
    widths = [
        max(map(cell_len, (column, *(row[position] for row in cells)))) for position, column in enumerate(columns) if column not in gone
    ]
    return sum(width + 3 for width in widths) + 1


def _table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    table = Table(title=Text(harmless(title), style="table.title") if title else None, title_justify="left", header_style="bold")
    for column in columns:
        table.add_column(Text(harmless(column)), overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def progress() -> Progress:
    """Return a progress display on stderr, silent where stderr is not a terminal; use it as a context manager."""
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=err,
        disable=not err.is_terminal,
        transient=True,
    )


def _remark(text: str, *, style: str | None = None, soft_wrap: bool | None = None) -> None:
    """Write to stderr; a full disk behind it costs the remark, and not the command or its exit code."""
    try:
        err.print(harmless(text), markup=False, style=style, soft_wrap=soft_wrap)
    except BrokenPipeError:
        raise
    except OSError:
        with suppress(OSError):  # a stream without a descriptor
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())  # so that what it still holds can be flushed


def _cell(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4g}"
    return harmless(str(value))


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return _plain(value.model_dump(mode="python"))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Enum):
        return _plain(value.value)
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, set | frozenset):
        return sorted((_plain(item) for item in value), key=str)
    if hasattr(value, "tolist"):  # numpy's arrays and scalars
        return _plain(value.tolist())
    if isinstance(value, Iterable):
        return [_plain(item) for item in value]
    return str(value)

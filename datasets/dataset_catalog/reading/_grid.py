"""One sheet of a workbook as rows of cells, by calamine; old workbooks in a process of their own.

Calamine reads .xls with little care for damage: it may panic, or ask for more memory than there is and take the process with it. Run as a
script, this module reads a workbook from its standard input and writes the sheet as JSON, and whatever happens, happens to it alone.
"""

from __future__ import annotations

import datetime as dt
import io
import json
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

OLD = b"\xd0\xcf\x11\xe0"
_SECONDS = 300
_BYTES = 4 << 30
_TIMES: dict[str, Any] = {"datetime": dt.datetime, "date": dt.date, "time": dt.time}


class GridError(Exception):
    """The workbook is damaged, locked or of an unknown kind; the message says what the reader said."""


@dataclass(frozen=True)
class Grid:
    """A sheet from its first filled cell on; an empty cell is ``""``.

    ``names`` are all sheets of the workbook and ``filled`` those that are visible and hold something. ``name`` is the sheet that was read,
    ``None`` when there is none as asked for. ``merged`` are ranges, ((top, left), (bottom, right)), counted from the first filled cell.
    """

    names: list[str]
    filled: list[str]
    name: str | None
    rows: list[list[Any]]
    merged: list[tuple[tuple[int, int], tuple[int, int]]]


def read_grid(content: bytes, wanted: str | None) -> Grid:
    """Read the sheet ``wanted``, else the first that is visible and holds something. Raises :class:`GridError`."""
    return _apart(content, wanted) if content.startswith(OLD) else _here(content, wanted)


def _here(content: bytes, wanted: str | None) -> Grid:
    import python_calamine as calamine

    try:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(content))
        names = list(book.sheet_names)
        shown = [each.name for each in book.sheets_metadata if str(each.visible).endswith("Visible")] or names
        filled = [name for name in shown if any(cell != "" for row in book.get_sheet_by_name(name).to_python() for cell in row)]
        name = (filled[0] if filled else None) if wanted is None else (wanted if wanted in names else None)
        if name is None:
            return Grid(names, filled, None, [], [])
        sheet = book.get_sheet_by_name(name)
        down, right = sheet.start or (0, 0)
        corners = sheet.merged_cell_ranges or []
        ranges = [((top - down, left - right), (bottom - down, end - right)) for (top, left), (bottom, end) in corners]
        return Grid(names, filled, name, sheet.to_python(), ranges)
    except calamine.PasswordError:
        raise GridError("it is locked by a password") from None
    except calamine.CalamineError as error:
        raise GridError(" ".join(str(error).split())[:120]) from None


def _apart(content: bytes, wanted: str | None) -> Grid:
    command = [sys.executable, "-I", str(Path(__file__).resolve()), *([] if wanted is None else [wanted])]
    try:
        done = subprocess.run(command, input=content, capture_output=True, timeout=_SECONDS, check=False)  # noqa: S603
        answer = json.loads(done.stdout, object_hook=_untold) if done.returncode == 0 else {"fault": "its parts do not fit together"}
    except subprocess.TimeoutExpired:
        raise GridError(f"it took more than {_SECONDS} seconds") from None
    if "fault" in answer:
        raise GridError(answer["fault"])
    return Grid(**answer)


def _told(value: Any) -> Any:
    """Give JSON what it has no word for: times with their kind, all else as text."""
    kind = type(value).__name__
    return {"kind": kind, "iso": value.isoformat()} if kind in _TIMES else str(value)


def _untold(found: dict[str, Any]) -> Any:
    return _TIMES[found["kind"]].fromisoformat(found["iso"]) if found.keys() == {"kind", "iso"} else found


def _main() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (_BYTES, _BYTES))
    try:
        answer = asdict(_here(sys.stdin.buffer.read(), sys.argv[1] if len(sys.argv) > 1 else None))
    except GridError as error:
        answer = {"fault": str(error)}
    sys.stdout.write(json.dumps(answer, default=_told))


if __name__ == "__main__":
    _main()

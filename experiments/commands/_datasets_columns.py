"""Columns as people see them: a row each, with a histogram in block characters where the terminal can write them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from experiments.commands import _output

if TYPE_CHECKING:
    from dataset_catalog.columns import ColumnSummary
    from experiments._dataset_view import PartView, TargetView

_BLOCKS = "▁▂▃▄▅▆▇█"
_PLAIN = "_.-=+*#@"
_LONGEST = 28
_BAR = 24
_CLASSES = 5


def column_rows(columns: Iterable[ColumnSummary], target: str, parting: str | None) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """Return the header and the rows of a table of columns, the target marked, and the column that parts the rows."""
    header = ("column", "type", "distinct", "missing", "least", "median", "most", "most frequent", "histogram")
    rows: list[tuple[object, ...]] = []
    for each in columns:
        mark = " (target)" if each.name == target else " (parts the rows)" if each.name == parting else ""
        missing = f"{each.missing_share:.1%}" if each.missing_share else None
        top = ", ".join(f"{_short(level)} {share:.0%}" for level, share in each.top) or None
        span = tuple(_number(value) for value in (each.low, each.middle, each.high))
        rows.append((each.name + mark, each.type, each.distinct, missing, *span, top, sparkline(each.histogram)))
    return header, rows


def part_rows(parts: Iterable[PartView]) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """Return the header and the rows of a table of a split's parts: how many rows each has, and how the target is spread in it."""
    parts = list(parts)
    total = sum(part.rows for part in parts) or 1
    sizes = [(part.name, f"{part.rows:,}", f"{part.rows / total:.0%}") for part in parts]
    if any(part.target.classes for part in parts):
        return ("part", "rows", "share", "classes"), [(*size, balance(part.target)) for size, part in zip(sizes, parts, strict=True)]
    spans = [(*map(_number, (each.low, each.middle, each.high)), sparkline(each.histogram)) for each in (part.target for part in parts)]
    header = ("part", "rows", "share", "least", "median", "most", "histogram")
    return header, [(*size, *span) for size, span in zip(sizes, spans, strict=True)]


def balance(target: TargetView) -> str | None:
    """Say in words how a target is spread: the largest classes with their shares; of a quantity a histogram."""
    if not target.classes:
        return sparkline(target.histogram)
    shown = ", ".join(f"{_short(level)} {share:.0%}" for level, _, share in target.classes[:_CLASSES])
    return shown + (f" and {len(target.classes) - _CLASSES} more" if len(target.classes) > _CLASSES else "")


def sparkline(counts: Sequence[int]) -> str | None:
    """Draw ``counts`` in a character each, the highest for the greatest; nothing at all for one bin or none."""
    most = max(counts, default=0)
    if len(counts) < 2 or most == 0:
        return None
    levels = _BLOCKS if _can_write(_BLOCKS) else _PLAIN
    return "".join(" " if count == 0 else levels[min(int(count / most * len(levels)), len(levels) - 1)] for count in counts)


def bar(share: float) -> str:
    """Draw a share between 0 and 1 as a bar."""
    block = "█" if _can_write("█") else "#"
    return block * max(round(share * _BAR), 1 if share > 0 else 0)


def _can_write(text: str) -> bool:
    try:
        text.encode(_output.out.encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _number(value: float | str | None) -> float | str | None:
    """Write whole numbers in full, so that a year reads as one."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e9:
        return f"{int(value)}"
    return value


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"

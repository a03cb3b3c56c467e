"""Writes an awkward file, and says what becomes of it: the right frame, or one clear line."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dataset_catalog import CatalogError, read_table, table_notes


def _cells(column: Any) -> list[Any]:
    """Cells as Python's own values, with ``None`` for missing ones and times as text."""
    cells = [cell.isoformat() if hasattr(cell, "isoformat") and cell == cell else cell for cell in column.tolist()]
    return [None if cell is None or cell != cell else cell for cell in cells]


def _same(found: list[Any], wanted: list[Any]) -> bool:
    return len(found) == len(wanted) and all(
        type(a) is type(b) and (a == b or (isinstance(a, float) and math.isclose(a, b, rel_tol=1e-15)))
        for a, b in zip(found, wanted, strict=True)
    )


@pytest.fixture
def becomes(tmp_path: Path) -> Callable[..., None]:
    """Check that a file becomes the columns given, cells and their types, with a note that has the words given (or no note at all)."""

    def check(name: str, content: bytes, wanted: dict[str, list[Any]], note: str | None = None) -> None:
        path = tmp_path / name
        path.write_bytes(content)
        frame = read_table(path)
        found = {column: _cells(frame[column]) for column in frame.columns}
        assert list(found) == list(wanted)
        for column, cells in wanted.items():
            assert _same(found[column], cells), f"{column}: {found[column]} is not {cells}"
        notes = table_notes(frame)
        assert any(note in each for each in notes) if note else notes == (), notes

    return check


@pytest.fixture
def refused(tmp_path: Path) -> Callable[..., None]:
    """Check that a file is refused in one line that names it and has the words given."""

    def check(name: str, content: bytes, message: str) -> None:
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(CatalogError) as caught:
            read_table(path)
        said = str(caught.value)
        assert message in said
        assert said.startswith(str(path))
        assert "\n" not in said
        assert len(said) < len(str(path)) + 260

    return check

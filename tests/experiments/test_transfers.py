"""Downloads as people see them: bars on a terminal, sentences alone elsewhere."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from dataset_catalog import ByteProgress
from experiments.commands import _output
from experiments.commands._transfers import transfer_bars


def screen(monkeypatch: pytest.MonkeyPatch, *, terminal: bool) -> io.StringIO:
    stream = io.StringIO()
    monkeypatch.setattr(_output, "err", Console(file=stream, force_terminal=terminal, width=100))
    return stream


def test_a_terminal_shows_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = screen(monkeypatch, terminal=True)
    with transfer_bars() as bars:
        assert isinstance(bars, ByteProgress)
        bars("fetching x[1].csv")
        for done in (1_000_000, 3_000_000):
            bars.received("x[1].csv", done, 4_000_000)
        bars._display.refresh()
        assert "3.0/4.0 MB" in stream.getvalue()
        assert "x[1].csv" in stream.getvalue()
        bars.received("x[1].csv", 4_000_000, 4_000_000)
        assert bars._display.tasks == []
        bars.received("of unknown length", 5, None)
        bars.received("of unknown length", 7, 7)
        assert bars._display.tasks == []


def test_it_may_stand_within_another_display(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = screen(monkeypatch, terminal=True)
    with _output.progress() as outer, transfer_bars() as bars:
        outer.add_task("verifying", total=2)
        bars.received("archive.whl", 1, 10)
        bars._display.refresh()
    assert "archive.whl" in stream.getvalue()
    assert "verifying" in stream.getvalue()


def test_a_pipe_gets_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = screen(monkeypatch, terminal=False)
    with transfer_bars() as bars:
        bars("fetching x.csv")
        bars.received("x.csv", 1, 2)
        bars.received("x.csv", 2, 2)
    assert stream.getvalue() == "fetching x.csv\n"

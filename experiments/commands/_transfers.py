"""Downloads as people see them: a bar with bytes for each while it runs, sentences above the bars, and sentences alone in a pipe."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from experiments.commands import _output


class TransferBars:
    """A ``dataset_catalog.ByteProgress`` on a rich display: give it wherever a function of the catalogue takes ``progress``."""

    def __init__(self, display: Progress) -> None:
        self._display = display
        self._jobs: dict[str, TaskID] = {}

    def __call__(self, sentence: str) -> None:
        """Write the sentence to stderr, above the bars."""
        _output.say(sentence)

    def received(self, what: str, done: int, total: int | None) -> None:
        """Move the bar of ``what``, and take it away when all is there."""
        if what not in self._jobs:
            self._jobs[what] = self._display.add_task(what, total=total)
        if done == total:
            self._display.remove_task(self._jobs.pop(what))
        else:
            self._display.update(self._jobs[what], completed=done, total=total)


@contextmanager
def transfer_bars() -> Iterator[TransferBars]:
    """Show downloads on stderr while the context lasts; silent but for sentences where stderr is not a terminal.

    It may stand within another rich display, such as that of ``_output.progress()``.
    """
    display = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=_output.err,
        disable=not _output.err.is_terminal,
        transient=True,
    )
    with display:
        yield TransferBars(display)

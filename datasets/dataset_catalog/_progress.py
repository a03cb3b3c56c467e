"""Telling whoever waits: in sentences and, to those who can show them, in bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

Progress = Callable[[str], None]


@runtime_checkable
class ByteProgress(Protocol):
    """A :data:`Progress` that can show how far a download is, too; wherever a ``Progress`` is asked for, one of these may be given.

    Both are called from the thread that fetches, and must not raise.
    """

    def __call__(self, sentence: str, /) -> None:
        """Tell one sentence, without a full stop."""

    def received(self, what: str, done: int, total: int | None) -> None:
        """Tell that ``done`` bytes of ``what`` are here, of ``total``, or of nobody knows how many.

        ``what`` is a short name, the same from the first call to the last one, which has ``done == total``. ``done`` may go back when a
        source has changed and is read anew. A download that fails has no last call.
        """


def tell(progress: Progress | None, sentence: str) -> None:
    """Tell ``sentence`` if anybody listens."""
    if progress is not None:
        progress(sentence)


def tell_bytes(progress: Progress | None, what: str, done: int, total: int | None) -> None:
    """Tell how many bytes of ``what`` are here, if somebody listens who can show it; see :meth:`ByteProgress.received`."""
    if isinstance(progress, ByteProgress):
        progress.received(what, done, total)

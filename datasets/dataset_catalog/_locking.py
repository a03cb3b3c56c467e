"""One process at a time: whoever waits is told what for, and gives up on a holder that gets no further."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from dataset_catalog._errors import CatalogError
from dataset_catalog._progress import Progress, tell

_AT_ONCE = 0.5


@contextmanager
def alone(
    path: Path, doing: str, progress: Progress | None = None, *, reached: Callable[[], int] = lambda: 0, patience: float = 900
) -> Iterator[None]:
    """Hold the lock at ``path``, which the system drops when its holder dies.

    ``doing`` says what its holders do, as in "fetching adult"; ``progress`` is told so when another process has to be waited for. As long
    as ``reached`` tells another figure every ``patience`` seconds (the bytes that are here, say), waiting goes on; without one, it ends
    after that time. Raises :class:`CatalogError` then, and ``OSError`` where there can be no lock.
    """
    lock = FileLock(path)
    try:
        lock.acquire(timeout=_AT_ONCE)
    except Timeout:
        tell(progress, f"waiting for another process that is {doing}")
        if not _waited(lock, reached, patience):
            raise CatalogError(
                f"another process that is {doing} has got no further for {patience:g} seconds; is it stuck? (its lock is {path})"
            ) from None
    try:
        yield
    finally:
        lock.release()


def _waited(lock: FileLock, reached: Callable[[], int], patience: float) -> bool:
    """Wait for ``lock`` as long as its holder gets on; say whether it is held now."""
    before = None
    while (here := reached()) != before:
        before = here
        with suppress(Timeout):
            lock.acquire(timeout=patience)
            return True
    return False

"""Trying again: how often, after how long, and what is said in the end."""

from __future__ import annotations

import time
from collections.abc import Callable
from urllib.parse import urlsplit

from dataset_catalog._errors import CatalogError

ATTEMPTS = 4
_ALL_ATTEMPTS = 50
_LONGEST = 30.0
FIRST_WAIT = 0.5


class Interrupted(Exception):  # noqa: N818 - not an error yet
    """What was begun broke off, and may be gone on with after ``wait`` seconds; the message says what happened."""

    def __init__(self, what: str, wait: float = 0.0) -> None:
        super().__init__(what)
        self.wait = wait


def persist(step: Callable[[], None], *, reached: Callable[[], int], url: str, attempts: int = ATTEMPTS) -> None:
    """Call ``step`` until it ends without :class:`Interrupted`: up to ``attempts`` times in a row that ``reached`` has not grown by.

    The pause doubles from half a second. Raises :class:`CatalogError` with what the last interruption said.
    """
    failures, last = 0, ""
    for _ in range(_ALL_ATTEMPTS):
        before = reached()
        try:
            step()
        except Interrupted as interruption:
            failures = 1 if reached() > before else failures + 1
            last = str(interruption)
            if failures >= attempts:
                break
            time.sleep(min(max(FIRST_WAIT * 2 ** (failures - 1), interruption.wait), _LONGEST))
        else:
            return
    kept = f"; {reached()} bytes are kept, and the next attempt goes on from there" if reached() else ""
    tried = f"; tried {attempts} times" if attempts > 1 else ""
    raise CatalogError(f"{shown(url)}: {last}{tried}{kept}")


def shown(url: str) -> str:
    """Return ``url`` as it may be shown: without user, password, query and fragment, any of which may be a secret."""
    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return url.partition("?")[0]
    return f"{parts.scheme}://{host}{parts.path}"

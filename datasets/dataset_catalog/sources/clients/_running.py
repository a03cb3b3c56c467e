"""Running a package client: its output kept, what it has received watched, and never longer than a limit."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

from dataset_catalog._errors import CatalogError
from dataset_catalog._sizes import sizes_at

Received = Callable[[int], None]
"""Is told how many bytes are here."""

SECONDS = 900
_LOOK_EVERY = 0.2


def run_client(
    command: Sequence[str | Path],
    *,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    watched: Path | None = None,
    received: Received | None = None,
    output: IO[bytes] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run ``command`` in ``folder``, messages in English, and return what it said; what it writes to stdout goes to ``output`` if given.

    ``received`` is told the size of the largest file under ``watched`` as it grows. A client that is not done after 900 seconds is ended.
    Raises :class:`CatalogError` for that, and for a client that cannot be started.
    """
    environment = {**os.environ, "LC_ALL": "C.UTF-8", **(environment or {})}
    try:
        process = subprocess.Popen(  # noqa: S603 - the commands are ours
            [str(each) for each in command],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output if output is not None else subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
    except OSError as error:
        raise CatalogError(f"{command[0]} cannot be started ({error.strerror})") from None
    with process:
        try:
            out, err = _watch(process, watched, received)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(process.args, process.returncode, out or "", err or "")


def _watch(process: subprocess.Popen[str], watched: Path | None, received: Received | None) -> tuple[str, str]:
    end = time.monotonic() + SECONDS
    while True:
        try:
            return process.communicate(timeout=_LOOK_EVERY)
        except subprocess.TimeoutExpired:
            if time.monotonic() > end:
                name = Path(str(process.args[0] if isinstance(process.args, list) else process.args)).name
                raise CatalogError(f"{name} took more than {SECONDS} seconds; is the network there?") from None
            if received is not None and watched is not None:
                received(max(sizes_at(watched), default=0))


def lines_of(text: str) -> list[str]:
    """Return the lines of what a client said, without empty ones."""
    return [line.strip() for line in text.splitlines() if line.strip()]

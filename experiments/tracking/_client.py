"""A connection to the tracking server or database, made so that a fresh database is initialised by one process alone."""

from __future__ import annotations

import logging
import os
import re
import shlex
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from experiments._errors import ExperimentError
from experiments._home import Home

_SQLITE = "sqlite:///"
_POSTGRESQL = "postgresql+psycopg://"
_PATIENCE = 120.0
_ADVISORY = 0x6C6F6465
"""The number of our lock in a PostgreSQL database ("lode")."""


class TrackingError(ExperimentError):
    """The tracking server or database cannot be used now; the journal is whole, and ``lode sweep sync`` replays it later."""


class LoggedElsewhereError(TrackingError):
    """Another process logs this sweep now: it runs, or is being synchronised."""


def connect(home: Home) -> Any:
    """Return an ``MlflowClient`` of ``home``'s tracking address, its database brought to the present schema.

    MLflow's migrations race when two processes open a fresh database. A lock beside a SQLite file, or in a PostgreSQL database itself,
    lets one do it, wherever the others' homes are; a server looks after its own.
    Raises :class:`TrackingError` when the address cannot be reached.
    """
    uri = store_uri(home.tracking_uri)
    mlflow = _quiet_mlflow()
    home.root.mkdir(parents=True, exist_ok=True)
    lock = home.root / "mlflow.lock"
    try:
        if uri.startswith(_SQLITE):
            path = Path(uri.removeprefix(_SQLITE)).absolute()
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = path.with_name(f".{path.name}.lock")
        with FileLock(lock, timeout=_PATIENCE), _alone_in_database(uri):
            _prepare_sqlite(uri)
            client = mlflow.MlflowClient(tracking_uri=uri)
            client.search_experiments(max_results=1)
    except Timeout as error:
        raise TrackingError(f"another process has held {lock} for {_PATIENCE:.0f} seconds") from error
    except Exception as error:  # MLflow raises its own errors, SQLAlchemy's and requests': each means the same here
        raise TrackingError(f"MLflow at {shown(uri)} cannot be used: {first_line(error)}") from error
    return client


def store_uri(uri: str) -> str:
    """Return a tracking address as MLflow is to read it: a PostgreSQL address without a driver means the one that is installed here."""
    scheme, separator, rest = uri.partition("://")
    return f"{_POSTGRESQL}{rest}" if separator and scheme in ("postgres", "postgresql") else uri


def ui_command(home: Home) -> str:
    """Return the shell command that shows what was tracked; a password in the address is left out of it."""
    uri = shown(home.tracking_uri)
    if uri.startswith("http"):
        return shlex.join([sys.executable, "-m", "webbrowser", uri])
    return shlex.join([str(Path(sys.executable).with_name("mlflow")), "ui", "--backend-store-uri", uri])


def shown(uri: str) -> str:
    """Return an address, or a text with one, as it may be shown: without its password, before the host or among the parameters."""
    uri = re.sub(r"(?<=://)([^/@:\s\[]*):(?!\d+/)\S*@", r"\1:***@", uri)  # digits and a slash: a port, and what follows is no password
    return re.sub(r"([?&](?:\w*password|passwd|pwd|\w*token)=)[^&\s]+", r"\1***", uri, flags=re.IGNORECASE)


def first_line(error: BaseException) -> str:
    """Return the first line of an error, cut to what fits on one, without passwords."""
    lines = str(error).strip().splitlines()
    return shown(lines[0] if lines else type(error).__name__)[:300]


def _quiet_mlflow() -> Any:
    """Import MLflow without its telemetry and its information lines, and with short patience for a server that is away."""
    for name, value in {
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",  # a server's addresses, in the middle of a document for machines
        "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",
        "MLFLOW_HTTP_REQUEST_TIMEOUT": "20",
    }.items():
        os.environ.setdefault(name, value)
    import mlflow

    for name in ("alembic", "mlflow"):
        logging.getLogger(name).setLevel(logging.ERROR)
    return mlflow


@contextmanager
def _alone_in_database(uri: str) -> Iterator[None]:
    """Hold PostgreSQL's own lock while a database is opened; it ends with the connection, however that ends."""
    if not uri.startswith(_POSTGRESQL):
        yield
        return
    import psycopg

    with psycopg.connect(uri.replace("+psycopg", "", 1), autocommit=True, connect_timeout=20) as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", (_ADVISORY,))
        yield


def _prepare_sqlite(uri: str) -> None:
    """Let readers (the user interface) and the writer work side by side; the mode is kept in the file."""
    if uri.startswith(_SQLITE):
        path = Path(uri.removeprefix(_SQLITE))
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(path, timeout=30)) as connection:
            connection.execute("PRAGMA journal_mode=WAL")

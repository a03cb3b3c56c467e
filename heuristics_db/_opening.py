"""Opening a heuristics database: SQLite by path or PostgreSQL by URL, brought to the newest schema under a lock."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from heuristics_db._errors import HeuristicsError

HEAD = "0002"
"""The newest migration's name. A test holds it against the migrations themselves, so that opening need not import Alembic."""

LOCK_KEY = 0x6C6F6465
"""PostgreSQL's advisory lock for migrations and writes: "lode" in ASCII."""

LOCK_SECONDS = 60.0
MIGRATIONS = Path(__file__).parent / "migrations"


def open_engine(url: str) -> Engine:
    """Return an engine on the database at ``url``, created when absent and migrated to the newest schema.

    Raises:
        HeuristicsError: the URL is of no use, the database can't be reached, is not ours, or was written by a newer Motherlode.

    """
    address = _address(url)
    engine = _engine(address)
    try:
        _bring_up_to_date(engine)
    except DBAPIError as error:
        engine.dispose()
        raise unreachable(address, error) from error
    except BaseException:
        engine.dispose()
        raise
    return engine


@dataclass(frozen=True)
class Upgrade:
    """What `upgrade_database` did: the schema before (``None``: there was no database), the one after, and the copy that was kept."""

    before: str | None
    after: str
    copy: Path | None = None


def upgrade_database(url: str, *, dry_run: bool = False) -> Upgrade:
    """Bring the database at ``url`` to the newest schema; a SQLite file of an older one is copied beside itself first.

    Opening a store does the same, without the copy. Either way it is one transaction: killed in the midst of it, nothing has changed.

    Raises:
        HeuristicsError: as `open_engine` does.

    """
    address = _address(url)
    path = Path(str(address.database)).expanduser() if address.get_backend_name() == "sqlite" and address.database else None
    if path is not None and not path.exists() and dry_run:  # even looking would make the file
        return Upgrade(None, HEAD)
    engine = _engine(address)
    try:
        with reading(engine) as connection:
            before = _revision(connection)
        copy = None
        if not dry_run and before != HEAD:
            copy = _copy(path, before) if path is not None and before is not None else None
            _bring_up_to_date(engine)
    except DBAPIError as error:
        raise unreachable(address, error) from error
    finally:
        engine.dispose()
    return Upgrade(before, HEAD, copy)


def _copy(path: Path, revision: str) -> Path:
    copy = path.with_name(f"{path.name}.schema-{revision}")
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)  # with what is still in its log
    return copy


def _engine(address: URL) -> Engine:
    return _sqlite(address) if address.get_backend_name() == "sqlite" else _postgresql(address)


def unreachable(address: URL, error: DBAPIError) -> HeuristicsError:
    """Return the one-line error for a database that fails, its address written without the password."""
    reason = " ".join(str(error.orig).split())
    return HeuristicsError(f"the heuristics database at {address.render_as_string(hide_password=True)} can't be used: {reason}")


def _address(url: str) -> URL:
    try:
        address = make_url(url)
    except (ArgumentError, ValueError) as error:  # the latter for a port that is no number
        raise HeuristicsError("LODE_DB_URL is not a database URL: write sqlite:///PATH or postgresql://USER@HOST/NAME") from error
    backend = address.get_backend_name()
    if backend == "postgres":
        address, backend = address.set(drivername="postgresql"), "postgresql"
    if backend not in ("sqlite", "postgresql"):
        raise HeuristicsError(f"no heuristics database of the kind {backend}: write sqlite:///PATH or postgresql://USER@HOST/NAME")
    if backend == "postgresql" and "+" not in address.drivername:
        address = address.set(drivername="postgresql+psycopg")
    return address


def _sqlite(address: URL) -> Engine:
    if address.database in (None, "", ":memory:"):
        raise HeuristicsError("the heuristics database needs a file: write sqlite:///PATH")
    path = Path(str(address.database)).expanduser()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HeuristicsError(f"the folder {path.parent} of the heuristics database can't be made: {error.strerror}") from error
    engine = create_engine(address.set(database=str(path)), connect_args={"timeout": LOCK_SECONDS})
    event.listen(engine, "connect", _on_sqlite_connect)
    event.listen(engine, "begin", _on_sqlite_begin)
    return engine


def _on_sqlite_connect(connection: Any, _record: Any) -> None:
    # The driver's own transaction control begins too late for reads and can't begin a write transaction at once: we begin ourselves.
    connection.isolation_level = None
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute(f"PRAGMA busy_timeout = {int(LOCK_SECONDS * 1000)}")
    connection.execute("PRAGMA synchronous = FULL")


def _on_sqlite_begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("lode_write") else "BEGIN")


def _postgresql(address: URL) -> Engine:
    try:
        return create_engine(address, pool_pre_ping=True, connect_args={"connect_timeout": 10})
    except NoSuchModuleError as error:
        raise HeuristicsError(f"no driver {address.drivername} here: write postgresql+psycopg://USER@HOST/NAME") from error
    except ModuleNotFoundError as error:
        raise HeuristicsError(f"a PostgreSQL database needs the package {error.name}: pip install 'psycopg[binary]'") from error


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """One read transaction: a consistent picture."""
    with engine.connect() as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"))
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """One write transaction; writers of one database take turns, and nothing is written when the block raises."""
    with engine.connect().execution_options(lode_write=True) as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK_KEY})
        yield connection


def _bring_up_to_date(engine: Engine) -> None:
    with reading(engine) as connection:
        if _revision(connection) == HEAD:
            return
    if engine.dialect.name == "sqlite":
        _migrate_sqlite_file(engine)
    else:
        with writing(engine) as connection:
            _migrate(connection)


def _migrate_sqlite_file(engine: Engine) -> None:
    lock = FileLock(f"{engine.url.database}.lock")
    try:
        with lock.acquire(timeout=LOCK_SECONDS):
            with engine.connect() as connection:
                # Outside a transaction, or SQLite refuses; the mode stays with the file. Readers then never wait for a writer.
                driver: Any = connection.connection.driver_connection
                driver.execute("PRAGMA journal_mode = WAL")
            with writing(engine) as connection:
                _migrate(connection)
    except Timeout as error:
        raise HeuristicsError(f"somebody has been migrating {engine.url.database} for over {LOCK_SECONDS:.0f} s: try again") from error


def _revision(connection: Connection) -> str | None:
    """Return the schema's revision, ``None`` for an empty database."""
    tables = set(inspect(connection).get_table_names())
    if "alembic_version" in tables:
        found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()
    else:
        found = None
    if found is None:
        if tables & {"versions", "validations", "events"}:
            raise HeuristicsError("the database has tables of another program: give Motherlode a database of its own (LODE_DB_URL)")
        return None
    if not re.fullmatch(r"\d{4}", str(found)):
        raise HeuristicsError("the database has the schema of another program: give Motherlode a database of its own (LODE_DB_URL)")
    if not (MIGRATIONS / "versions" / f"revision_{found}.py").is_file():
        raise HeuristicsError(f"the heuristics database has schema {found}, newer than this Motherlode's {HEAD}: upgrade Motherlode")
    return str(found)


def _migrate(connection: Connection) -> None:
    if _revision(connection) == HEAD:  # somebody else was faster
        return
    from alembic import command  # imported here: only a database that is not up to date pays for it
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, HEAD)

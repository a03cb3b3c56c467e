"""What every test stands on: a state folder of its own, and throw-away servers for the tests that need one."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import settings

from tests.postgres import NoPostgresError, throwaway_postgres

# Every run draws the same examples, and none fails for being slow on a busy machine.
settings.register_profile("motherlode", derandomize=True, deadline=None)
settings.load_profile("motherlode")


@pytest.fixture(scope="session", autouse=True)
def _state_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads or writes the user's own state, database or tracking server."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LODE_HOME", str(tmp_path_factory.mktemp("lode-home")))
        for name in ("LODE_DB_URL", "LODE_DEBUG", "MLFLOW_TRACKING_URI", "RAY_ADDRESS"):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture(scope="session")
def chromium() -> Path:
    """The path of a Chromium or Chrome that can be run headless (as root: with ``--no-sandbox``)."""
    for name in ("chromium", "chromium-browser", "google-chrome", "chrome"):
        if found := shutil.which(name):
            return Path(found)
    pytest.skip("no Chromium on the PATH")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of an empty database on a throw-away PostgreSQL server on this machine."""
    try:
        server = throwaway_postgres()
        url = server.__enter__()
    except NoPostgresError as error:
        pytest.skip(str(error))
    with ExitStack() as stack:
        stack.push(server)
        yield url


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """The URL of a database of the test's own, dropped afterwards."""
    import psycopg

    name = f"t{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    yield f"{postgres_server.rpartition('/')[0]}/{name}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


_numbers = iter(range(sys.maxsize))


@pytest.fixture(scope="session")
def ray_here() -> Iterator[None]:
    """One local Ray for all tests that need one. It claims more processors than small machines have: no pool waits for another."""
    from automl import start_ray, stop_ray

    started = start_ray(8)
    yield
    if started:
        stop_ray()

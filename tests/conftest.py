"""What every test stands on: a state folder of its own, and throw-away servers for the tests that need one."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.loopback import free_port

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
    programs = _postgres_programs()
    folder = Path(tempfile.mkdtemp(prefix="lode-pg-", dir="/tmp"))  # a short path: the server's socket lies in it
    as_user: list[str] = []
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        account = next((name for name in ("postgres", "nobody") if _has_account(name)), None)
        if account is None or shutil.which("setpriv") is None:
            pytest.skip("PostgreSQL refuses to run as root, and there is no other account to run it as")
        shutil.chown(folder, account)
        as_user = ["setpriv", f"--reuid={account}", "--clear-groups"]
    folder.chmod(0o700)
    port = free_port()
    data = folder / "data"
    environment = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(folder), "LC_ALL": "C.UTF-8", "TZ": "UTC"}

    def call(*command: str | Path) -> None:
        done = subprocess.run([*as_user, *map(str, command)], cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise RuntimeError(f"{command[0]} failed: {done.stdout}{done.stderr}")

    try:
        call(programs / "initdb", "-D", data, "-U", "lode", "--auth=trust", "--encoding=UTF8", "--no-sync")
        options = f"-p {port} -h 127.0.0.1 -k {folder} -c fsync=off"
        # Its log goes to a file: a server that kept this pipe open would keep the call above from ending.
        call(programs / "pg_ctl", "-D", data, "-l", folder / "log", "-o", options, "-w", "-t", "60", "start")
        try:
            yield f"postgresql://lode@127.0.0.1:{port}/postgres"
        finally:
            call(programs / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


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


def _postgres_programs() -> Path:
    on_path = [Path(found).resolve().parent] if (found := shutil.which("initdb")) else []
    for folder in [*on_path, *sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]:
        if (folder / "initdb").is_file() and (folder / "pg_ctl").is_file():
            return folder
    pytest.skip("no PostgreSQL server here (initdb, pg_ctl)")


def _has_account(name: str) -> bool:
    import pwd

    return any(entry.pw_name == name for entry in pwd.getpwall())


@pytest.fixture(scope="session")
def ray_here() -> Iterator[None]:
    """One local Ray for all tests that need one. It claims more processors than small machines have: no pool waits for another."""
    from automl import start_ray, stop_ray

    started = start_ray(8)
    yield
    if started:
        stop_ray()

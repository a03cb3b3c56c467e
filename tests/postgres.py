"""A PostgreSQL server of one's own for a while: on this machine, in a folder that is gone afterwards."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.loopback import free_port


class NoPostgresError(Exception):
    """There is no PostgreSQL here, or nobody to run it as."""


@contextmanager
def throwaway_postgres() -> Iterator[str]:
    """The URL of an empty database on a server that ends with the block.

    Raises:
        NoPostgresError: its programs are not here, or can't be run.

    """
    programs, account = _programs(), _account()
    folder = Path(tempfile.mkdtemp(prefix="lode-pg-", dir="/tmp"))  # a short path: the server's socket lies in it
    as_user: list[str] = []
    if account is not None:
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


def _programs() -> Path:
    on_path = [Path(found).resolve().parent] if (found := shutil.which("initdb")) else []
    for folder in [*on_path, *sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]:
        if (folder / "initdb").is_file() and (folder / "pg_ctl").is_file():
            return folder
    raise NoPostgresError("no PostgreSQL server here (initdb, pg_ctl)")


def _account() -> str | None:
    """Return whom the server runs as: nobody else, but for root, as whom it refuses to run."""
    if os.geteuid() != 0:
        return None
    accounts = {entry.pw_name for entry in pwd.getpwall()}
    account = next((name for name in ("postgres", "nobody") if name in accounts), None)
    if account is None or shutil.which("setpriv") is None:
        raise NoPostgresError("PostgreSQL refuses to run as root, and there is no other account to run it as")
    return account

"""Several processes at once on fresh databases and on a real server, and a server that is killed under a sweep."""

import os
import signal
import subprocess
import sys
import textwrap
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from experiments import Home
from experiments.journaling import Journal
from experiments.tracking import BackgroundTracker, SweepRun, connect, sync
from tests.loopback import free_port

from .test_tracking import RUN, everything, make_record

pytestmark = pytest.mark.slow
HERE = Path(__file__).parents[3]
PROCESSES = 4


def log_at_once(tmp_path: Path, uri: str) -> None:
    """Let several processes, each with a home and a sweep of its own, open ``uri`` at one moment and log there."""
    code = textwrap.dedent("""
        import sys, time
        from pathlib import Path
        from experiments import Home
        from experiments.tracking import SweepRun, Tracker
        from mining import TrialRecord
        folder, name, records = Path(sys.argv[1]), sys.argv[2], sys.stdin.read().splitlines()
        (folder / f"ready-{name}").touch()
        while not (folder / "gate").exists():
            time.sleep(0.01)
        tracker = Tracker(Home(folder / name), SweepRun(name, name))
        for record in records:
            tracker.log(TrialRecord.model_validate_json(record))
    """)
    environment = os.environ | {"MLFLOW_TRACKING_URI": uri, "PYTHONPATH": os.pathsep.join(sys.path)}
    processes = []
    for number in range(PROCESSES):
        process = subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path), f"s{number}"],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        assert process.stdin is not None
        process.stdin.write("\n".join(make_record(f"t{each}", sweep_id=f"s{number}").model_dump_json() for each in range(3)))
        process.stdin.close()
        processes.append(process)
    until = time.monotonic() + 120
    while len(list(tmp_path.glob("ready-*"))) < PROCESSES and time.monotonic() < until:
        time.sleep(0.05)
    (tmp_path / "gate").touch()
    for process in processes:
        assert process.wait(timeout=200) == 0, process.stderr.read() if process.stderr else ""


def check_logged(home: Home) -> None:
    client = connect(home)
    found = [each for each in client.search_experiments() if each.name == "motherlode"]
    assert len(found) == 1
    runs = client.search_runs([found[0].experiment_id])
    assert sorted(run.data.tags["lode.sweep_id"] for run in runs) == sorted(f"s{number}" for number in range(PROCESSES) for _ in range(4))


@contextmanager
def server(folder: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run a real MLflow server on loopback, killed in the end with all of its processes."""
    command = [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    store = ["--backend-store-uri", f"sqlite:///{folder}/server.db", "--artifacts-destination", str(folder / "artifacts")]
    environment = {name: value for name, value in os.environ.items() if name != "MLFLOW_TRACKING_URI"} | {
        "MLFLOW_DISABLE_TELEMETRY": "true"
    }
    with (folder / "server.log").open("ab") as log:
        process = subprocess.Popen([*command, *store], stdout=log, stderr=log, env=environment, cwd=folder, start_new_session=True)
    try:
        until = time.monotonic() + 120
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2).close()
                break
            except OSError:
                assert time.monotonic() < until, (folder / "server.log").read_text()
                time.sleep(0.2)
        yield process
    finally:
        kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Home]:
    def use(uri: str) -> Home:
        monkeypatch.setenv("MLFLOW_TRACKING_URI", uri)
        monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
        return Home(tmp_path / "home")

    return use


def test_several_homes_open_one_fresh_sqlite_file(tmp_path: Path, at: Callable[[str], Home]) -> None:
    uri = f"sqlite:///{tmp_path}/shared/mlflow.db"
    log_at_once(tmp_path, uri)
    check_logged(at(uri))


@pytest.mark.postgres
def test_several_homes_open_one_fresh_postgresql_database(tmp_path: Path, postgres_url: str, at: Callable[[str], Home]) -> None:
    log_at_once(tmp_path, postgres_url)
    check_logged(at(postgres_url))


def test_several_homes_log_to_one_fresh_server(tmp_path: Path, port: int, at: Callable[[str], Home]) -> None:
    with server(tmp_path, port):
        log_at_once(tmp_path, f"http://127.0.0.1:{port}")
        check_logged(at(f"http://127.0.0.1:{port}"))


def test_a_server_killed_under_a_sweep(tmp_path: Path, port: int, at: Callable[[str], Home]) -> None:
    home = at(f"http://127.0.0.1:{port}")
    records = [make_record(f"t{number:02}") for number in range(12)]
    for record in records:
        Journal(home.journal).append(record)
    run = SweepRun(RUN.sweep_id, RUN.name, parameters=RUN.parameters, started=1_700_000_000_000)
    tracker = BackgroundTracker(home, run, first_pause=0.2)
    with server(tmp_path, port) as process:
        tracker.start()
        for record in records[:6]:
            tracker.put(record)
        until = time.monotonic() + 60
        while tracker._logged < 3 and time.monotonic() < until:
            time.sleep(0.005)
        kill(process)
    for record in records[6:]:
        tracker.put(record)
    with server(tmp_path, port):
        report = tracker.close(patience=120)
        assert (report.logged, report.waiting, report.error) == (12, 0, None)
        shown = everything(home)
        assert len(shown) == 13
        assert sync(home, run).logged == 0
        assert everything(home) == shown

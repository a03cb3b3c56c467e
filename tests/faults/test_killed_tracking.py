"""The MLflow server is killed in mid-sweep: the sweep ends as if nothing were, and `lode sweep sync` makes good what is missing."""

import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from experiments import Home
from experiments.tracking import connect
from tests.loopback import free_port

from .conftest import check_whole, end, lode, records, start, wait_for, write_sweep

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]


def serve(folder: Path, port: int) -> subprocess.Popen[bytes]:
    command = ["-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    server = subprocess.Popen(
        [sys.executable, *command, "--backend-store-uri", f"sqlite:///{folder / 'mlflow.db'}", "--artifacts-destination", str(folder)],
        cwd=folder,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def answers() -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2) as answer:
                return answer.status == 200
        except OSError:
            return False

    wait_for(lambda: answers() or server.poll() is not None)
    assert server.poll() is None, "the server did not start"
    return server


def test_a_killed_server_costs_nothing(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    port = free_port()
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"http://127.0.0.1:{port}")
    server = serve(tmp_path, port)
    driver = start(write_sweep(tmp_path))
    try:
        wait_for(lambda: len(records(home)) >= 2)
        os.killpg(server.pid, signal.SIGKILL)
        told = driver.communicate(timeout=480)[1].decode()
        assert driver.returncode == 0, told
        sweep_id = check_whole(home, {"completed": 8})
        assert f"lode sweep sync {sweep_id}" in told
        server = serve(tmp_path, port)
        (synced,) = lode(tmp_path, "sweep", "sync")["sweeps"]
        assert synced["logged"] + synced["already"] == 8
        (again,) = lode(tmp_path, "sweep", "sync")["sweeps"]
        assert (again["logged"], again["already"]) == (0, 8)
        client = connect(home)
        experiment = client.get_experiment_by_name("motherlode").experiment_id
        runs = client.search_runs([experiment], "tags.`lode.kind` = 'trial'", max_results=100)
        assert sorted(run.data.tags["lode.trial_id"] for run in runs) == sorted(path.stem for path in records(home))
        assert {run.info.status for run in runs} == {"FINISHED"}
        assert len(client.search_runs([experiment], "tags.`lode.kind` = 'sweep'")) == 1
    finally:
        end(driver)
        os.killpg(server.pid, signal.SIGKILL)
        server.communicate()

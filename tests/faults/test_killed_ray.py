"""What Ray runs is killed under a sweep: its workers, its raylet."""

import os
import signal
from pathlib import Path

import pytest

from experiments import Home

from .conftest import check_whole, end, family, lode, named, records, start, wait_for, write_sweep

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]


def test_killed_workers_are_replaced_and_their_trials_run_again(home: Home, tmp_path: Path) -> None:
    driver = start(write_sweep(tmp_path, configurations=6), "--no-track")
    try:
        for enough in (1, 3):
            wait_for(lambda enough=enough: len(records(home)) >= enough)
            os.kill(named(family(driver), "ray::TrialWorker.run")[0].pid, signal.SIGKILL)
        driver.communicate(timeout=480)
        assert driver.returncode == 0
        check_whole(home, {"completed": 12})
    finally:
        end(driver)


def test_a_sweep_outlives_its_raylet(home: Home, tmp_path: Path) -> None:
    driver = start(write_sweep(tmp_path), "--no-track")
    try:
        wait_for(lambda: len(records(home)) >= 1)
        (raylet,) = named(family(driver), "raylet/raylet ")
        before = {path.name: path.read_bytes() for path in records(home)}
        os.kill(raylet.pid, signal.SIGKILL)
        told = driver.communicate(timeout=480)[1].decode()
        # 1: Ray itself ends a process that touches its object store then, and asks nobody ("connection to the plasma store is failed")
        assert driver.returncode in (0, 1, 3), told
        outcome = lode(tmp_path, "sweep", "resume") if driver.returncode else {"planned": 8}
        assert outcome["planned"] == 8
        sweep_id = check_whole(home, {"completed": 8})
        after = {name: (home.journal / sweep_id / "trials" / name).read_bytes() for name in before}
        assert after == before
    finally:
        end(driver)


def test_a_sweep_outlives_the_raylet_of_another_node(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        node = cluster.add_node(num_cpus=1)
        monkeypatch.setenv("RAY_ADDRESS", cluster.address)
        driver = start(write_sweep(tmp_path), "--no-track")
        try:
            wait_for(lambda: len(records(home)) >= 2)
            node.kill_raylet()
            told = driver.communicate(timeout=480)[1].decode()
            assert driver.returncode == 0, told
            check_whole(home, {"completed": 8})
        finally:
            end(driver)
    finally:
        cluster.shutdown()

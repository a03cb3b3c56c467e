import os
import random
import signal
import subprocess
from itertools import cycle
from pathlib import Path

import psutil
import pytest

from experiments import Home
from experiments.tracking import connect

from .conftest import LODE, check_whole, end, family, heavy, lode, named, records, start, wait_for, write_sweep

pytestmark = [pytest.mark.slow, pytest.mark.timeout(2400)]


def test_a_hundred_trials_outlive_a_kill_every_minute_and_each_is_there_once(home: Home, tmp_path: Path) -> None:
    seconds = random.Random(0)
    victims = cycle(("driver", "worker"))
    killed: list[str] = []
    kept: dict[str, bytes] = {}
    driver = start(write_sweep(tmp_path, configurations=50, epochs=60, row_cap=1000))
    try:
        while not over(driver, home, seconds.uniform(20, 60)):
            kept = unchanged(home, kept)
            victim = next(victims)
            if victim == "driver":
                before = family(driver)
                os.kill(driver.pid, signal.SIGKILL)
                driver.communicate(timeout=60)
                wait_for(lambda left=before: not any(heavy(each) for each in left), 60)
                driver = resume(tmp_path)
            else:
                victim = kill_one(named(family(driver), "ray::TrialWorker"))
            killed.append(victim)
        told = driver.communicate(timeout=60)[1].decode()
        assert driver.returncode == 0, told
    finally:
        end(driver)
    unchanged(home, kept)
    check_whole(home, {"completed": 100})
    assert {"driver", "worker"} <= set(killed), killed

    lode(tmp_path, "sweep", "sync")
    client = connect(home)
    runs = client.search_runs([client.get_experiment_by_name("motherlode").experiment_id], "tags.`lode.kind` = 'trial'", max_results=1000)
    assert sorted(run.data.tags["lode.trial_id"] for run in runs) == sorted(path.stem for path in records(home))


def over(driver: subprocess.Popen[bytes], home: Home, seconds: float) -> bool:
    """Wait until one more trial is there, then ``seconds``, or less when the driver ends by itself; whether it did.

    A machine that is too busy to start a driver within ``seconds`` would get nowhere otherwise.
    """
    before = len(records(home))
    wait_for(lambda: driver.poll() is not None or len(records(home)) > before)
    try:
        driver.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def resume(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*LODE, "sweep", "resume", "--workers", "2"], cwd=folder, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


def kill_one(workers: list[psutil.Process]) -> str:
    """Kill one of the trial workers; a driver that has just begun has none yet."""
    if not workers:
        return "nobody"
    workers[0].kill()
    return "worker"


def unchanged(home: Home, kept: dict[str, bytes]) -> dict[str, bytes]:
    """Return all records, having seen that those which were there before are what they were."""
    now = {path.name: path.read_bytes() for path in records(home)}
    assert {name: now.get(name) for name in kept} == kept
    return now

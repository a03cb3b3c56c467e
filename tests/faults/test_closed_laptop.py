"""Everything stands still for longer than a trial may take, and goes on."""

import os
import signal
import time
from pathlib import Path

import pytest

from experiments import Home

from .conftest import check_whole, end, family, named, records, start, wait_for, write_sweep

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]


def test_time_in_which_the_machine_slept_is_no_time(home: Home, tmp_path: Path) -> None:
    limit = 30
    sweep = write_sweep(tmp_path, configurations=3, epochs=15, more=f"limits: {{trial_seconds: {limit}}}\nbudget: {{hours: 0.5}}\n")
    driver = start(sweep, "--no-track")
    try:
        wait_for(lambda: len(records(home)) >= 1 and bool(named(family(driver), "ray::TrialWorker.run")))
        everyone = [driver.pid, *(each.pid for each in family(driver))]
        for pid in everyone:
            os.kill(pid, signal.SIGSTOP)
        time.sleep(limit + 1)
        for pid in reversed(everyone):
            os.kill(pid, signal.SIGCONT)
        told = driver.communicate(timeout=480)[1].decode()
        assert driver.returncode == 0, told
        check_whole(home, {"completed": 6})
    finally:
        end(driver)


def test_a_stopped_driver_goes_on(home: Home, tmp_path: Path) -> None:
    driver = start(write_sweep(tmp_path, configurations=3), "--no-track")
    try:
        wait_for(lambda: len(records(home)) >= 1)
        os.kill(driver.pid, signal.SIGSTOP)
        time.sleep(15)
        os.kill(driver.pid, signal.SIGCONT)
        told = driver.communicate(timeout=480)[1].decode()
        assert driver.returncode == 0, told
        check_whole(home, {"completed": 6})
    finally:
        end(driver)

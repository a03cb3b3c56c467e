import os
import signal
from pathlib import Path

import psutil
import pytest

from experiments import Home
from experiments.journaling import Journal
from experiments.tracking import connect

from .conftest import heavy, lode, records, start, wait_for, write_sweep

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def test_a_killed_driver_leaves_what_resume_finishes(home: Home, tmp_path: Path) -> None:
    driver = start(write_sweep(tmp_path, configurations=8))
    wait_for(lambda: len(records(home)) >= 3, 300)
    children = psutil.Process(driver.pid).children(recursive=True)
    os.kill(driver.pid, signal.SIGKILL)
    driver.communicate()
    assert any(heavy(each) for each in children)
    wait_for(lambda: not any(heavy(each) for each in children), 60)
    before = {path.name: path.read_bytes() for path in records(home)}
    assert len(before) < 16

    (told,) = lode(tmp_path, "sweep", "status")["sweeps"]
    assert (told["state"], told["done"], told["planned"]) == ("interrupted", len(before), 16)
    outcome = lode(tmp_path, "sweep", "resume")
    assert (outcome["reused"], outcome["ran"], outcome["planned"]) == (len(before), 16 - len(before), 16)

    journal = Journal(home.journal)
    manifest = journal.manifest(outcome["sweep_id"])
    assert manifest is not None
    assert sorted(path.stem for path in records(home)) == sorted(each["trial_id"] for each in manifest["trials"])
    assert {
        name: content for name, content in before.items() if (home.journal / outcome["sweep_id"] / "trials" / name).read_bytes() != content
    } == {}
    lode(tmp_path, "sweep", "sync")
    client = connect(home)
    runs = client.search_runs([client.get_experiment_by_name("motherlode").experiment_id], "tags.`lode.kind` = 'trial'", max_results=100)
    assert sorted(run.data.tags["lode.trial_id"] for run in runs) == sorted(each["trial_id"] for each in manifest["trials"])


def test_an_interrupted_driver_says_so_and_leaves_nothing_running(home: Home, tmp_path: Path) -> None:
    driver = start(write_sweep(tmp_path, configurations=8))
    wait_for(lambda: len(records(home)) >= 1, 300)
    children = psutil.Process(driver.pid).children(recursive=True)
    os.killpg(driver.pid, signal.SIGINT)  # what a terminal does at Ctrl-C
    told = driver.communicate(timeout=120)[1].decode().strip().splitlines()
    assert driver.returncode == 3
    assert len(told) == 1
    assert told[0].startswith("lode: interrupted")
    wait_for(lambda: not any(heavy(each) for each in children), 60)
    assert lode(tmp_path, "sweep", "status")["sweeps"][0]["state"] == "interrupted"

"""The disk that holds all state is full in mid-sweep: a small file system of its own, really full."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from experiments import Home

from .conftest import check_whole, end, lode, records, settle, start, wait_for, write_sweep

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(place)], capture_output=True, check=False)
    if mounted.returncode != 0:
        pytest.skip("a small file system cannot be mounted here: needs root")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_loses_nothing(small_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, archives: Path) -> None:
    home: Home = settle(small_disk / "home", monkeypatch, archives)
    driver = start(write_sweep(tmp_path, configurations=6), "--no-track")
    filler = small_disk / "filler"
    try:
        wait_for(lambda: len(records(home)) >= 2)
        free = os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_frsize
        filler.write_bytes(b"x" * (free - 8192))
        told = driver.communicate(timeout=480)[1].decode().strip().splitlines()
        assert driver.returncode == 3, told
        assert len(told) == 1
        assert "no space left on device" in told[0].lower()
        assert "lode sweep resume faulty-" in told[0]
        filler.unlink()
        outcome = lode(tmp_path, "sweep", "resume")
        assert outcome["planned"] == 12
        check_whole(home, {"completed": 12})
    finally:
        end(driver)

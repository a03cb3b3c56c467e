"""A real sweep in processes of its own, to be killed, stopped and starved."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

import dataset_catalog
from experiments import Home
from experiments.journaling import Journal

DATASETS = ("credit_g", "phoneme")
LODE = [sys.executable, "-c", "from experiments.commands import main; main()"]


@pytest.fixture(scope="session")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The datasets' archives, fetched once for all tests here."""
    folder = tmp_path_factory.mktemp("archives")
    catalog = dataset_catalog.Catalog(folder)
    for name in DATASETS:
        catalog.load(name)
    return folder


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, archives: Path) -> Home:
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    return settle(tmp_path / "home", monkeypatch, archives)


def settle(root: Path, monkeypatch: pytest.MonkeyPatch, archives: Path) -> Home:
    """Make ``root`` the home, with the archives in it."""
    root.mkdir(exist_ok=True)
    (root / "datasets").symlink_to(archives)
    monkeypatch.setenv("LODE_HOME", str(root))
    return Home.find()


def write_sweep(folder: Path, *, configurations: int = 4, epochs: int = 12, row_cap: int = 500, more: str = "") -> Path:
    path = folder / "faulty.yaml"
    path.write_text(
        f"name: faulty\ndatasets: [{', '.join(DATASETS)}]\nmodel_types: [concat]\nconfigurations: {{count: {configurations}}}\n"
        f"epochs: {epochs}\nrow_cap: {row_cap}\n{more}"
    )
    return path


def start(sweep: Path, *options: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*LODE, "sweep", "run", str(sweep), "--workers", "2", *options],
        cwd=sweep.parent,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # tests started in the background ignore it, and hand that on
    )


def lode(folder: Path, *arguments: str) -> dict:
    ran = subprocess.run([*LODE, *arguments, "--json"], cwd=folder, stdout=subprocess.PIPE, check=True)
    return json.loads(ran.stdout)


def wait_for(condition: Callable[[], bool], seconds: float = 480) -> None:
    """Wait, as long as it takes on a machine that others use too."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.1)


def records(home: Home) -> list[Path]:
    return list(home.journal.glob("*/trials/*.json"))


def family(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    return psutil.Process(process.pid).children(recursive=True)


def named(processes: list[psutil.Process], words: str) -> list[psutil.Process]:
    """Return the processes whose command line holds ``words``."""
    found = []
    for each in processes:
        try:
            if words in " ".join(each.cmdline()):
                found.append(each)
        except psutil.Error:
            continue
    return found


def heavy(process: psutil.Process) -> bool:
    """Whether a process still runs and still holds Ludwig, or runs Ray. Ray's two small agents leave a minute later by themselves."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE and "Agent" not in " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return False


def check_whole(home: Home, statuses: dict[str, int]) -> str:
    """Check that each planned trial has exactly one record, and how they ended; return the sweep's id."""
    (sweep_id,) = {path.parts[-3] for path in records(home)}
    manifest = Journal(home.journal).manifest(sweep_id)
    assert manifest is not None
    planned = sorted(each["trial_id"] for each in manifest["trials"])  # type: ignore[attr-defined]
    assert sorted(path.stem for path in records(home)) == planned
    ended = Journal(home.journal).records(sweep_id)
    assert Counter(each.status for each in ended) == statuses, {each.error for each in ended}
    assert [path for path in (home.root / "claims").iterdir() if path.is_file() and path.suffix != ".lock"] == []
    return sweep_id


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it started."""
    for each in [psutil.Process(process.pid), *family(process)] if process.poll() is None else []:
        try:
            os.kill(each.pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    process.communicate()

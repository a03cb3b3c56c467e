"""A process that is killed while it fetches: the next one finishes, and nothing half is taken for whole."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dataset_catalog import Loader
from dataset_catalog.sources import read_service
from tests.dataset_catalog.services import test_huggingface, test_openml
from tests.dataset_catalog.services.loopback import Answer, Loopback

PROGRAM = """
import sys
from pathlib import Path
from dataset_catalog import Loader
from dataset_catalog.sources import read_service
read_service(sys.argv[1], Loader.model_validate_json(sys.argv[2]), Path(sys.argv[3]))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "loader", "path", "rows"),
    [
        ("openml", Loader(data_id=77), "/data/v1/download/77/colours.arff", 4),
        ("huggingface", Loader(dataset=test_huggingface.NAME), f"/cdn/{test_huggingface.TEST_SHA256}", 5),
    ],
)
def test_killed_while_fetching(
    loopback: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, loader: Loader, path: str, rows: int
) -> None:
    monkeypatch.setenv("OPENML_SERVER", loopback.url)
    monkeypatch.setenv("HF_ENDPOINT", loopback.url)
    test_openml.publish(loopback)
    test_huggingface.publish(loopback)
    answer = loopback.paths[path]
    assert isinstance(answer, Answer)
    loopback.paths[path] = Answer(answer.body, 200, answer.headers, wait=30)
    child = subprocess.Popen([sys.executable, "-c", PROGRAM, source, loader.model_dump_json(exclude_defaults=True), str(tmp_path)])
    for _ in range(600):
        if loopback.count("GET", path):
            break
        time.sleep(0.05)
    os.kill(child.pid, signal.SIGKILL)
    child.wait(30)
    assert not list(tmp_path.rglob("table.parquet"))
    loopback.paths[path] = answer
    assert len(read_service(source, loader, tmp_path)) == rows
    assert not list(tmp_path.rglob("*.part"))

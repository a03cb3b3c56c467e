"""The set-up script, run for real on a project with next to no requirements."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PYPROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "tiny"
version = "1"
[project.scripts]
lode = "tiny:main"
"""


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "a project with spaces"
    (folder / "requirements").mkdir(parents=True)
    shutil.copytree(ROOT / "scripts", folder / "scripts")
    shutil.copy(ROOT / "requirements" / "uv.txt", folder / "requirements")
    pins = (ROOT / "requirements" / "runtime.txt").read_text().splitlines()
    (folder / "requirements" / "runtime.txt").write_text(next(line for line in pins if line.startswith("pip==")) + "\n")
    (folder / "requirements" / "dev.txt").write_text("")
    (folder / "pyproject.toml").write_text(PYPROJECT)
    (folder / "tiny.py").write_text("def main():\n    print('tiny 1')\n")
    return folder


def start(project: Path, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        ["sh", "scripts/setup.sh"],
        cwd=project,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def set_up(project: Path) -> str:
    child = start(project)
    said = child.communicate(timeout=240)[1]
    assert child.returncode == 0, said
    return said


def stamp(project: Path) -> float:
    return (project / ".venv" / "motherlode-stamp").stat().st_mtime_ns


@pytest.fixture
def ready_uv(monkeypatch):
    """The uv of this project's own environment, so that a test need not fetch one."""
    uv = Path(sys.prefix) / "uv-bootstrap" / "bin" / "uv"
    if uv.exists():
        monkeypatch.setenv("UV", str(uv))


def test_what_stands_is_used_again_and_what_changed_is_brought_up_to_date(project):
    assert "making .venv" in set_up(project)
    lode = subprocess.run([project / ".venv/bin/lode"], capture_output=True, text=True, timeout=60)
    assert lode.stdout == "tiny 1\n"
    made = stamp(project)
    assert set_up(project) == ""
    assert stamp(project) == made
    with (project / "pyproject.toml").open("a") as file:
        file.write("# changed\n")
    assert "up to date" in set_up(project)
    assert stamp(project) > made


def test_an_interrupted_set_up_is_not_taken_for_whole(project, ready_uv):
    child = start(project)
    begun = project / ".venv" / "motherlode-begun"
    deadline = time.monotonic() + 60
    while not begun.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.1)
    subprocess.run(["kill", f"-{signal.SIGKILL}", "--", f"-{child.pid}"], check=True)
    child.communicate(timeout=60)
    assert begun.exists()
    assert not (project / ".venv" / "motherlode-stamp").exists()
    assert "interrupted" in set_up(project)
    assert (project / ".venv" / "motherlode-stamp").exists()


def test_of_two_at_once_the_second_waits_and_finds_the_work_done(project, ready_uv):
    first, second = start(project), start(project)
    said = [child.communicate(timeout=240)[1] for child in (first, second)]
    assert (first.returncode, second.returncode) == (0, 0), said
    assert sum("making .venv" in text for text in said) == 1
    assert sum("waiting for it" in text for text in said) == 1


def test_an_environment_that_was_moved_is_made_anew(project, ready_uv):
    set_up(project)
    moved = project.with_name("moved")
    project.rename(moved)
    assert "another place" in set_up(moved)


def test_a_set_up_that_fails_says_so_and_is_made_anew(project, ready_uv):
    pins = project / "requirements" / "runtime.txt"
    good = pins.read_text()
    pins.write_text("pip==0.0.0.999\n")
    child = start(project)
    said = child.communicate(timeout=240)[1]
    assert child.returncode != 0
    assert "did not finish" in said
    pins.write_text(good)
    assert "interrupted" in set_up(project)


def test_without_a_python_nothing_is_made(project):
    shell = shutil.which("sh")
    tools = Path(shell).parent
    done = subprocess.run(
        [shell, "scripts/setup.sh"],
        cwd=project,
        env={"PATH": str(tools), "PYTHON": "/nonexistent/python"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert not (project / ".venv").exists()

"""The search for a Python, with made-up interpreters on a PATH of its own."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "find-python.sh"
GOOD = getattr(sys, "_base_executable", sys.executable)


@pytest.fixture
def bin_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "bin with spaces"
    folder.mkdir()
    return folder


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def good(path: Path) -> Path:
    """A Python that is new enough; it tells its own path, so that a test can see which one was taken."""
    return program(path, f'"{GOOD}" -c "import sys; sys.exit(0)" && echo "{path}"')


def find(bin_folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    shell = shutil.which("sh")
    return subprocess.run(
        [shell, str(SCRIPT)],
        env={"PATH": str(bin_folder), "HOME": str(bin_folder / "nowhere"), **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_a_real_interpreter_is_accepted(bin_folder):
    program(bin_folder / "python3.12", f'exec "{GOOD}" "$@"')
    done = find(bin_folder)
    assert done.returncode == 0
    assert Path(done.stdout.strip()).samefile(GOOD)


def test_a_shim_that_fails_when_run_is_passed_over(bin_folder):
    program(bin_folder / "python3.12", 'echo "pyenv: python3.12: command not found" >&2; exit 127')
    expected = good(bin_folder / "python3")
    done = find(bin_folder)
    assert (done.stdout.strip(), done.stderr, done.returncode) == (str(expected), "", 0)


def test_an_older_python_is_passed_over(bin_folder):
    program(bin_folder / "python3.12", "exit 1")  # what the check inside answers when the version is too low
    program(bin_folder / "python3", "exit 1")
    done = find(bin_folder)
    assert done.returncode == 2
    assert done.stdout == ""


def test_the_named_python_is_taken_or_refused_but_never_replaced(bin_folder):
    good(bin_folder / "python3.12")
    named = good(bin_folder / "mine")
    assert find(bin_folder, PYTHON=str(named)).stdout.strip() == str(named)
    refused = find(bin_folder, PYTHON=str(bin_folder / "missing"))
    assert refused.returncode == 2
    assert refused.stdout == ""
    assert len(refused.stderr.splitlines()) == 1
    assert "missing" in refused.stderr


def test_pyenv_is_searched_where_it_says_it_lies(bin_folder, tmp_path):
    root = tmp_path / "pyenv root"
    program(bin_folder / "pyenv", f'[ "$1" = root ] && echo "{root}"')
    good(root / "versions" / "3.13.1" / "bin" / "python")
    expected = good(root / "versions" / "3.12.4" / "bin" / "python")
    program(root / "versions" / "3.11.9" / "bin" / "python", "exit 1")
    assert find(bin_folder).stdout.strip() == str(expected)


def test_pyenv_in_the_home_is_found_without_the_command(bin_folder, tmp_path):
    expected = good(tmp_path / "home" / ".pyenv" / "versions" / "3.13.0" / "bin" / "python")
    assert find(bin_folder, HOME=str(tmp_path / "home")).stdout.strip() == str(expected)


def test_uvs_own_python_is_found(bin_folder, tmp_path):
    expected = good(tmp_path / "home/.local/share/uv/python/cpython-3.13.2-linux-x86_64-gnu/bin/python3")
    assert find(bin_folder, HOME=str(tmp_path / "home")).stdout.strip() == str(expected)


@pytest.mark.parametrize("home", ["", "/nonexistent"])
def test_where_there_is_none_one_line_says_so(bin_folder, home):
    done = find(bin_folder, HOME=home)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "PYTHON=" in done.stderr


def test_an_active_environment_gives_its_base_since_it_may_be_made_anew(bin_folder):
    done = find(bin_folder, PYTHON=sys.executable)
    assert Path(done.stdout.strip()).samefile(GOOD)

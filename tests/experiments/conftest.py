"""Where commands work: a home and a working directory of the test's own."""

from pathlib import Path

import pytest

from experiments._home import Home


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """An empty home; the working directory is the folder around it."""
    monkeypatch.setenv("LODE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return Home.find()

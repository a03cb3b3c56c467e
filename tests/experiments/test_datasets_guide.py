"""The guide to datasets runs as it is written."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from experiments.commands._root import run

GUIDE = Path(__file__).parents[2] / "docs" / "how-to" / "datasets.md"


def steps() -> Iterator[tuple[str, str]]:
    """Give each command of the guide's shell blocks, and what a here-document hands it."""
    blocks = re.findall(r"```sh\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    lines = iter([line for block in blocks for line in block.splitlines() if line.strip()])
    for line in lines:
        command, _, end = line.partition(" <<")
        given = iter(lines.__next__, end.strip("'")) if end else ()
        yield command, "\n".join(given)


def test_every_command_of_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("LODE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    ran = []
    for line, given in steps():
        called, *arguments = shlex.split(line, comments=True)
        if called == "python":
            subprocess.run([sys.executable, *arguments], input=given, text=True, check=True)
            continue
        assert called == "lode"
        assert run(arguments) == 0, (line, capsys.readouterr().err)
        ran.append(" ".join(arguments[:2]))
    assert set(ran) >= {f"datasets {name}" for name in ("list", "show", "add", "profile", "verify", "compare")}
    out = capsys.readouterr().out
    assert "census" in out
    for found in ("'outcome_code' is the target under other names", "--drop row", "copies of another", "1 of 1 dataset verified"):
        assert found in out


def test_no_line_of_the_guide_is_too_long() -> None:
    assert [line for line in GUIDE.read_text(encoding="utf-8").splitlines() if len(line) > 140] == []

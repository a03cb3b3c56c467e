"""``lode validate``, ``lode report`` and ``lode demo`` as a user meets them."""

from __future__ import annotations

import json

import pytest

from dataset_catalog import card
from experiments.commands import run
from experiments.validating import run_validation
from heuristics_db import DatasetProvenance, HeuristicsStore

from .test_validate import backwards


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("LODE_HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["validate", "dmo"], "did you mean demo"),
        (["validate", "demo"], "there is no heuristics version yet"),
        (["validate", "demo", "--version", "abcd"], "no heuristics version abcd"),
        (["report"], "nothing to report on"),
        (["report", "--sweep", "nothing"], "no sweep nothing"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(home, capsys, arguments, said) -> None:
    assert run(arguments) == 2
    told = capsys.readouterr().err.strip()
    assert said in told
    assert "Traceback" not in told


def test_a_demo_can_be_looked_at_before_it_runs(home, capsys) -> None:
    assert run(["demo", "--dry-run", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["sweep"]["configurations"]["count"] >= 12
    assert len(told["sweep"]["datasets"]) == 6
    assert len(told["suite"]["datasets"]) == 2
    assert not (home / "journal").exists()


def test_the_report_of_a_validated_version_is_written(home, capsys, plan, document) -> None:
    with HeuristicsStore(f"sqlite:///{home / 'heuristics.db'}") as store:
        version = store.add(document)
        store.record_validation(version.id, run_validation(plan, backwards))
    assert run(["report", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    page = (home / "reports" / f"{version.short}.html").read_text(encoding="utf-8")
    assert told["report"] == str(home / "reports" / f"{version.short}.html")
    assert version.short in page
    assert "bank_marketing" in page
    assert "the gate is not passed" in page  # two seeds are not three


def test_no_command_uses_a_version_that_was_mined_from_a_held_out_dataset(home, capsys, document) -> None:
    held_out = card("bank_marketing")
    leak = DatasetProvenance(
        name="mine",
        fingerprint=held_out.fingerprint,
        family="mine",
        role="training",
        task=held_out.task,
        metric=held_out.metric,
        rows=held_out.rows,
        trials=1,
        best_score=1,
        reference_score=0.5,
    )
    leaky = document.model_copy(update={"provenance": document.provenance.model_copy(update={"datasets": (leak,)})})
    with HeuristicsStore(f"sqlite:///{home / 'heuristics.db'}") as store:
        version = store.add(leaky).short
    table = home / "t.csv"
    table.write_text("x,y\n" + "\n".join(f"{row},{'ab'[row % 2]}" for row in range(60)))
    for arguments in (
        ["automl", "config", str(table), "--target", "y", "--version", version],
        ["validate", "demo", "--version", version],
        ["db", "show", version],
    ):
        assert run(arguments) == 2
        assert "mine is a held-out dataset" in capsys.readouterr().err

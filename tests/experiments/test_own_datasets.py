"""A dataset of one's own, from ``lode datasets add`` to a sweep's plan and a suite's table."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dataset_catalog import CatalogError, read_card
from experiments._home import Home
from experiments.sweeping import load_sweep, plan
from experiments.validating import SuiteBudget, SuiteEntry, SuiteSpec
from experiments.validating._held_out import load_held_out
from tests.experiments.calling import datasets as call


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    frame = pd.DataFrame(
        {
            "row": range(400),
            "patient_id": rng.integers(0, 60, 400),
            "when": pd.date_range("2021-01-01", periods=400).astype(str),
            "x": x.round(4),
            "city": rng.choice(["Rome", "Oslo"], 400),
            "outcome_code": np.where(x > 0, 7, 3),
            "churned": np.where(x > 0, "yes", "no"),
        }
    )
    frame.to_csv(tmp_path / "patients.csv", index=False)
    return tmp_path / "patients.csv"


def added(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict:
    code, out, err = call(capsys, "add", *arguments, "--json")
    assert code == 0, err
    found: dict = json.loads(out)
    return found


def test_added_it_is_listed_shown_profiled_verified_and_compared(home: Home, patients: Path, capsys) -> None:
    made = added(capsys, "patients.csv", "--target", "churned", "--split", "group:patient_id", "--licence", "CC0", "--drop", "row")
    assert made["written"] is True
    card = read_card(Path(made["path"]))
    assert (card.loader.path, card.licence, card.dropped, card.split.column) == (patients, "CC0", ("row",), "patient_id")
    assert {each["kind"] for each in made["findings"]} >= {"leak"}
    assert [each["option"] for each in made["splits"]] == ["--split time:when"]

    code, out, _ = call(capsys, "list", "--own", "--json")
    assert (code, [each["name"] for each in json.loads(out)]) == (0, ["patients"])
    code, out, _ = call(capsys, "verify", "patients", "--json")
    assert (code, json.loads(out)["failed"]) == (0, [])
    code, out, _ = call(capsys, "profile", "patients", "--json")
    assert (code, json.loads(out)["profile"]["nr_attr"]) == (0, 4)  # neither the groups nor the target

    code, out, _ = call(capsys, "show", "patients", "--json")
    shown = json.loads(out)
    assert code == 0
    assert (shown["own"], shown["locked"]["role"], sum(shown["content"]["parts"].values())) == (True, "training", 400)
    assert shown["content"]["target"]["classes"][0][0] in ("yes", "no")
    assert shown["origin"] == {"file": str(patients)}
    code, out, _ = call(capsys, "show", "patients")
    assert code == 0
    assert "group by 'patient_id'" in out
    assert "no heuristics version" in out

    pd.read_csv(patients).drop(columns="row").iloc[::-1].to_parquet("again.parquet")
    code, out, _ = call(capsys, "compare", "patients", "again.parquet", "--json")
    assert (code, json.loads(out)["verdict"]) == (0, "same content")
    pd.read_csv(patients).drop(columns=["row", "city"]).head(300).to_csv("part.csv", index=False)
    code, out, _ = call(capsys, "compare", "part.csv", "patients", "--json")
    assert (code, json.loads(out)["verdict"], json.loads(out)["shared_rows"]) == (0, "near-duplicate", 1.0)


def test_twice_the_same_is_once_and_a_taken_name_is_told(home: Home, patients: Path, capsys) -> None:
    once = ["patients.csv", "--target", "churned"]
    assert added(capsys, *once, "--dry-run")["written"] is None
    assert not home.datasets.exists() or not list(home.datasets.glob("cards/*"))
    assert [added(capsys, *once)["written"] for _ in range(2)] == [True, False]
    before = sorted((path, path.read_bytes()) for path in home.datasets.rglob("*") if path.suffix in (".yaml", ".json"))
    for wrong, said in (
        ([*once, "--role", "held_out"], "differs in role"),
        ([*once, "--name", "adult"], "ships with the project"),
        ([*once, "--name", "two", "--role", "held_out"], "cannot be held_out"),
        ([*once, "--family", "wine", "--name", "two"], None),
        (["patients.csv"], "--target COLUMN"),
        (["patients.csv", "--target", "churn"], "did you mean 'churned'"),
        (["nothing.csv", "--target", "y"], "no such file"),
        (["openml:x", "--target", "y"], "OpenML"),
    ):
        code, out, err = call(capsys, "add", *wrong, "--dry-run" if said is None else "--yes")
        assert code == (0 if said is None else 2), (wrong, err)
        if said is not None:
            assert (out, len(err.strip().splitlines())) == ("", 1)
            assert said in err
    assert sorted((path, path.read_bytes()) for path in home.datasets.rglob("*") if path.suffix in (".yaml", ".json")) == before


def test_held_out_data_is_not_added_as_training_data(home: Home, patients: Path, capsys) -> None:
    added(capsys, "patients.csv", "--target", "churned", "--role", "held_out")
    pd.read_csv(patients).sample(250, random_state=1).to_csv("sample.csv", index=False)
    code, out, err = call(capsys, "add", "sample.csv", "--target", "churned")
    assert (code, out) == (2, "")
    assert "patients, whose role is held_out" in err.strip().splitlines()[-1]
    assert home.catalog.card("patients").role == "held_out"
    with pytest.raises(CatalogError):
        home.catalog.card("sample")


def test_a_moved_or_changed_file_is_told_in_one_line(home: Home, patients: Path, capsys) -> None:
    added(capsys, "patients.csv", "--target", "churned")
    text = patients.read_text()
    patients.write_text(text.replace("Rome", "Roma"))
    code, out, _ = call(capsys, "verify", "patients", "--json")
    assert code == 1
    assert "its card expects 400 rows" in json.loads(out)["datasets"][0]["detail"]
    patients.unlink()
    with pytest.raises(CatalogError, match=r"patients: .*patients\.csv: no such file"):
        home.catalog.load("patients")
    code, out, _ = call(capsys, "show", "patients")
    assert code == 0
    assert "no such file" in out


def test_a_sweep_takes_it_by_name_under_its_split(home: Home, patients: Path, capsys, tmp_path: Path) -> None:
    added(capsys, "patients.csv", "--target", "churned", "--split", "time:when", "--drop", "row", "--drop", "outcome_code")
    path = tmp_path / "sweep.yaml"
    path.write_text("name: own\ndatasets: [patients]\nmodel_types: [concat]\nconfigurations: {count: 2}\nepochs: 1\nrow_cap: 200\n")
    made = plan(load_sweep(path), home, offline=True)
    (dataset,) = made.manifest.datasets
    assert (dataset.name, dataset.rows, dataset.family) == ("patients", 200, "patients")
    assert len(made.manifest.trials) == 2
    table = made.tables["patients"]
    assert "when" not in {feature.name for feature in table.features}
    late = pd.read_csv(patients).sort_values("when")["x"].tail(80)
    assert set(table.frame["x"][table.split == 2]) <= set(late)


def test_a_suite_takes_a_held_out_one(home: Home, patients: Path, capsys) -> None:
    added(capsys, "patients.csv", "--target", "churned", "--role", "held_out", "--split", "group:patient_id")
    suite = SuiteSpec(
        name="own",
        datasets=(SuiteEntry(name="patients"),),
        model_types=("concat",),
        budget=SuiteBudget(trials=2, epochs=1),
        seeds=(0,),
        row_cap=300,
    )
    held_out = load_held_out("patients", suite, home.catalog)
    assert (held_out.dataset.card.role, len(held_out.table.frame)) == ("held_out", 300)
    assert "patient_id" not in {feature.name for feature in held_out.table.features}
    assert np.bincount(held_out.table.split).min() > 0

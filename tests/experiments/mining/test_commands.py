"""``lode mine`` and ``lode trials`` on a journal, as a user calls them."""

import json

import pandas as pd
import pytest

from automl import untuned_spaces
from dataset_catalog import PROFILE_VERSION, Dataset, card
from experiments import _profiles
from experiments._home import Home
from experiments._mine import known_datasets, mine_sweeps
from experiments._scales import ScaleBook
from experiments.commands import run
from experiments.journaling import Journal
from heuristics_db import HeuristicsStore, canonical_json
from mining import OBSERVED, build_dataset_table, trial_table
from mining.policies import draw_configurations
from tests.mining.worlds import learning_rate_matters, record

DATASETS = ("adult", "california", "diamonds", "letter", "phoneme", "telco_churn")
HELD_OUT = "bank_marketing"


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("LODE_HOME", str(tmp_path / "lode"))
    return Home.find()


def fill(home, datasets=DATASETS, sweep="sweep-1", configurations=12, **changes):
    """Journal made-up trials of catalogued datasets."""
    journal = Journal(home.journal)
    for place, name in enumerate(datasets):
        described = card(name)
        direction = "maximize" if described.metric == "auc" else "minimize"
        for number, configuration in enumerate(draw_configurations(untuned_spaces()["concat"], configurations, seed=0)):
            loss = learning_rate_matters(f"d{place}", "concat", configuration)
            made = record(f"d{int(direction == 'maximize')}", "concat", configuration, loss, number=number)
            told = {"dataset": name, "fingerprint": described.fingerprint, "family": described.family, "role": described.role}
            told |= {"task": described.task, "metric": described.metric, "trial_id": f"{name}-{number:03d}", "sweep_id": sweep}
            journal.append(made.model_copy(update=told | changes))
    return journal


def test_mining_stores_a_candidate_that_can_be_read_back(home, capsys):
    fill(home)
    assert run(["mine", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    with HeuristicsStore(home.database_url) as store:
        document, version = store.get(told["version"]), store.version(told["version"])
    assert version.state == "candidate"
    assert document.provenance.trials == 72
    assert document.modalities["tabular"].portfolio
    assert set(document.provenance.versions) >= {"ludwig", "torch", "motherlode"}
    assert run(["mine", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["version"] == told["version"]


def test_figures_are_told_on_the_frozen_ends_of_the_rows_that_were_swept(home):
    frozen = next(each for each in ScaleBook.load().scales if each.name == "adult")
    fill(home, ["adult"], row_cap=frozen.row_cap, split_id=frozen.split_id)
    fill(home, ["phoneme"])
    adult, phoneme = mine_sweeps(home).provenance.datasets
    assert (adult.best_score, adult.reference_score) == (frozen.best, frozen.reference)
    assert "frozen in revision 1: validation part of" in adult.reference
    assert phoneme.reference == OBSERVED
    assert phoneme.best_score == max(each.validation_score for each in Journal(home.journal).records() if each.dataset == "phoneme")


def test_the_dataset_table_has_the_profile_of_a_dataset_whose_archive_is_there(home, monkeypatch):
    fill(home, ["phoneme"], configurations=3)
    records = Journal(home.journal).records()
    assert known_datasets(home, records)[0].profile == {}
    loaded = []

    def load(name, *, cache, offline):
        assert offline
        loaded.append(name)
        frame = pd.DataFrame({"x": [0.1, 0.2, 0.3, 0.4], "y": ["a", "b", "a", "b"]})
        return Dataset(card(name), frame.rename(columns={"y": card(name).target}), card(name).fingerprint)

    monkeypatch.setattr(_profiles, "load", load)
    for _ in range(2):
        table = build_dataset_table(trial_table(records), known_datasets(home, records))
        assert (table["profile"][0]["nr_inst"], table["profile"][0]["version"]) == (4, PROFILE_VERSION)
    assert loaded == ["phoneme"]


def test_a_dry_run_stores_nothing_and_people_get_tables(home, capsys):
    fill(home)
    assert run(["mine", "--dry-run"]) == 0
    shown = capsys.readouterr()
    assert "trainer.learning_rate" in shown.out
    assert "nothing was stored" in shown.err
    with HeuristicsStore(home.database_url) as store:
        assert store.versions() == []


def test_a_sweep_that_ran_on_held_out_data_is_refused(home, capsys):
    fill(home)
    fill(home, [HELD_OUT], sweep="validation-1")
    assert run(["mine", "--sweep", "sweep-1", "--sweep", "validation-1"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("lode: held-out data reached the miner: bank_marketing")
    assert "bank_marketing-000" in told
    # without being named, a validation's trials are not among those that are mined
    assert canonical_json(mine_sweeps(home)) == canonical_json(mine_sweeps(home, ["sweep-1"]))


@pytest.mark.parametrize("arguments", [["mine"], ["mine", "--sweep", "none"], ["trials", "show", "abc"], ["trials", "list", "-s", "none"]])
def test_an_empty_journal_is_one_clear_line(home, capsys, arguments):
    assert run(arguments) == 2
    told = capsys.readouterr().err.strip()
    assert told.startswith("lode: ")
    assert "\n" not in told


def test_trials_are_listed_shown_and_exported(home, capsys, tmp_path):
    fill(home, configurations=3)
    assert run(["trials", "list", "--dataset", "adult", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["trials"]
    assert len(listed) == 3
    assert [each["validation_score"] for each in listed] == sorted((each["validation_score"] for each in listed), reverse=True)
    assert run(["trials", "list"]) == 0
    assert run(["trials", "show", "adult-001"]) == 0
    assert "trainer.learning_rate" in capsys.readouterr().out
    assert run(["trials", "show", "adult-00"]) == 2
    for name in ("trials.parquet", "trials.csv", "trials.jsonl"):
        assert run(["trials", "export", str(tmp_path / name)]) == 0
    assert len((tmp_path / "trials.jsonl").read_text().splitlines()) == 18
    for table in (pd.read_parquet(tmp_path / "trials.parquet"), pd.read_csv(tmp_path / "trials.csv")):
        assert len(table) == 18
        assert json.loads(table["param.trainer.optimizer.type"][0]) == "adamw"
    assert run(["trials", "export", str(tmp_path / "trials.xlsx")]) == 2
    assert run(["trials", "export", str(tmp_path / "trials.xlsx"), "--dry-run"]) == 2
    assert run(["trials", "list", "--status", "compleated"]) == 2
    assert "is no state of a trial; there are completed" in capsys.readouterr().err
    assert run(["trials", "export", str(tmp_path / "none" / "trials.csv")]) == 2

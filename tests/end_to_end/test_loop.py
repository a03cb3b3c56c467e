"""The loop on real training: sweeps, then mining, then the database, with the commands that a user calls. No network.

The tables are scikit-learn's own small ones; each stands in for a catalogued dataset of its task, under that one's name and fingerprint.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

from automl import TaskTable, TrialEngine, TrialRequest, make_task_table, trial_id
from dataset_catalog import card
from experiments import Home
from experiments._mine import mine_sweeps
from experiments.commands import run
from experiments.journaling import Journal, JournalRecorder
from experiments.sweeping import SweepSpec, plan_tables, run_plan
from heuristics_db import HeuristicsStore, canonical_json
from tests.experiments.sweeping.conftest import InProcessPool

CONFIGURATIONS, EPOCHS = 5, 2
STAND_INS: dict[str, Callable[..., object]] = {
    "credit_g": load_breast_cancer,
    "splice": load_wine,
    "california": load_diabetes,
    "bank_marketing": load_breast_cancer,
}


@dataclass(frozen=True)
class Loop:
    home: Home
    sweeps: tuple[str, ...]
    validation: str = "validation-toy"
    own_run: str = "automl-toy"


def stand_in(name: str) -> TaskTable:
    described = card(name)
    frame = STAND_INS[name](as_frame=True).frame.iloc[:, -8:]
    if described.task != "regression":
        frame = frame.assign(target=frame["target"].map(lambda each: f"class {each:.0f}"))
    positive = "class 1" if described.task == "binary" else None
    fingerprint = described.fingerprint
    return make_task_table(frame, "target", name=name, task=described.task, row_cap=160, fingerprint=fingerprint, positive=positive)


def sweep(home: Home, name: str, datasets: tuple[str, ...]) -> str:
    given = {"name": name, "datasets": list(datasets), "model_types": ["concat"], "epochs": EPOCHS, "row_cap": 160}
    spec = SweepSpec.model_validate(given | {"configurations": {"count": CONFIGURATIONS, "sampler": "sobol"}})
    planned = plan_tables(spec, {each: stand_in(each) for each in datasets}, {each: card(each).family for each in datasets})
    outcome = run_plan(planned, home, pool=InProcessPool(home), track=False)
    assert (outcome.ran, outcome.planned) == (CONFIGURATIONS * len(datasets),) * 2
    return outcome.sweep_id


def search(home: Home, group: str, table: TaskTable, role: str) -> None:
    """One trial of a search: as a validation journals it, or an AutoML run on a user's own table."""
    chosen = {"trainer.learning_rate": 0.01}
    labels = {"sweep_id": group, "dataset": table.name, "family": table.name, "role": role}
    name = trial_id(table, "concat", chosen, seed=0, epochs=1)
    request = TrialRequest(trial_id=name, table=table, model_type="concat", hyperparameters=chosen, seed=0, epochs=1, labels=labels)
    TrialEngine(home.prepared, JournalRecorder(home.journal)).run(request)


@pytest.fixture(scope="module")
def loop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loop]:
    """A home in which two sweeps, a validation and a user's search left real trials."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LODE_HOME", str(tmp_path_factory.mktemp("loop")))
        home = Home.find()
        made = Loop(home, (sweep(home, "tables", ("california", "splice")), sweep(home, "more", ("credit_g",))))
        search(home, made.validation, stand_in("bank_marketing"), "held_out")
        own = load_wine(as_frame=True).frame.iloc[:, -4:].assign(target=lambda frame: frame["target"].astype(str))
        search(home, made.own_run, make_task_table(own, "target", name="mine.csv"), "user")
        yield made


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    capsys.readouterr()
    assert run([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_from_sweeps_to_stored_versions_and_what_they_differ_in(loop: Loop, capsys: pytest.CaptureFixture[str]) -> None:
    document = mine_sweeps(loop.home, loop.sweeps[:1])
    with HeuristicsStore(loop.home.database_url) as store:
        first = store.add(document, note="one sweep").id
        assert canonical_json(store.get(first)) == canonical_json(document)
    second = told(capsys, "mine")["version"]
    with HeuristicsStore(loop.home.database_url) as store:
        provenance = store.get(second).provenance
        heuristics = store.get(second).modalities["tabular"]
    ran = Journal(loop.home.journal).records(loop.sweeps[0])[0].versions
    assert {name: provenance.versions[name] for name in ("engine", "ludwig", "torch")} == {
        name: ran[name] for name in ("engine", "ludwig", "torch")
    }
    assert provenance.trials == 3 * CONFIGURATIONS
    assert set(provenance.sweeps) == set(loop.sweeps)
    assert [each.name for each in provenance.datasets] == ["california", "credit_g", "splice"]
    assert heuristics.model_choice.order == ("concat",)
    assert heuristics.limits.epochs == EPOCHS
    assert all(heuristics.model_types["concat"].space.misfit(each.configuration) is None for each in heuristics.portfolio)

    assert {each["id"] for each in told(capsys, "db", "list")["versions"]} == {first, second}
    shown = told(capsys, "db", "show", second)
    assert json.dumps(shown).count(loop.sweeps[1])
    differing = json.dumps(told(capsys, "db", "diff", first[:12], second[:12]))
    assert "credit_g" in differing
    for command in (["db", "list"], ["db", "show", second], ["db", "diff", first, second], ["mine", "--dry-run"]):
        assert run(command) == 0


def test_real_trials_are_listed_shown_and_exported(loop: Loop, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    listed = told(capsys, "trials", "list", "--sweep", loop.sweeps[0], "--dataset", "california")["trials"]
    assert len(listed) == CONFIGURATIONS
    scores = [each["validation_score"] for each in listed]
    assert scores == sorted(scores)  # RMSE: the least first
    shown = told(capsys, "trials", "show", listed[0]["trial_id"])
    assert shown["validation_score"] == min(point["score"] for point in shown["curve"])
    assert shown["hyperparameters"] == listed[0]["hyperparameters"]
    assert run(["trials", "show", listed[0]["trial_id"][:12]]) == 0
    path = tmp_path / "trials.parquet"
    assert told(capsys, "trials", "export", str(path))["trials"] == 3 * CONFIGURATIONS + 2
    table = pd.read_parquet(path)
    assert sorted(set(table["role"])) == ["held_out", "training", "user"]
    assert table["test_score"].notna().all()


@pytest.mark.parametrize(("group", "why"), [("validation", "held-out data reached the miner: bank_marketing"), ("own_run", "mine.csv")])
def test_what_may_not_be_mined_is_refused_in_one_line(loop: Loop, capsys: pytest.CaptureFixture[str], group: str, why: str) -> None:
    for arguments in (["mine", "--sweep", getattr(loop, group)], ["mine", "-s", loop.sweeps[0], "-s", getattr(loop, group)]):
        capsys.readouterr()
        assert run(arguments) == 2
        refusal = capsys.readouterr().err.strip()
        assert refusal.startswith("lode: ")
        assert why in refusal
        assert "\n" not in refusal


def test_a_sweep_that_drew_from_other_spaces_is_refused(loop: Loop, capsys: pytest.CaptureFixture[str]) -> None:
    plan = loop.home.journal / loop.sweeps[1] / "plan.json"
    content = plan.read_text()
    plan.write_text(json.dumps(json.loads(content) | {"untuned_space_hash": "0" * 64}))
    try:
        assert run(["mine"]) == 2
        assert f"sweep {loop.sweeps[1]} drew from other wide search spaces (000000000000)" in capsys.readouterr().err
        assert run(["mine", "--sweep", loop.sweeps[0], "--dry-run"]) == 0
    finally:
        plan.write_text(content)

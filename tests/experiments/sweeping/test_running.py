import json
from dataclasses import replace

import pytest

import dataset_catalog
from experiments import ExperimentError, Home
from experiments.commands._root import run
from experiments.journaling import Journal
from experiments.sweeping import DatasetChoice, Limits, SweepPlan, SweepSpec, SweepTally, plan_tables, run_plan, sweep_status
from experiments.sweeping._plan import _choose
from experiments.tracking import connect

from .conftest import FAMILIES, InProcessPool, make_table


def test_a_plan_shares_its_configurations_and_has_one_id(spec: SweepSpec, toy_plan: SweepPlan) -> None:
    trials = toy_plan.manifest.trials
    assert len({each.trial_id for each in trials}) == len(trials) == 4
    assert [each.hyperparameters for each in trials if each.dataset == "one"] == [
        each.hyperparameters for each in trials if each.dataset == "two"
    ]
    again = plan_tables(spec, toy_plan.tables, FAMILIES)
    assert again.sweep_id == toy_plan.sweep_id
    other = plan_tables(spec.model_copy(update={"epochs": 3}), toy_plan.tables, FAMILIES)
    assert other.sweep_id != toy_plan.sweep_id
    assert not {each.trial_id for each in other.manifest.trials} & {each.trial_id for each in trials}


def test_an_unknown_model_type_is_named(spec: SweepSpec) -> None:
    with pytest.raises(ExperimentError, match="unknown model type perceptron"):
        plan_tables(spec.model_copy(update={"model_types": ("perceptron",)}), {}, {})


def test_an_interrupted_sweep_goes_on_where_it_stood(
    home: Home, spec: SweepSpec, toy_plan: SweepPlan, capsys: pytest.CaptureFixture[str]
) -> None:
    first = InProcessPool(home, most=2)
    with pytest.raises(KeyboardInterrupt):
        run_plan(toy_plan, home, pool=first, track=False)
    assert sweep_status(home, toy_plan.sweep_id).tally.done == 2
    assert run(["sweep", "status", "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)["sweeps"]
    assert (told["state"], told["done"], told["planned"]) == ("interrupted", 2, 4)

    second = InProcessPool(home)
    seen: list[int] = []
    outcome = run_plan(toy_plan, home, pool=second, progress=lambda tally: seen.append(tally.done))
    assert (outcome.ran, outcome.reused, outcome.planned, outcome.failed) == (2, 2, 4, 0)
    assert outcome.statuses == {"completed": 4}
    assert outcome.overhead_seconds is not None
    assert list(dict.fromkeys(seen)) == [2, 3, 4]
    assert not set(first.ran) & set(second.ran)
    records = Journal(home.journal).records(toy_plan.sweep_id)
    assert {each.trial_id for each in records} == {each.trial_id for each in toy_plan.manifest.trials}
    assert {(each.dataset, each.family, each.role) for each in records} == {("one", "ones", "training"), ("two", "twos", "training")}
    assert all(len(each.curve) == 2 and each.validation_score is not None and each.test_score is not None for each in records)

    assert outcome.tracking is not None
    assert (outcome.tracking.logged, outcome.tracking.error) == (4, None)
    assert run(["sweep", "sync", toy_plan.sweep_id, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sweeps"][0]["logged"] == 0

    third = InProcessPool(home)
    longer = plan_tables(
        spec.model_copy(update={"name": "longer", "configurations": spec.configurations.model_copy(update={"count": 3})}),
        toy_plan.tables,
        FAMILIES,
    )
    outcome = run_plan(longer, home, pool=third)
    assert (outcome.ran, outcome.reused) == (2, 4)
    assert len(Journal(home.journal).records()) == 6
    assert len(Journal(home.journal).records(longer.sweep_id)) == 6
    client = connect(home)
    experiment = client.get_experiment_by_name("motherlode").experiment_id
    assert len(client.search_runs([experiment], f"tags.`lode.sweep_id` = '{longer.sweep_id}' and tags.`lode.kind` = 'trial'")) == 6


def test_a_trial_of_a_users_own_run_is_taken_as_the_sweeps_own(home: Home, toy_plan: SweepPlan) -> None:
    labels = {"sweep_id": "automl-1", "dataset": "table", "family": "table", "role": "user"}
    requests = [replace(toy_plan.request(trial), labels=labels) for trial in toy_plan.manifest.trials[:1]]
    InProcessPool(home).submit(requests[0]).result()
    outcome = run_plan(toy_plan, home, pool=InProcessPool(home), track=False)
    assert (outcome.ran, outcome.reused) == (3, 1)
    records = Journal(home.journal).records(toy_plan.sweep_id)
    assert {(each.role, each.sweep_id) for each in records} == {("training", toy_plan.sweep_id)}
    assert len(Journal(home.journal).records(role="training")) == 4


def test_two_drivers_do_not_run_one_sweep(home: Home, toy_plan: SweepPlan) -> None:
    def meddle(tally: SweepTally) -> None:
        assert sweep_status(home, toy_plan.sweep_id).running
        with pytest.raises(ExperimentError, match="being run by another process"):
            run_plan(toy_plan, home, pool=InProcessPool(home), track=False)

    run_plan(toy_plan, home, pool=InProcessPool(home), track=False, progress=meddle)


def test_failures_are_data(home: Home, spec: SweepSpec) -> None:
    late = plan_tables(spec.model_copy(update={"limits": Limits(trial_seconds=1e-9)}), {"one": make_table("one", 1)}, {"one": "ones"})
    outcome = run_plan(late, home, pool=InProcessPool(home), track=False)
    assert outcome.statuses == {"timed_out": 2}
    assert run_plan(late, home, pool=InProcessPool(home), track=False).ran == 0
    assert sweep_status(home, late.sweep_id).complete
    unhurried = plan_tables(spec, {"one": make_table("one", 1)}, {"one": "ones"})
    outcome = run_plan(unhurried, home, pool=InProcessPool(home), track=False)
    assert (outcome.ran, outcome.statuses) == (2, {"completed": 2})


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("bank_marketing", "bank_marketing is held out and may not be swept"),
        ("hutto_tweets", "hutto_tweets is unused and may not be swept"),
        ("trec6", "trec6 is text, and the model types that a sweep can train are for tables"),
    ],
)
def test_a_dataset_that_may_not_be_swept_is_refused(name: str, said: str, tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "sweep.yaml"
    path.write_text(f"name: peep\ndatasets: [{name}]\nconfigurations: {{count: 1}}\nepochs: 1\n")
    assert run(["sweep", "run", str(path)]) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1
    assert said in lines[0]


def test_a_sweep_of_a_role_takes_tables_alone(spec: SweepSpec, home: Home) -> None:
    chosen = _choose(spec.model_copy(update={"datasets": DatasetChoice(role="training")}), home.catalog)
    assert len(chosen) == 12
    assert {each.modality for each in chosen} == {"tabular"}


def test_held_out_content_is_refused_under_any_name(spec: SweepSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    card = dataset_catalog.card("bank_marketing")
    disguised = replace(make_table("one", 1), fingerprint=card.fingerprint)
    with pytest.raises(ExperimentError, match="held-out"):
        plan_tables(spec, {"one": disguised}, {"one": "ones"})
    with pytest.raises(ExperimentError, match="held-out"):
        plan_tables(spec, {"one": make_table("one", 1)}, {"one": card.family})

    book = dataset_catalog.RoleBook.load()
    table = make_table("one", 1)
    known = next(each for each in book.datasets if each.role == "held_out")
    copied = known.model_copy(update={"sketch": dataset_catalog.sketch(table.frame)})
    monkeypatch.setattr(dataset_catalog.RoleBook, "load", classmethod(lambda _: book.model_copy(update={"datasets": (copied,)})))
    with pytest.raises(ExperimentError, match=f"one repeats rows of the held-out dataset {known.name}"):
        plan_tables(spec, {"one": table}, {"one": "ones"})
    assert plan_tables(spec, {"one": make_table("one", 2)}, {"one": "ones"}).manifest.trials


def test_unknown_names_are_one_line(home: Home, tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "sweep.yaml"
    path.write_text("name: peep\ndatasets: [adlut]\nconfigurations: {count: 1}\nepochs: 1\n")
    assert run(["sweep", "run", str(path)]) == 2
    assert "did you mean 'adult'" in capsys.readouterr().err
    assert run(["sweep", "resume", "nothing"]) == 2
    assert "no sweep 'nothing'" in capsys.readouterr().err
    assert run(["sweep", "resume"]) == 2
    assert "no unfinished sweep" in capsys.readouterr().err
    assert run(["sweep", "sync", "../../etc"]) == 2
    assert "no sweep id" in capsys.readouterr().err

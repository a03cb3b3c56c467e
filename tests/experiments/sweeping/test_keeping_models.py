from datetime import datetime
from pathlib import Path

import pytest

from automl import KeptModel, keep_best, kept_model
from experiments import Home
from experiments.journaling import Journal
from experiments.sweeping import SweepBudget, SweepPlan, plan_tables, run_plan, sweep_run
from experiments.tracking import connect, sync

from .conftest import FAMILIES, InProcessPool


def artifacts(home: Home) -> dict[str, set[str]]:
    """Return the names of the artifacts in each trial's ``model`` folder, where there is one."""
    client = connect(home)
    experiment = client.get_experiment_by_name("motherlode")
    found = {}
    for run in client.search_runs([experiment.experiment_id], "tags.`lode.model` = 'model'"):
        found[run.data.tags["lode.trial_id"]] = {Path(each.path).name for each in client.list_artifacts(run.info.run_id, "model")}
    return found


@pytest.mark.parametrize("keep", ["best", "all", "none"])
def test_models_are_kept_and_logged_as_asked(home: Home, toy_plan: SweepPlan, keep: str) -> None:
    run_plan(toy_plan, home, pool=InProcessPool(home), keep_models=keep)  # type: ignore[arg-type]
    records = Journal(home.journal).records(toy_plan.sweep_id)
    best = [
        max((each for each in records if each.dataset == name), key=lambda each: each.validation_score or 0.0) for name in ("one", "two")
    ]
    wanted = {"best": {each.trial_id for each in best}, "all": {each.trial_id for each in records}, "none": set()}[keep]
    logged = artifacts(home)
    assert logged.keys() == wanted
    assert all("model_weights" in str(names) for names in logged.values())
    if keep == "best":
        assert {kept_model(home.models / toy_plan.sweep_id / name)[0].trial_id for name in ("one", "two")} == wanted  # type: ignore[index]
    sync(home, sweep_run(home, toy_plan.sweep_id))
    assert artifacts(home) == logged


def test_a_model_that_gave_way_to_a_better_one_is_no_longer_tagged(home: Home, toy_plan: SweepPlan) -> None:
    short = plan_tables(toy_plan.manifest.spec.model_copy(update={"budget": SweepBudget(trials=1)}), toy_plan.tables, FAMILIES)
    run_plan(short, home, pool=InProcessPool(home))
    (first,) = artifacts(home)
    (record,) = Journal(home.journal).records(short.sweep_id)
    folder = home.models / short.sweep_id / record.dataset
    path = keep_best(folder, KeptModel("better", (record.validation_score or 0.0) + 1.0, "maximize"), lambda place: place.mkdir())
    assert path is not None
    (path / "model_weights").write_text("")
    Journal(home.journal).append(record.model_copy(update={"trial_id": "better"}))
    sync(home, sweep_run(home, short.sweep_id))
    assert artifacts(home) == {"better": {"model_weights"}}
    assert first == record.trial_id


@pytest.mark.parametrize("track", [True, False], ids=["while it runs", "later"])
def test_a_sweep_whose_budget_is_spent_is_shown_alike_whenever_it_is_logged(home: Home, toy_plan: SweepPlan, track: bool) -> None:
    short = plan_tables(toy_plan.manifest.spec.model_copy(update={"budget": SweepBudget(trials=1)}), toy_plan.tables, FAMILIES)
    run_plan(short, home, pool=InProcessPool(home), track=track)
    if not track:
        sync(home, sweep_run(home, short.sweep_id))
    client = connect(home)
    experiment = client.get_experiment_by_name("motherlode")
    (parent,) = client.search_runs([experiment.experiment_id], "tags.`lode.kind` = 'sweep'")
    assert (parent.info.status, len(artifacts(home))) == ("KILLED", 1)
    began = Journal(home.journal).manifest(short.sweep_id)["created_at"]  # type: ignore[index]
    assert parent.info.start_time == int(datetime.fromisoformat(str(began)).timestamp() * 1000)

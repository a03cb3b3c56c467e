from pathlib import Path

import pytest

from automl import kept_model
from experiments import Home
from experiments.journaling import Journal
from experiments.sweeping import SweepPlan, run_plan, sweep_run
from experiments.tracking import connect, sync

from .conftest import InProcessPool


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

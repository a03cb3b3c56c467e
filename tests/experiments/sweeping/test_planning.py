"""Portfolios, draws of a dataset's own, forecasts, and ids that stay what they were."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from experiments import ExperimentError, Home
from experiments.commands._root import run
from experiments.journaling import Journal
from experiments.sweeping import Portfolio, SweepSpec, find_sweep, forecast, load_sweep, plan_tables, run_plan

from .conftest import FAMILIES, FakePool, make_table


def tables() -> dict:
    return {"one": make_table("one", 1), "two": make_table("two", 2)}


def test_what_decides_about_a_sweeps_id_is_what_it_was() -> None:
    """As ``model_dump`` gave it before limits, budgets and portfolios were there: the sweeps of the demo keep their ids."""
    assert load_sweep(find_sweep("demo")).determinants() == {
        "name": "demo",
        "datasets": ["adult", "telco_churn", "phoneme", "letter", "california", "diamonds"],
        "model_types": ["concat", "tabnet"],
        "configurations": {"count": 24, "sampler": "sobol", "seed": 0},
        "seeds": [0],
        "epochs": 8,
        "row_cap": 1500,
        "split_seed": 0,
        "time_limit": 300.0,
    }


def test_how_a_sweep_is_carried_out_changes_no_id(spec: SweepSpec) -> None:
    changed = spec.model_dump() | {
        "limits": {"parallel": 3, "failed_trials": 5, "trial_memory": "2GiB"},
        "budget": {"trials": 7},
        "retries": {"failed": 2},
    }
    assert plan_tables(SweepSpec.model_validate(changed), tables(), FAMILIES).sweep_id == plan_tables(spec, tables(), FAMILIES).sweep_id


def test_earlier_names_are_read(tmp_path: Path) -> None:
    base = {"name": "old", "datasets": ["adult"], "configurations": {"count": 1}, "epochs": 1}
    old = SweepSpec.model_validate(base | {"workers": 3, "time_limit": 60})
    assert (old.limits.parallel, old.limits.trial_seconds) == (3, 60)
    with pytest.raises(ValueError, match=r"workers is the earlier name of limits\.parallel; give the latter alone"):
        SweepSpec.model_validate(base | {"workers": 3, "limits": {"parallel": 3}})


def test_a_dataset_may_have_configurations_of_its_own(spec: SweepSpec) -> None:
    own = SweepSpec.model_validate(spec.model_dump() | {"configurations": {"count": 4, "sampler": "sobol", "seed": 3, "shared": False}})
    trials = plan_tables(own, tables(), FAMILIES).manifest.trials
    drawn = {name: [each.hyperparameters for each in trials if each.dataset == name] for name in ("one", "two")}
    assert len(trials) == 8
    assert not any(each in drawn["two"] for each in drawn["one"])
    assert plan_tables(own, tables(), FAMILIES).manifest.trials == trials


def seeds(spec: SweepSpec) -> list[dict]:
    planned = plan_tables(spec, tables(), FAMILIES)
    return [{"model_type": "concat", "configuration": dict(planned.manifest.trials[place].hyperparameters)} for place in (0, 1)]


def test_a_portfolio_comes_before_what_is_drawn(home: Home, spec: SweepSpec, tmp_path: Path) -> None:
    from automl import untuned_spaces

    listed = seeds(spec)
    path = tmp_path / "portfolio.json"
    path.write_text(json.dumps(listed))
    other = {"count": 2, "sampler": "random", "seed": 9}
    given = Portfolio.model_validate({"file": str(path)}).resolved(home, untuned_spaces())
    both = SweepSpec.model_validate(spec.model_dump() | {"portfolio": given.model_dump(), "configurations": other})
    trials = plan_tables(both, tables(), FAMILIES).manifest.trials
    of_one = [each.hyperparameters for each in trials if each.dataset == "one"]
    assert of_one[:2] == [each["configuration"] for each in listed]
    assert len(of_one) == 4
    alone = SweepSpec.model_validate(spec.model_dump() | {"portfolio": listed, "configurations": {}, "model_types": None})
    planned = plan_tables(alone, tables(), FAMILIES)
    assert [each.hyperparameters for each in planned.manifest.trials if each.dataset == "two"] == of_one[:2]
    outcome = run_plan(planned, home, pool=FakePool(home), track=False)
    assert outcome.ran == 4


def test_a_portfolio_that_does_not_fit_is_one_line(home: Home, spec: SweepSpec, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "sweep.yaml"
    text = "name: p\ndatasets: [adult]\nepochs: 1\n"
    for portfolio, told in (
        ("{file: none.json}", "none.json: no such file"),
        ("[{model_type: concat, configuration: {combiner.depth: 3}}]", "combiner.depth is no hyperparameter of concat"),
        ("[{model_type: perceptron, configuration: {a: 3}}]", "unknown model type perceptron"),
        ("{}", "give a version, a file, or a list"),
        ("{version: staging, file: a.json}", "not both"),
        ("{version: staging}", "staging"),
    ):
        path.write_text(f"{text}portfolio: {portfolio}\n")
        assert run(["sweep", "run", str(path), "--dry-run"]) == 2, portfolio
        error = capsys.readouterr().err.strip()
        assert told in error
        assert len(error.splitlines()) == 1
    os.mkfifo(tmp_path / "pipe.json")
    for name, content, told in (
        ("a.json", '[{"model_type": "concat", "configuration": {"a": NaN}}]', "configuration 1: configuration.a"),
        ("b.json", '[{"model_type": "concat"}]', "configuration 1: the key 'configuration' is missing"),
        ("c.json", "[1]", "configuration 1 is not {model_type, configuration}"),
        ("d.json", "[" * 100_000, "not valid JSON"),
        ("e.yaml", "- {[a]: 1}", "not valid YAML"),
        ("f.yaml", "- {model_type: concat, model_type: tabnet}", "the key 'model_type' is given twice"),
        ("pipe.json", None, "not a regular file"),
        ("/dev/zero", None, "not a regular file"),
        ("", None, "is a folder"),
    ):
        if content is not None:
            (tmp_path / name).write_text(content)
        path.write_text(f"{text}portfolio: {{file: '{tmp_path / name}'}}\n")
        assert run(["sweep", "run", str(path), "--dry-run"]) == 2, name
        error = capsys.readouterr().err.strip()
        assert told in error
        assert len(error.splitlines()) == 1
    left_out = SweepSpec.model_validate(spec.model_dump() | {"portfolio": seeds(spec), "model_types": ["tabnet"]})
    with pytest.raises(ExperimentError, match="`model_types` leaves out concat"):
        plan_tables(left_out, tables(), FAMILIES)


def test_a_forecast_says_what_it_stands_on(home: Home, spec: SweepSpec) -> None:
    long = SweepSpec.model_validate(spec.model_dump() | {"configurations": {"count": 8}, "limits": {"parallel": 2}})
    planned = plan_tables(long, tables(), FAMILIES)
    before = forecast(planned.manifest, [], ())
    assert all("a prior" in each.source for each in before.rows)
    assert [(each.dataset, each.trials, each.done) for each in before.rows] == [("one", 8, 0), ("two", 8, 0)]
    assert before.hours > 0
    run_plan(planned, home, pool=FakePool(home), track=False)
    records = Journal(home.journal).records()
    wider = SweepSpec.model_validate(spec.model_dump() | {"configurations": {"count": 10}, "limits": {"parallel": 2}})
    extended = plan_tables(wider, tables(), FAMILIES).manifest
    after = forecast(extended, records, {each.trial_id for each in records})
    assert [(each.trials, each.done, each.source) for each in after.rows] == [
        (10, 8, "8 concat trials on one"),
        (10, 8, "8 concat trials on two"),
    ]
    assert after.hours == pytest.approx(4 * 0.02 / 2 / 3600)
    assert after.peak_bytes == 2 * 2**20
    priced = SweepSpec.model_validate(wider.model_dump() | {"budget": {"dollars": 5, "dollars_per_hour": 2}})
    assert forecast(plan_tables(priced, tables(), FAMILIES).manifest, records, ()).dollars is not None


def test_planning_imports_neither_ray_nor_ludwig() -> None:
    code = """
import sys
import pandas
from automl import make_task_table
from experiments.sweeping import SweepSpec, forecast, plan_tables
import experiments.commands._sweep, experiments.commands._sweep_show
spec = SweepSpec.model_validate({"name": "toy", "datasets": ["one"], "configurations": {"count": 2}, "epochs": 2})
frame = pandas.DataFrame({"x": range(100), "y": ["yes", "no"] * 50})
planned = plan_tables(spec, {"one": make_task_table(frame, "y", name="one", positive="yes")}, {"one": "ones"})
forecast(planned.manifest, [], ())
sys.exit(", ".join(sorted({name for name in ("ray", "ludwig", "torch") if name in sys.modules})) or 0)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[3], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")

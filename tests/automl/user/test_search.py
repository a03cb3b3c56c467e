"""The search on Ray Tune: seeds first, seeded, stopped by the scheduler, within its budget, on the shared warm worker."""

import shutil
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

from automl import AutoMLError, Budget, make_task_table, run_search, search_plan, untuned_spaces
from automl._plan import SearchPlan
from experiments.journaling import Journal
from heuristics_db import EarlyStoppingPolicy, SeedConfiguration
from mining.policies import draw_configurations

SPACES = {"concat": untuned_spaces()["concat"]}
SEEDS = tuple(SeedConfiguration(model_type="concat", configuration=each) for each in draw_configurations(SPACES["concat"], 2, seed=9))
PLAN = search_plan(None).restricted(("concat",), "for a test")


def seeded(policy=PLAN.early_stopping, portfolio=SEEDS):
    return SearchPlan(SPACES, portfolio, ("concat",), policy, PLAN.limits, "v1", {})


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    x, level = rng.normal(size=200), rng.choice(list("abc"), 200)
    return make_task_table(pd.DataFrame({"x": x, "level": level, "y": x + (level == "a") > 0.3}), "y", name="toy")


def told(result):
    return [(each.trial_id, each.status, each.validation_score, each.test_score) for each in result.trials]


def test_seeds_come_first_then_the_sampler_and_the_best_on_validation_is_chosen(warm_pool, table, tmp_path):
    seen = []
    found = run_search(
        table, seeded(), Budget(4, None, 3), seed=1, pool=warm_pool, storage=tmp_path, keep_models=True, progress=seen.append,
        labels={"sweep_id": "t1", "dataset": "toy", "family": "toy", "role": "user"},
    )  # fmt: skip
    assert found.origins == ("seed", "seed", "sampler", "sampler")
    assert [dict(each.hyperparameters) for each in found.trials[:2]] == [each.configuration for each in SEEDS]
    assert seen == list(found.trials)
    assert found.best.validation_score == max(each.validation_score for each in found.trials)
    assert [each.name for each in (tmp_path / "models").iterdir()] == [found.best.trial_id]
    assert not (tmp_path / "tune").exists()


def test_searches_repeat_under_their_seed_and_may_run_at_the_same_time(warm_pool, table, tmp_path):
    labels = {"sweep_id": "t2", "dataset": "toy", "family": "toy", "role": "user"}

    def search(number, seed=5):
        return run_search(table, PLAN, Budget(3, None, 2), seed=seed, pool=warm_pool, storage=tmp_path / str(number), labels=labels)

    alone = search(0)
    shutil.rmtree(warm_pool._line.recorder.root / "t2")  # what is journaled would not run again
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(search, (1, 2))
    assert told(first) == told(alone)
    assert first.trials == second.trials  # started at the same moments: each was run once, for both


def test_the_scheduler_gives_up_trials_and_they_are_scored_all_the_same(warm_pool, table, tmp_path):
    labels = {"sweep_id": "t3", "dataset": "toy", "family": "toy", "role": "user"}
    good = dict(SEEDS[0].configuration) | {"trainer.learning_rate": 0.01, "combiner.dropout": 0.0}
    bad = good | {"trainer.learning_rate": 1e-5}
    portfolio = tuple(SeedConfiguration(model_type="concat", configuration=each) for each in (good, bad))
    policy = EarlyStoppingPolicy(grace_period=1, reduction_factor=2, max_epochs=4)
    found = run_search(table, seeded(policy, portfolio), Budget(2, None, 4), seed=1, pool=warm_pool, storage=tmp_path, labels=labels)
    assert [(each.status, len(each.curve)) for each in found.trials] == [("completed", 4), ("stopped_early", 1)]
    assert found.trials[1].test_score is not None
    stopped = told(found)
    never = seeded(EarlyStoppingPolicy(grace_period=4, reduction_factor=None, max_epochs=4), portfolio)
    found = run_search(table, never, Budget(2, None, 4), seed=1, pool=warm_pool, storage=tmp_path, labels=labels)
    assert [each.status for each in found.trials] == ["completed", "completed"]
    again = run_search(table, seeded(policy, portfolio), Budget(2, None, 4), seed=1, pool=warm_pool, storage=tmp_path, labels=labels)
    assert told(again) == stopped


def test_a_search_takes_what_is_journaled_and_runs_the_rest(warm_pool, table, tmp_path):
    def search(trials, sweep, **options):
        labels = {"sweep_id": sweep, "dataset": "toy", "family": "toy", "role": "user"}
        plan = seeded(EarlyStoppingPolicy(grace_period=2, reduction_factor=None, max_epochs=2))
        return run_search(table, plan, Budget(trials, None, 2), seed=8, pool=warm_pool, storage=tmp_path, labels=labels, **options)

    killed = search(2, "t5")
    found = search(3, "t6")
    assert found.trials[:2] == killed.trials  # their start among the rest
    assert found.trials[2].started_at > killed.trials[1].started_at
    with warm_pool.lease():  # the one worker is lent: a search that needs it would wait for ever
        assert told(search(3, "t7")) == told(found)
    journal = Journal(warm_pool._line.recorder.root)
    assert [journal.summary(each).references for each in ("t5", "t6", "t7")] == [0, 2, 3]
    assert {each.trial_id for each in journal.records("t7")} == {each.trial_id for each in found.trials}
    model = search(1, "t8", keep_models=True).best  # the journal keeps no model
    assert model.model_path.is_dir()
    assert model.started_at > found.trials[2].started_at


def test_a_budget_in_seconds_ends_the_search_with_a_model(warm_pool, table, tmp_path):
    labels = {"sweep_id": "t4", "dataset": "toy", "family": "toy", "role": "user"}
    found = run_search(table, PLAN, Budget(None, 0.5, 200), seed=1, pool=warm_pool, storage=tmp_path, labels=labels)
    assert found.best is not None
    assert len(found.trials[0].curve) < 200


def test_a_seed_outside_its_space_is_an_error_and_not_dropped(warm_pool, table, tmp_path):
    outside = SeedConfiguration(model_type="concat", configuration=dict(SEEDS[0].configuration) | {"trainer.learning_rate": 5.0})
    with pytest.raises(AutoMLError, match="learning_rate"):
        run_search(table, seeded(portfolio=(outside,)), Budget(1, None, 1), seed=1, pool=warm_pool, storage=tmp_path)


def test_a_trial_that_cannot_be_recorded_ends_the_search(warm_pool, table, tmp_path):
    with pytest.raises(AutoMLError, match="could not go on"):
        run_search(table, PLAN, Budget(2, None, 1), seed=1, pool=warm_pool, storage=tmp_path, labels={})


@pytest.mark.parametrize("budget", [(None, None, 1), (0, None, 1), (1, None, 0), (None, 0.0, 1)])
def test_budgets_must_be_budgets(budget):
    with pytest.raises(AutoMLError, match="budget"):
        Budget(*budget)


def test_model_types_that_the_plan_lacks_are_refused():
    with pytest.raises(AutoMLError, match="none of tabpfn"):
        PLAN.restricted(("tabpfn",), "")

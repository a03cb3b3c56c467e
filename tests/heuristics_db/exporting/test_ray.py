"""The export for Ray Tune: what the module says, and what the real Ray Tune makes of it."""

from __future__ import annotations

import runpy

import pytest

from heuristics_db.exporting import export_document
from tests.heuristics_db.exporting.conftest import SPACES, VERSION, seeds_of


@pytest.fixture
def module(document, tmp_path):
    (data,) = export_document(document, "ray", version=VERSION).files.values()
    path = tmp_path / "heuristics_for_ray.py"
    path.write_bytes(data)
    return runpy.run_path(str(path))


def active(space, configuration):
    names = {each.name for each in space.active(configuration)}
    return {name: value for name, value in configuration.items() if name in names}


def test_the_module_holds_order_limits_and_stopping(module):
    assert module["MODEL_TYPES"] == ("tabnet", "concat", "ft_transformer")
    assert (module["TRIALS"], module["EPOCHS"]) == (3, 2)
    assert module["EARLY_STOPPING"] == {"grace_period": 1, "reduction_factor": 3.0, "max_t": 2}


@pytest.mark.parametrize("model_type", list(SPACES))
def test_domains_are_those_of_the_document(module, document, model_type):
    space = document.modalities["tabular"].model_types[model_type].space
    for _ in range(200):
        drawn = {name: each.sample() if hasattr(each, "sample") else each for name, each in module["PARAM_SPACE"][model_type].items()}
        assert space.misfit(active(space, drawn)) is None
    whole = {module["PARAM_SPACE"]["concat"]["combiner.num_fc_layers"].sample() for _ in range(100)}
    assert whole == {1, 2, 3}  # the upper end too


@pytest.mark.parametrize("model_type", list(SPACES))
def test_points_are_the_seeds_with_a_value_for_everything_that_is_searched(module, document, model_type):
    space = document.modalities["tabular"].model_types[model_type].space
    fixed = {name: each for name, each in module["PARAM_SPACE"][model_type].items() if not hasattr(each, "sample")}
    points = module["POINTS_TO_EVALUATE"][model_type]
    assert [active(space, fixed | point) for point in points] == seeds_of(model_type)
    assert all(point.keys() | fixed.keys() == module["PARAM_SPACE"][model_type].keys() for point in points)


@pytest.mark.slow
@pytest.mark.parametrize("searcher", ["variants", "optuna"])
def test_ray_tune_tries_the_seeds_first_and_then_draws_from_the_space(module, document, tmp_path, searcher):
    import ray
    from ray import tune
    from ray.tune.search.basic_variant import BasicVariantGenerator
    from ray.tune.search.optuna import OptunaSearch

    def trainable(config):
        tune.report({"loss": abs(config["trainer.learning_rate"] - 0.01), "tried": config})

    points = module["POINTS_TO_EVALUATE"]["concat"]
    searches = {
        "variants": lambda: BasicVariantGenerator(points_to_evaluate=points, max_concurrent=1, random_state=1),
        "optuna": lambda: tune.search.ConcurrencyLimiter(
            OptunaSearch(points_to_evaluate=points, metric="loss", mode="min", seed=1), max_concurrent=1
        ),
    }
    ray.shutdown()  # an earlier test of this process may have left one running
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    try:
        config = tune.TuneConfig(search_alg=searches[searcher](), num_samples=8, metric="loss", mode="min")
        run_config = tune.RunConfig(storage_path=str(tmp_path), verbose=0)
        results = tune.Tuner(trainable, param_space=module["PARAM_SPACE"]["concat"], tune_config=config, run_config=run_config).fit()
    finally:
        ray.shutdown()
    space = document.modalities["tabular"].model_types["concat"].space
    tried = [active(space, each.config) for each in results]
    assert results.num_errors == 0
    assert len(tried) == 8
    assert tried[:2] == seeds_of("concat")
    assert [space.misfit(each) for each in tried] == [None] * 8

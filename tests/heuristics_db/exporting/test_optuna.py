"""The export for Optuna, opened and sampled by the real Optuna."""

from __future__ import annotations

import math

import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution, json_to_distribution
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend

from heuristics_db.exporting import export_document
from tests.heuristics_db.exporting.conftest import SPACES, VERSION, seeds_of

optuna.logging.set_verbosity(optuna.logging.WARNING)


@pytest.fixture
def storage(document, tmp_path):
    made = export_document(document, "optuna", version=VERSION)
    (data,) = made.files.values()
    (tmp_path / "heuristics.log").write_bytes(data)
    return JournalStorage(JournalFileBackend(str(tmp_path / "heuristics.log")))


def distributions(study):
    return {name: json_to_distribution(each) for name, each in study.user_attrs["distributions"].items()}


def test_there_is_a_study_of_each_model_type_best_first(storage):
    assert optuna.get_all_study_names(storage) == ["tabular.tabnet", "tabular.concat", "tabular.ft_transformer"]
    study = optuna.load_study(study_name="tabular.tabnet", storage=storage)
    assert study.direction == optuna.study.StudyDirection.MINIMIZE
    assert study.user_attrs["heuristics_version"] == VERSION
    assert study.user_attrs["fixed"] == {"trainer.optimizer.type": "adamw", "combiner.relaxation_factor": 1.5}


def test_distributions_are_those_of_the_document(storage):
    found = distributions(optuna.load_study(study_name="tabular.concat", storage=storage))
    assert found["trainer.learning_rate"] == FloatDistribution(1e-3, 5e-2, log=True)
    assert found["combiner.output_size"] == IntDistribution(16, 64, log=True)
    assert found["combiner.norm"] == CategoricalDistribution([None, "batch", "layer"])
    assert "trainer.optimizer.type" not in found


@pytest.mark.parametrize("model_type", list(SPACES))
def test_the_seeds_come_first_and_then_what_is_drawn_lies_in_the_space(storage, document, model_type):
    study = optuna.load_study(
        study_name=f"tabular.{model_type}", storage=storage, sampler=optuna.samplers.TPESampler(seed=1, n_startup_trials=8)
    )
    space = document.modalities["tabular"].model_types[model_type].space
    spread, fixed, conditions = distributions(study), study.user_attrs["fixed"], study.user_attrs["conditions"]
    tried = []

    def objective(trial):
        chosen = dict(fixed)
        for name, domain in spread.items():
            parent, values = conditions.get(name, (None, None))
            if parent is None or chosen[parent] in values:
                chosen[name] = trial._suggest(name, domain)
        tried.append({name: chosen[name] for name in chosen})
        return math.log(chosen["trainer.learning_rate"]) ** 2

    seeds = seeds_of(model_type)
    study.optimize(objective, n_trials=len(seeds) + 20)
    assert tried[: len(seeds)] == seeds
    assert [space.misfit(each) for each in tried] == [None] * len(tried)
    assert len({each["trainer.learning_rate"] for each in tried}) > 15


def test_what_optuna_is_not_told_is_said(document):
    made = export_document(document, "optuna", version=VERSION)
    assert made.notes == ("tabular.concat: the priors of combiner.activation are left out: all choices are equally likely",)

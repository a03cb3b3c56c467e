"""Plans: from a heuristics document, untuned, and what there is time for."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from automl import (
    AutoMLError,
    Budget,
    affordable,
    first_configuration,
    read_user_table,
    row_cap_for,
    search_plan,
    untuned_space_hash,
    untuned_spaces,
)
from heuristics_db import (
    DatasetProvenance,
    EarlyStoppingPolicy,
    Evidence,
    HeuristicsDocument,
    ModalityHeuristics,
    ModelChoice,
    ModelTypeHeuristics,
    Provenance,
    ResourceModel,
    SeedConfiguration,
    TaskHeuristics,
    TrialLimits,
)
from mining.policies import draw_configurations

EVIDENCE = Evidence(method="a test", trials=1)


def seed(model_type):
    return SeedConfiguration(model_type=model_type, configuration=draw_configurations(untuned_spaces()[model_type], 1, seed=4)[0])


def heuristics(model_type, seconds_per_epoch):
    model = ResourceModel(intercept=np.log(seconds_per_epoch), rows=0, columns=0, upper=0, peak_memory_bytes=0, evidence=EVIDENCE)
    return ModelTypeHeuristics(space=untuned_spaces()[model_type], portfolio=(seed(model_type),), resources=model)


@pytest.fixture
def document():
    source = DatasetProvenance(
        name="d",
        fingerprint="f",
        family="d",
        role="training",
        task="binary",
        metric="auc",
        rows=9,
        trials=1,
        best_score=1,
        reference_score=0,
    )
    return HeuristicsDocument(
        modalities={
            "tabular": ModalityHeuristics(
                model_choice=ModelChoice(order=("tabnet", "concat"), regret={}, reason="", evidence=EVIDENCE),
                model_types={"tabnet": heuristics("tabnet", 10), "concat": heuristics("concat", 0.1)},
                portfolio=(seed("ft_transformer"), seed("tabnet"), seed("concat")),
                early_stopping=EarlyStoppingPolicy(grace_period=2, reduction_factor=3, max_epochs=9),
                limits=TrialLimits(trials=7, epochs=9),
            )
        },
        provenance=Provenance(
            trial_set_hash="t", trials=1, failed_trials=0, sweeps=("s",), datasets=(source,), versions={}, recipe={},
            untuned_space_hash=untuned_space_hash(),
        ),
    )  # fmt: skip


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    pd.DataFrame({"x": rng.normal(size=100), "y": rng.choice(["a", "b"], 100)}).to_csv(tmp_path / "t.csv", index=False)
    return read_user_table(tmp_path / "t.csv", "y")


def test_a_document_gives_order_seeds_and_limits_and_nothing_is_left_out_in_silence(document):
    plan = search_plan(document, label="v1")
    assert plan.model_order == ("tabnet", "concat")
    assert [each.model_type for each in plan.portfolio] == ["tabnet", "concat"]
    assert "ft_transformer" in plan.remarks[0]
    assert plan.limits.trials == 7
    with pytest.raises(AutoMLError, match="text"):
        search_plan(document, "text")


def test_what_a_task_has_of_its_own_comes_before_what_was_pooled(document):
    tabular = document.modalities["tabular"]
    own = TaskHeuristics(portfolio=(seed("concat"),), limits=TrialLimits(trials=3, epochs=4))
    document = document.model_copy(update={"modalities": {"tabular": tabular.model_copy(update={"tasks": {"regression": own}})}})
    plan = search_plan(document, task="regression")
    assert [each.model_type for each in plan.portfolio] == ["concat"]
    assert (plan.limits.trials, plan.model_order) == (3, ("tabnet", "concat"))
    assert search_plan(document, task="binary") == search_plan(document)
    assert search_plan(document).limits.trials == 7


def test_the_first_configuration_is_the_first_seed(document, table):
    config = first_configuration(table, search_plan(document), epochs=9)
    assert config["combiner"]["type"] == "tabnet"
    assert config["combiner"]["size"] == seed("tabnet").configuration["combiner.size"]


def test_model_types_that_are_too_slow_for_the_time_are_left_out_and_said(document, table):
    plan = search_plan(document)
    assert affordable(plan, table, Budget(5, None, 9)) is plan
    assert affordable(plan, table, Budget(5, 1000, 9)) is plan
    quick = affordable(plan, table, Budget(5, 60, 9))
    assert quick.model_order == ("concat",)
    assert "tabnet (up to 90 s a trial)" in quick.remarks[-1]
    assert affordable(plan, table, Budget(5, 0.01, 9)).model_order == ("concat",)


def test_the_untuned_plan_knows_nothing():
    plan = search_plan(None)
    assert plan.label == "untuned"
    assert plan.portfolio == ()
    assert set(plan.model_order) == set(untuned_spaces()) == {"concat", "tabnet", "ft_transformer"}


def test_the_untuned_spaces_are_what_they_were_when_heuristics_were_mined():
    assert untuned_space_hash() == "1b35a045e015a3ca89482bf81fbd7d3d02bb6bc1ec2d13d54d649d8c856acdb0"


@pytest.mark.parametrize("model_type", ["concat", "tabnet", "ft_transformer"])
def test_what_is_drawn_from_an_untuned_space_lies_in_it(model_type):
    space = untuned_spaces()[model_type]
    assert all(space.contains(each) for each in draw_configurations(space, 50, seed=0))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("concat: [", "not YAML"),
        ("- concat", "must map"),
        ("concat: {a: 1}", "must map"),
        ("concat: {a: {domain: {kind: int, low: 1, high: 3, step: 1}}}", "step"),
        ("concat: {a: {domain: {kind: int, low: 4, high: 3}}}", "above"),
        ("concat: {a: {domain: {kind: int, low: 1, high: 3}, colour: red}}", "colour"),
    ],
)
def test_a_file_of_spaces_is_refused_in_one_line(text, said):
    from automl._untuned import read_spaces

    with pytest.raises(AutoMLError) as caught:
        read_spaces(text, "spaces.yaml")
    assert str(caught.value).startswith("spaces.yaml")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_importing_automl_imports_nothing_heavy():
    heavy = "{'ludwig', 'torch', 'ray', 'mlflow', 'transformers', 'sklearn', 'optuna'}"
    code = f"import automl, experiments.commands._automl, sys; print(sorted({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_less_time_means_fewer_rows():
    assert [row_cap_for(seconds) for seconds in (None, 3600, 120, 1)] == [50_000, 50_000, 24_000, 5_000]

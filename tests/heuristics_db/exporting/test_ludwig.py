"""The export for Ludwig's own AutoML: the files, held against what Ludwig's code does with them."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import yaml

from heuristics_db import HeuristicsError
from heuristics_db.exporting import export_document
from tests.heuristics_db.conftest import plain_document
from tests.heuristics_db.exporting.conftest import SPACES, VERSION, seeds_of


@pytest.fixture
def files(document):
    made = export_document(document, "ludwig", version=VERSION)
    return {name: yaml.safe_load(data) for name, data in made.files.items() if name.endswith(".yaml")}


def test_the_folder_is_laid_out_as_ludwig_s_defaults(files):
    assert set(files) == {
        *(f"combiner/{name}_config.yaml" for name in SPACES),
        *(f"user_config/{name}.yaml" for name in SPACES),
        "reference_configs.yaml",
    }


@pytest.mark.parametrize("model_type", list(SPACES))
def test_defaults_are_the_first_seed_and_every_seed_is_a_point(files, model_type):
    config = files[f"combiner/{model_type}_config.yaml"]
    seeds = seeds_of(model_type)
    for path, value in seeds[0].items():
        place = config
        for part in path.split("."):
            place = place[part]
        assert place == value
    parameters, points = config["hyperopt"]["parameters"], config["hyperopt"]["search_alg"]["points_to_evaluate"]
    assert len(points) == len(seeds)
    for point, seed in zip(points, seeds, strict=True):
        assert point.keys() == parameters.keys()
        assert {name: decoded(parameters[name], value) for name, value in point.items() if name in seed} == {
            name: value for name, value in seed.items() if name in parameters
        }
    assert config["hyperopt"]["executor"]["max_concurrent_trials"] is None
    assert config["trainer"]["epochs"] == 2


def decoded(parameter, value):
    """What Ludwig makes of a drawn value: its choices are JSON text unless the first one is a number."""
    as_text = parameter["space"] == "choice" and not isinstance(parameter["categories"][0], int | float)
    return json.loads(value) if as_text else value


def test_spaces_are_ray_s_with_upper_ends_of_whole_numbers_left_out(files):
    parameters = files["combiner/concat_config.yaml"]["hyperopt"]["parameters"]
    assert parameters["trainer.learning_rate"] == {"space": "loguniform", "lower": 0.001, "upper": 0.05, "categories": [0.004, 0.0123]}
    assert parameters["combiner.num_fc_layers"] == {"space": "randint", "lower": 1, "upper": 4, "categories": [1, 2]}
    assert parameters["combiner.output_size"]["space"] == "lograndint"
    assert parameters["combiner.norm"] == {"space": "choice", "categories": [None, "batch", "layer"]}


def test_every_space_has_the_categories_that_ludwig_s_transfer_looks_up(files):
    """Without them ``_add_option_to_evaluate`` raises ``KeyError: 'categories'``."""
    for model_type in SPACES:
        parameters = files[f"combiner/{model_type}_config.yaml"]["hyperopt"]["parameters"]
        for reference in files["reference_configs.yaml"]["datasets"]:
            config = reference["config"]
            if config["combiner"]["type"] != model_type:
                continue
            for section in ("combiner", "trainer"):
                for option, value in config[section].items():
                    if f"{section}.{option}" in parameters:
                        assert value in parameters[f"{section}.{option}"]["categories"]


def test_the_last_reference_of_a_combiner_is_its_first_seed_and_holds_it_whole(files):
    """All are equally near, and of those Ludwig takes the last."""
    for model_type in SPACES:
        last = [each for each in files["reference_configs.yaml"]["datasets"] if each["config"]["combiner"]["type"] == model_type][-1]
        assert last["seed"] == seeds_of(model_type)[0]


def test_the_search_of_another_combiner_is_kept_free_of_ft_transformer_s(files):
    assert files["user_config/tabnet.yaml"]["combiner"].keys() == {"type", "hidden_size", "num_heads", "num_layers"}
    assert files["user_config/ft_transformer.yaml"] == {"combiner": {"type": "ft_transformer"}}


def test_without_early_stopping_nothing_is_stopped(document):
    data = document.model_dump(mode="json")
    data["modalities"]["tabular"]["early_stopping"]["reduction_factor"] = None
    made = export_document(type(document).model_validate(data), "ludwig", version=VERSION)
    scheduler = yaml.safe_load(made.files["combiner/concat_config.yaml"])["hyperopt"]["executor"]["scheduler"]
    assert scheduler["grace_period"] == scheduler["max_t"] == 2


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("defaults.number.encoder.type", "combiner and trainer alone"),
        ("trainer.learning_rate.low", "runs through another"),
        ("combiner.type", "combiner and trainer alone"),
        ("combiner", "combiner and trainer alone"),
    ],
)
def test_a_hyperparameter_that_has_no_place_in_the_files_is_an_error(name, message):
    data = plain_document()
    domain = {"kind": "categorical", "choices": [1, 2]}
    space = {"name": name, "domain": domain, "searched": False, "fixed": 1}
    tabular = data["modalities"]["tabular"]
    tabular["model_types"]["tabnet"]["space"]["hyperparameters"].append(space)
    for seed in (tabular["model_types"]["tabnet"]["portfolio"][0], tabular["portfolio"][1]):
        seed["configuration"][name] = 1
    from heuristics_db import read_document

    with pytest.raises(HeuristicsError, match=message):
        export_document(read_document(json.dumps(data)), "ludwig", version=VERSION)


def test_text_has_no_place_in_ludwig_s_combiner_defaults(document):
    data = document.model_dump(mode="json")
    data["modalities"]["text"] = data["modalities"]["tabular"]
    both = type(document).model_validate(data)
    with pytest.raises(HeuristicsError, match="tables only"):
        export_document(both, "ludwig", version=VERSION, modality="text")
    with pytest.raises(HeuristicsError, match="say which"):
        export_document(both, "ludwig", version=VERSION)
    assert export_document(both, "ludwig", version=VERSION, modality="tabular").files


def test_a_task_takes_what_it_has_of_its_own(document):
    data = document.model_dump(mode="json")
    data["modalities"]["tabular"]["tasks"] = {"binary": {"limits": {"trials": 9, "epochs": 7}}}
    made = export_document(type(document).model_validate(data), "ludwig", version=VERSION, task="binary")
    assert yaml.safe_load(made.files["combiner/concat_config.yaml"])["trainer"]["epochs"] == 7
    with pytest.raises(HeuristicsError, match="no task"):
        export_document(document, "ludwig", version=VERSION, task="regression")


def test_an_unknown_format_is_an_error(document):
    with pytest.raises(HeuristicsError, match="choose ludwig, optuna or ray"):
        export_document(document, "vizier", version=VERSION)


def test_no_tool_is_imported_to_export_for_it():
    program = "import sys, heuristics_db.exporting; print(sorted({'ludwig', 'ray', 'optuna', 'torch', 'mlflow'} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

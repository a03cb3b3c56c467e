"""Suites: what a file may say, and how a wrong one is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from experiments import ExperimentError
from experiments.validating import SuiteSpec, find_suite, load_suite

GOOD = {
    "name": "mine",
    "datasets": [{"name": "bank_marketing", "best": 0.9, "reference": 0.5, "how": "by hand"}, {"name": "concrete"}],
    "model_types": ["concat"],
    "budget": {"trials": 4, "epochs": 3},
    "seeds": [0, 1],
    "row_cap": 1000,
}


def write(folder: Path, content: object) -> Path:
    path = folder / "suite.yaml"
    path.write_text(content if isinstance(content, str) else yaml.safe_dump(content), encoding="utf-8")
    return path


def test_a_suite_is_read_and_knows_what_is_not_frozen(tmp_path) -> None:
    suite = load_suite(write(tmp_path, GOOD))
    assert suite.unfrozen == ("concrete",)
    assert suite.budget.trials == 4


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"bugdet": {}}, "unknown key 'bugdet'"),
        ({"seeds": [1, 1]}, "seed 1 is named twice"),
        ({"seeds": []}, "seeds"),
        ({"budget": {"trials": 0, "epochs": 3}}, "budget.trials"),
        ({"datasets": [{"name": "a", "best": 1.0}]}, "give both or neither"),
        ({"datasets": [{"name": "a", "best": 1.0, "reference": 1.0}]}, "regret has no scale"),
        ({"datasets": [{"name": "a", "best": float("nan"), "reference": 1.0}]}, "best"),
        ({"name": "../up"}, "name"),
    ],
)
def test_a_fault_is_one_line_that_names_file_and_place(tmp_path, change, said) -> None:
    path = write(tmp_path, GOOD | change)
    with pytest.raises(ExperimentError) as caught:
        load_suite(path)
    message = str(caught.value)
    assert said in message
    assert str(path) in message
    assert "\n" not in message


@pytest.mark.parametrize("text", ["- a list", "a: [", "", "just words"])
def test_what_is_no_suite_is_refused(tmp_path, text) -> None:
    with pytest.raises(ExperimentError):
        load_suite(write(tmp_path, text))


def test_an_unknown_suite_names_those_that_are_shipped(tmp_path) -> None:
    with pytest.raises(ExperimentError, match="did you mean demo"):
        find_suite("dmo")
    with pytest.raises(ExperimentError, match="is a folder"):
        find_suite(str(tmp_path))
    assert find_suite("demo").name == "demo.yaml"


def test_the_hash_follows_the_content_and_not_the_words() -> None:
    suite = SuiteSpec.model_validate(GOOD)
    assert SuiteSpec.model_validate(GOOD | {"description": "other words"}).suite_hash == suite.suite_hash
    assert SuiteSpec.model_validate(GOOD | {"row_cap": 999}).suite_hash != suite.suite_hash


def test_shipped_suites_are_frozen() -> None:
    for path in find_suite("demo").parent.glob("*.yaml"):
        suite = load_suite(path)
        assert not suite.unfrozen, path
        assert all(entry.how for entry in suite.datasets), path

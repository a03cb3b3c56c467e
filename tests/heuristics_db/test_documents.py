"""Canonical JSON, content hashes, and the difference of two documents."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import jsonschema
import pytest

from heuristics_db import (
    HeuristicsError,
    HeuristicsStore,
    canonical_json,
    content_hash,
    diff_documents,
    document_schema,
    read_document,
)
from tests.heuristics_db.conftest import place, plain_document

ROOT = Path(__file__).parents[2]
RELEASES = sorted((Path(__file__).parent / "releases").glob("*.json"))


def test_canonical_json_is_the_same_whatever_the_order_of_keys(make_document):
    document = make_document()
    backwards = json.dumps(dict(reversed(document.model_dump(mode="json").items())), indent=3)
    assert canonical_json(read_document(backwards)) == canonical_json(document)


@pytest.mark.parametrize("value", [0.1 + 0.2, 1e-300, 5e-324, 1e22, 0.003])
def test_reading_and_writing_again_gives_the_same_bytes(make_document, value):
    document = make_document({"modalities/tabular/model_choice/regret/concat": value})
    again = read_document(canonical_json(document))
    assert again == document
    assert content_hash(again) == content_hash(document)


@pytest.mark.parametrize("value", [1, 1.0, True, "1", None])
def test_values_that_python_calls_equal_keep_their_kinds(make_document, value):
    document = make_document({"provenance/recipe/seed": value})
    assert type(read_document(canonical_json(document)).provenance.recipe["seed"]) is type(value)
    others = [make_document({"provenance/recipe/seed": other}) for other in (1, 1.0, True, "1", None)]
    assert len({content_hash(other) for other in others}) == 5
    assert sum(not diff_documents(document, other) for other in others) == 1


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not a heuristics document"),
        ('{"schema_version": 2}', "upgrade Motherlode"),
        ('{"schema_version": 1, "extra": 3}', "not a heuristics document"),
    ],
)
def test_what_is_no_document_is_one_clear_line(data, message):
    with pytest.raises(HeuristicsError, match=message) as caught:
        read_document(data)
    assert "\n" not in str(caught.value)


def test_equal_documents_have_no_difference(make_document):
    assert diff_documents(make_document(), make_document()) == []


@pytest.mark.parametrize(
    ("changes", "path", "before", "after"),
    [
        (
            {"modalities/tabular/model_types/tabnet/space/hyperparameters/0/domain/high": 0.02},
            "modalities.tabular.model_types.tabnet.space.hyperparameters[trainer.learning_rate].domain.high",
            0.05,
            0.02,
        ),
        (
            {"modalities/tabular/portfolio/1/configuration/trainer.batch_size": 64},
            "modalities.tabular.portfolio[1].configuration.trainer.batch_size",
            128,
            64,
        ),
        ({"modalities/tabular/model_choice/order": ["tabnet"]}, "modalities.tabular.model_choice.order", ["concat", "tabnet"], ["tabnet"]),
        ({"provenance/datasets/0/trials": 30}, "provenance.datasets[adult].trials", 12, 30),
    ],
)
def test_a_change_is_found_by_name(make_document, changes, path, before, after):
    (difference,) = diff_documents(make_document(), make_document(changes))
    assert (difference.path, difference.kind, difference.before, difference.after) == (path, "changed", before, after)


def test_what_was_added_is_what_is_removed_the_other_way_round(make_document):
    one, other = make_document(), make_document({"provenance/recipe": {"level": 0.5, "seed": 0, "rows": 3}})
    assert [(each.kind, each.after) for each in diff_documents(one, other)] == [("added", 3)]
    assert [(each.kind, each.before) for each in diff_documents(other, one)] == [("removed", 3)]


def test_another_order_of_the_datasets_is_a_difference(make_document):
    document = make_document()
    turned = document.model_dump(mode="json")
    turned["provenance"]["datasets"].reverse()
    assert [each.path for each in diff_documents(document, read_document(json.dumps(turned)))] == ["provenance.datasets.(order)"]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (
            "modalities/tabular/model_types/tabnet/space/hyperparameters/0/domain/low",
            3,
            r"tabular.tabnet.trainer.learning_rate.domain: low 3.0 lies above high 0.05$",
        ),
        ("modalities/tabular/portfolio/1/configuration/trainer.batch_size", [64], r"tabular.portfolio\[1\].trainer.batch_size"),
        ("modalities/tabular/limits/trials", 0, "tabular.limits.trials: input should be greater than or equal to 1, not 0$"),
        ("provenance/datasets/1/rows", "many", r"provenance.datasets\[wine\].rows: input should be a valid integer.*, not \"many\"$"),
        ("provenance/versions", None, "provenance.versions: input should be an object, not null$"),
        ("modalities/tabular/tasks", {"binary": {"limits": {"trials": 1}}}, "tabular.binary.limits.epochs: Field required"),
    ],
)
def test_what_does_not_follow_the_schema_is_named_by_its_place(path, value, message):
    document = plain_document()
    container, key = place(document, path)
    container[key] = value
    with pytest.raises(HeuristicsError, match=message):
        read_document(json.dumps(document))


def test_the_json_schema_in_the_docs_is_current():
    script = runpy.run_path(str(ROOT / "scripts" / "document_schema.py"))
    assert script["PAGE"].read_text() == script["written"](), "run scripts/document_schema.py"


def test_the_json_schema_takes_a_document_and_refuses_what_the_models_refuse():
    validator = jsonschema.Draft202012Validator(document_schema())
    jsonschema.Draft202012Validator.check_schema(document_schema())
    for path in RELEASES:
        assert validator.is_valid(json.loads(path.read_text())["document"])
    document = plain_document()
    assert validator.is_valid(document)
    for where, value in {"modalities/tabular/limits/trials": 0, "provenance/datasets/0/rows": "many", "schema_version": 2}.items():
        other = plain_document()
        container, key = place(other, where)
        container[key] = value
        assert not validator.is_valid(other), where
    assert not validator.is_valid(document | {"more": 1})


@pytest.mark.parametrize("path", RELEASES, ids=lambda path: path.stem)
def test_every_release_of_every_schema_can_still_be_read_under_its_name(path, tmp_path):
    with HeuristicsStore(f"sqlite:///{tmp_path / 'heuristics.db'}") as store:
        version = store.import_release(path.read_bytes(), trust_validations=True)
        assert version.id.startswith(path.stem.rpartition("-")[2])
        again, shipped = json.loads(store.export_release(version.id)), json.loads(path.read_bytes())
        assert {name: again[name] for name in shipped if name != "format_version"} == {
            name: value for name, value in shipped.items() if name != "format_version"
        }


def test_there_is_a_release_of_each_schema_and_of_each_form_that_it_had():
    assert {path.stem.rpartition("-")[0] for path in RELEASES} == {"schema-1"}
    tabular = [json.loads(path.read_text())["document"]["modalities"]["tabular"] for path in RELEASES]
    assert {"tasks" in each for each in tabular} == {True, False}


def test_a_task_follows_its_own_heuristics_and_the_pooled_ones_for_the_rest(make_document):
    own = {"limits": {"trials": 3, "epochs": 2}, "portfolio": []}
    heuristics = make_document({"modalities/tabular/tasks": {"binary": own}}).modalities["tabular"]
    binary = heuristics.for_task("binary")
    assert (binary.limits.trials, binary.portfolio, binary.tasks) == (3, (), {})
    assert (binary.model_types, binary.model_choice) == (heuristics.model_types, heuristics.model_choice)
    for task in ("regression", None):
        assert heuristics.for_task(task) == heuristics.model_copy(update={"tasks": {}})

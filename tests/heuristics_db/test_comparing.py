"""What changed between two documents, in the field's terms."""

from __future__ import annotations

import json
import random

import pytest

from heuristics_db import HeuristicsError, compare_documents, diff_documents, read_document
from tests.heuristics_db.conftest import place, plain_document

TABULAR = "modalities/tabular"
RATE = f"{TABULAR}/model_types/tabnet/space/hyperparameters/0"
SIZE = f"{TABULAR}/model_types/tabnet/space/hyperparameters/1"
DROPOUT = f"{TABULAR}/model_types/concat/space/hyperparameters/2"
OTHER_SEED = {"model_type": "concat", "configuration": {"trainer.learning_rate": 0.01, "trainer.batch_size": 64, "combiner.dropout": 0.1}}
CONDITION = {"parent": "trainer.learning_rate", "values": [0.01]}


def test_equal_documents_have_no_change(make_document):
    assert compare_documents(make_document(), make_document()) == []


@pytest.mark.parametrize(
    ("changes", "kinds"),
    [
        ({f"{RATE}/domain/high": 0.1}, ["range widened"]),
        ({f"{RATE}/domain/low": 0.01, f"{RATE}/domain/high": 0.02}, ["range narrowed"]),
        ({f"{RATE}/domain/low": 0.01, f"{RATE}/domain/high": 0.1}, ["range moved"]),
        ({f"{RATE}/domain/log": False}, ["scale changed"]),
        ({f"{RATE}/domain/log": False, f"{RATE}/domain/low": 0.0001}, ["scale changed", "range widened"]),
        ({f"{SIZE}/domain/choices": [64, 128, 256, 512]}, ["range widened"]),
        ({f"{SIZE}/domain/choices": [128]}, ["range narrowed"]),
        ({f"{SIZE}/domain/choices": [128, 512]}, ["range moved"]),
        ({f"{SIZE}/domain/choices": [256, 128, 64]}, ["order changed"]),
        ({f"{SIZE}/domain/choices": [64.0, 128, 256]}, ["range moved"]),
        ({f"{SIZE}/domain": {"kind": "int", "low": 64, "high": 256}}, ["kind changed"]),
        ({f"{SIZE}/searched": False, f"{SIZE}/fixed": 128}, ["fixed"]),
        ({f"{DROPOUT}/searched": True, f"{DROPOUT}/fixed": None}, ["freed"]),
        ({f"{DROPOUT}/fixed": 0.2}, ["fixed value changed"]),
        ({f"{SIZE}/weights": [1, 2, 1]}, ["prior changed"]),
        ({f"{SIZE}/condition": CONDITION}, ["condition changed"]),
        ({f"{SIZE}/reason": "because"}, ["evidence changed"]),
        ({f"{SIZE}/importance": 0.5}, ["evidence changed"]),
        ({f"{TABULAR}/model_choice/order": ["tabnet", "concat"]}, ["model choice changed"]),
        ({f"{TABULAR}/model_choice/regret": {"concat": 0.1}}, ["evidence changed"]),
        ({f"{TABULAR}/early_stopping/grace_period": 3}, ["policy changed"]),
        ({f"{TABULAR}/limits/trials": 3}, ["policy changed"]),
        ({f"{TABULAR}/limits/reason": "cheap"}, ["evidence changed"]),
        ({f"{TABULAR}/tasks": {"binary": {"limits": {"trials": 1, "epochs": 1}}}}, ["part added"]),
        ({"provenance/trials": 30}, ["provenance changed"]),
        ({"provenance/datasets/0/trials": 30}, ["provenance changed"]),
        ({"provenance/datasets/0/name": "census"}, ["dataset out", "dataset in"]),
        ({"provenance/versions/ludwig": "0.17.11"}, ["provenance changed"]),
    ],
)
def test_a_change_has_its_name_in_the_field(make_document, changes, kinds):
    found = compare_documents(make_document(), read_any(altered(changes)))
    assert [each.kind for each in found] == kinds


def test_ranges_are_told_with_both_ends_and_what_each_rests_on(make_document):
    evidence = {"method": "trimmed", "trials": 80, "datasets": ["adult"], "effect": -0.2, "interval": [-0.3, -0.1]}
    (change,) = compare_documents(make_document(), make_document({f"{RATE}/domain/high": 0.5, f"{RATE}/evidence": evidence}))
    assert (change.place, change.kind) == ("tabular.tabnet.trainer.learning_rate", "range widened")
    assert (change.before, change.after) == ("0.001 … 0.05 (log)", "0.001 … 0.5 (log)")
    assert (change.evidence_before.trials, change.evidence_after.trials) == (24, 80)


def test_seeds_come_go_and_move(make_document):
    seeds = make_document().model_dump(mode="json")["modalities"]["tabular"]["portfolio"]
    path = f"{TABULAR}/portfolio"
    one, two, other = *seeds, OTHER_SEED
    cases = [
        ([one, two], []),
        ([two, one], [("tabular.portfolio[0]", "seed moved")]),
        ([other, one, two], [("tabular.portfolio[0]", "seed in")]),
        ([two], [("tabular.portfolio[0]", "seed out")]),
        ([other, two, one], [("tabular.portfolio[0]", "seed in"), ("tabular.portfolio[1]", "seed moved")]),
        ([one, one, two], [("tabular.portfolio[1]", "seed in")]),
    ]
    for portfolio, expected in cases:
        found = compare_documents(make_document(), make_document({path: portfolio}))
        assert [(each.place, each.kind) for each in found] == expected


def test_model_types_that_come_and_go(make_document):
    (change, *_) = compare_documents(make_document(), without_tabnet())
    assert (change.place, change.kind) == ("tabular.model_choice", "model choice changed")
    kinds = {(each.place, each.kind) for each in compare_documents(make_document(), without_tabnet())}
    assert ("tabular.tabnet", "model type removed") in kinds
    assert ("tabular.tabnet", "model type added") in {
        (each.place, each.kind) for each in compare_documents(without_tabnet(), make_document())
    }


def test_no_difference_is_dropped_in_silence():
    """Whatever is altered, the comparison says something exactly when the leaves differ."""
    source, told_of = random.Random(6), 0
    before = read_document(json.dumps(plain_document()))
    for _ in range(400):
        data = plain_document()
        alter_somewhere(source, data)
        try:
            after = read_document(json.dumps(data))
        except HeuristicsError:
            continue
        changes, differences = compare_documents(before, after), diff_documents(before, after)
        assert bool(changes) == bool(differences), differences
        assert bool(compare_documents(after, before)) == bool(differences)
        told_of += bool(changes)
    assert told_of > 100


def altered(changes):
    data = plain_document()
    for path, value in changes.items():
        container, key = place(data, path)
        container[key] = value
    return data


def read_any(data):
    return read_document(json.dumps(data))


def without_tabnet():
    data = plain_document()
    tabular = data["modalities"]["tabular"]
    del tabular["model_types"]["tabnet"]
    tabular["portfolio"] = tabular["portfolio"][:1]
    tabular["model_choice"]["order"] = ["concat"]
    return read_any(data)


def alter_somewhere(source, data):
    """Change, remove or add one value somewhere."""
    while True:
        keys = list(data) if isinstance(data, dict) else list(range(len(data)))
        if not keys:
            return
        key = source.choice(keys)
        if isinstance(data[key], dict | list) and data[key] and source.random() < 0.9:
            data = data[key]
            continue
        old = data[key]
        if source.random() < 0.2:
            del data[key]
        elif isinstance(old, bool) or old is None:
            data[key] = not old
        elif isinstance(old, int | float):
            data[key] = source.choice([old + 1, old / 2, float(old), -old])
        elif isinstance(old, str):
            data[key] = old + "x"
        elif isinstance(old, list):
            data[key] = old[::-1]
        return

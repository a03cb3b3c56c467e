"""The invariants of a heuristics document."""

from __future__ import annotations

import pytest

from heuristics_db import FloatDomain, InvariantError, broken_invariants, check_invariants

TABULAR = "modalities/tabular"


def test_a_sound_document_breaks_none(make_document):
    assert broken_invariants(make_document()) == []
    check_invariants(make_document(), held_out_fingerprints={"f-elsewhere"})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {f"{TABULAR}/portfolio/0/configuration/trainer.learning_rate": 0.9},
            r"seed 0 .* lies outside.*learning_rate = 0.9",
        ),
        ({f"{TABULAR}/portfolio/0/configuration/trainer.gamma": 1}, "trainer.gamma is not a hyperparameter"),
        ({f"{TABULAR}/portfolio/1/configuration": {"trainer.learning_rate": 0.01}}, "seed 1 .*trainer.batch_size is missing"),
        ({f"{TABULAR}/portfolio/0/configuration/combiner.dropout": 0.2}, "outside its fixed value 0.1"),
        ({f"{TABULAR}/portfolio/1/model_type": "tab_net"}, "seed 1 is of tab_net"),
        ({f"{TABULAR}/model_types/tabnet/portfolio/0/model_type": "concat"}, "tabnet.portfolio: seed 0 is of concat"),
        ({f"{TABULAR}/model_choice/order": ["concat", "tabnet", "transformer"]}, "names transformer"),
        ({f"{TABULAR}/model_choice/order": ["concat", "concat"]}, "twice"),
        ({f"{TABULAR}/model_types/tabnet/space/model_type": "concat"}, "its search space is that of concat"),
        ({"provenance/versions": {"ludwig": "0.17.10", "motherlode": "0.1.0"}}, "version of torch is missing"),
        ({"provenance/datasets/1/role": "held_out"}, "wine is a held-out dataset"),
    ],
)
def test_each_broken_invariant_is_named(make_document, changes, message):
    with pytest.raises(InvariantError, match=message) as caught:
        check_invariants(make_document(changes))
    assert "\n" not in str(caught.value)


def test_a_held_out_fingerprint_is_found_whatever_its_role_says(make_document):
    with pytest.raises(InvariantError, match="adult is a held-out dataset"):
        check_invariants(make_document(), held_out_fingerprints={"f-adult"})


def test_a_fixed_value_outside_its_domain_is_found_even_when_pydantic_did_not_look(make_document):
    document = make_document()
    dropout = document.modalities["tabular"].model_types["concat"].space.hyperparameters[2]
    object.__setattr__(dropout, "domain", FloatDomain(low=0.3, high=0.5))
    assert any("combiner.dropout lies outside its domain" in fault for fault in broken_invariants(document))


def test_several_broken_invariants_are_counted(make_document):
    with pytest.raises(InvariantError, match=r"\(and 2 more\)$"):
        check_invariants(make_document({"provenance/versions": {}}))


def test_what_a_task_has_of_its_own_must_fit_what_it_keeps(make_document):
    pooled = make_document().modalities["tabular"]
    seed = pooled.portfolio[0].model_dump(mode="json")
    far = seed | {"configuration": seed["configuration"] | {"trainer.learning_rate": 0.9}}
    order = {"order": ["ft_transformer"], "regret": {}, "reason": "", "evidence": {"method": "a test", "trials": 0}}
    assert broken_invariants(make_document({f"{TABULAR}/tasks": {"binary": {"portfolio": [seed]}, "regression": {}}})) == []
    (fault,) = broken_invariants(make_document({f"{TABULAR}/tasks": {"binary": {"portfolio": [far]}}}))
    assert fault.startswith("tabular.binary.portfolio: seed 0 (concat) lies outside")
    (fault,) = broken_invariants(make_document({f"{TABULAR}/tasks": {"binary": {"model_choice": order}}}))
    assert fault == "tabular.binary: model_choice.order names ft_transformer, which has no search space"


def test_a_broken_invariant_of_the_pooled_heuristics_is_told_once(make_document):
    changes = {f"{TABULAR}/model_choice/order": ["concat", "concat"], f"{TABULAR}/tasks": {"binary": {}, "regression": {}}}
    assert len(broken_invariants(make_document(changes))) == 1

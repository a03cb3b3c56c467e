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
            r"tabular\.portfolio\[0\]\.trainer\.learning_rate: 0\.9 outside \[0\.001, 0\.05\]",
        ),
        (
            {f"{TABULAR}/portfolio/0/configuration/trainer.gamma": 1},
            r"tabular.portfolio\[0\].trainer.gamma: not a hyperparameter of concat",
        ),
        ({f"{TABULAR}/portfolio/1/configuration": {"trainer.learning_rate": 0.01}}, r"tabular.portfolio\[1\].trainer.batch_size: missing"),
        (
            {f"{TABULAR}/portfolio/0/configuration/combiner.dropout": 0.2},
            r"portfolio\[0\].combiner.dropout: 0.2 is not its fixed value 0.1",
        ),
        ({f"{TABULAR}/portfolio/1/model_type": "tab_net"}, r"tabular.portfolio\[1\].model_type: tab_net, not one of concat, tabnet"),
        (
            {f"{TABULAR}/model_types/tabnet/portfolio/0/model_type": "concat"},
            r"tabular.tabnet.portfolio\[0\].model_type: concat, not one of tabnet",
        ),
        (
            {f"{TABULAR}/model_choice/order": ["concat", "tabnet", "transformer"]},
            r"tabular.model_choice.order\[2\]: transformer has no search space",
        ),
        ({f"{TABULAR}/model_choice/order": ["concat", "concat"]}, r"model_choice.order\[1\]: concat is named twice"),
        ({f"{TABULAR}/model_types/tabnet/space/model_type": "concat"}, "tabular.tabnet.space.model_type: concat, not tabnet"),
        ({"provenance/versions": {"ludwig": "0.17.10", "motherlode": "0.1.0"}}, "provenance.versions.torch: missing"),
        ({"provenance/datasets/1/role": "held_out"}, r"provenance.datasets\[1\]: wine is a held-out dataset"),
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
    assert any(
        fault == "tabular.concat.combiner.dropout: the fixed value 0.1 lies outside its domain" for fault in broken_invariants(document)
    )


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
    assert fault == "tabular.binary.portfolio[0].trainer.learning_rate: 0.9 outside [0.001, 0.05]"
    (fault,) = broken_invariants(make_document({f"{TABULAR}/tasks": {"binary": {"model_choice": order}}}))
    assert fault == "tabular.binary.model_choice.order[0]: ft_transformer has no search space"


def test_a_broken_invariant_of_the_pooled_heuristics_is_told_once(make_document):
    changes = {f"{TABULAR}/model_choice/order": ["concat", "concat"], f"{TABULAR}/tasks": {"binary": {}, "regression": {}}}
    assert len(broken_invariants(make_document(changes))) == 1


def test_a_range_of_small_numbers_is_named_as_people_write_it(make_document):
    domain = {"kind": "float", "low": 2e-5, "high": 1e-3, "log": True}
    tabnet = "modalities/tabular/model_types/tabnet"
    seed = {"model_type": "tabnet", "configuration": {"trainer.learning_rate": 0.02, "trainer.batch_size": 64}}
    near = seed | {"configuration": seed["configuration"] | {"trainer.learning_rate": 2e-5}}
    changes = {
        f"{tabnet}/space/hyperparameters/0/domain": domain,
        f"{tabnet}/portfolio": [near, near, near, seed],
        f"{TABULAR}/portfolio": [],
    }
    assert broken_invariants(make_document(changes)) == ["tabular.tabnet.portfolio[3].trainer.learning_rate: 0.02 outside [2e-5, 0.001]"]


def test_every_value_of_a_seed_that_does_not_fit_is_told(make_document):
    seed = {"trainer.learning_rate": 9.0, "trainer.batch_size": 1, "combiner.dropout": 0.1}
    assert broken_invariants(make_document({f"{TABULAR}/portfolio/0/configuration": seed})) == [
        "tabular.portfolio[0].trainer.learning_rate: 9.0 outside [0.001, 0.05]",
        "tabular.portfolio[0].trainer.batch_size: 1 outside [64, 128, 256]",
    ]


@pytest.mark.parametrize("name", ["x\n\ny", "\x1b[2J", "\u009b31m", "\u202e", "n" * 100_000])
def test_what_a_strangers_document_is_named_can_not_disturb_the_line(make_document, name):
    with pytest.raises(InvariantError) as caught:
        check_invariants(make_document({f"{TABULAR}/portfolio/0/configuration": {name: 1}}))
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 600

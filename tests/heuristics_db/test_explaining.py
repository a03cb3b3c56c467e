"""Why a document says what it says."""

from __future__ import annotations

from heuristics_db import explain_document

RATE = "tabular.tabnet.trainer.learning_rate"


def test_every_choice_of_a_document_can_be_explained(make_document):
    places = [each.where for each in explain_document(make_document())]
    assert len(places) == len(set(places))
    for expected in (
        RATE,
        "tabular.model_choice",
        "tabular.early_stopping",
        "tabular.limits",
        "tabular.portfolio[1]",
        "tabular.tabnet.portfolio[0]",
    ):
        assert expected in places


def test_a_place_explains_that_choice_with_evidence_and_seeds(make_document):
    (choice,) = explain_document(make_document(), RATE)
    assert choice.value == "0.001 … 0.05 (log)"
    assert choice.evidence.datasets == ("adult", "wine")
    assert (choice.evidence.effect, choice.evidence.interval) == (-0.1, (-0.2, -0.02))
    (seed,) = choice.seeds
    assert (seed.place, seed.value, seed.best_on) == ("tabular.tabnet.portfolio[0]", 0.02, ("wine",))


def test_a_part_of_a_place_explains_all_that_have_it(make_document):
    assert [each.where for each in explain_document(make_document(), "learning_rate")] == ["tabular.concat.trainer.learning_rate", RATE]
    assert explain_document(make_document(), "nowhere") == []
    # the very place counts more than its being a part of others
    assert [each.where for each in explain_document(make_document(), "tabular.portfolio[1]")] == ["tabular.portfolio[1]"]


def test_what_a_task_has_of_its_own_is_explained_in_its_place(make_document):
    document = make_document({"modalities/tabular/tasks": {"binary": {"limits": {"trials": 3, "epochs": 2, "reason": "small tables"}}}})
    (choice,) = explain_document(document, "tabular.binary.limits")
    assert (choice.value, choice.reason) == ("3 trials of 2 epochs", "small tables")

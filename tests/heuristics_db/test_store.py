"""The contract of the store, held against every kind of database: versions and what is written of them."""

from __future__ import annotations

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from heuristics_db import HeuristicsError, HeuristicsStore, InvariantError, content_hash


def test_an_added_document_comes_back_under_its_content_hash(store, make_document):
    document = make_document()
    version = store.add(document, note="first")
    assert version.id == content_hash(document)
    assert (version.state, version.note, version.channels) == ("candidate", "first", ())
    assert store.get(version.id) == document
    assert store.get(version.id[:4]) == document
    assert store.get(version.id[:9].upper()) == document
    assert store.versions() == [version]


def test_adding_the_same_content_again_changes_nothing(store, make_document):
    first = store.add(make_document(), note="first")
    assert store.add(make_document(), note="again") == first
    assert [entry.action for entry in store.history()] == ["added"]


def test_versions_are_listed_newest_first(store, make_document):
    ids = [store.add(make_document({"provenance/recipe/seed": seed})).id for seed in range(4)]
    assert [version.id for version in store.versions()] == ids[::-1]


@pytest.mark.parametrize(
    ("ref", "message"),
    [
        ("abc", "at least 4 digits"),
        ("nonsense", "at least 4 digits"),
        ("", "at least 4 digits"),
        ("%%%%", "at least 4 digits"),
        ("0" * 64, "lode db list"),
        ("staging", "points at no version yet"),
    ],
)
def test_a_reference_to_nothing_is_one_clear_line(store, make_document, ref, message):
    store.add(make_document())
    with pytest.raises(HeuristicsError, match=message) as caught:
        store.get(ref)
    assert "\n" not in str(caught.value)


def test_a_prefix_of_two_versions_is_refused(store, make_document):
    seen: dict[str, str] = {}
    for seed in range(5000):  # find two documents whose hashes begin alike, before storing only those
        document = make_document({"provenance/trials": seed})
        prefix = content_hash(document)[:4]
        if prefix in seen:
            break
        seen[prefix] = document
    store.add(document)
    store.add(seen[prefix])
    with pytest.raises(HeuristicsError, match="more than one version"):
        store.get(prefix)
    assert store.get(content_hash(document)[:20]) == document


def test_what_was_added_is_seen_by_another_store(url, store, make_document):
    version = store.add(make_document())
    with HeuristicsStore(url) as other:
        assert other.versions() == [version]


def test_a_document_that_breaks_an_invariant_is_not_written(store, make_document):
    with pytest.raises(InvariantError, match=r"portfolio\[0\].trainer.learning_rate: 0.9 outside"):
        store.add(make_document({"modalities/tabular/portfolio/0/configuration/trainer.learning_rate": 0.9}))
    assert store.versions() == []
    assert store.history() == []


def test_held_out_datasets_are_refused_on_writing_and_on_reading(url, store, make_document):
    version = store.add(make_document())
    with HeuristicsStore(url, held_out_fingerprints={"f-wine"}) as strict:
        with pytest.raises(InvariantError, match="wine is a held-out dataset"):
            strict.add(make_document())
        with pytest.raises(InvariantError, match="wine is a held-out dataset"):
            strict.get(version.id)
        assert strict.verify() == {version.id: ["provenance.datasets[1]: wine is a held-out dataset, nothing may be mined from it"]}
        assert [each.id for each in strict.versions()] == [version.id]
    assert store.verify() == {version.id: []}


@pytest.mark.parametrize("note", ["a\0b", "\x1b[31mred", "\r"])
def test_control_characters_are_refused_in_names_and_notes(store, make_document, note):
    with pytest.raises(HeuristicsError, match="control characters"):
        store.add(make_document(), note=note)
    assert store.versions() == []


def test_text_of_any_language_is_kept(store, make_document):
    document = make_document({"modalities/tabular/early_stopping/reason": "größer, 更大, 🪙, line\nbreak, \x00"})
    version = store.add(document, note="für später 🪙", by="Åsa")
    assert store.get(version.id) == document
    assert store.history()[0].by == "Åsa"


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE versions SET note = 'x'",
        "UPDATE validations SET imported = 1",
        "UPDATE events SET note = 'x'",
        "DELETE FROM versions",
        "DELETE FROM validations",
        "DELETE FROM events",
    ],
)
def test_rows_can_be_neither_changed_nor_deleted(store, validated, change):
    validated(1)
    with pytest.raises(DBAPIError, match="append-only"), store._engine.begin() as connection:
        connection.execute(text(change))

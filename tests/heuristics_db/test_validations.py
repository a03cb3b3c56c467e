"""Validations in the store, of every kind of database: what they make of a version, and how looks at held-out data are counted."""

from __future__ import annotations

import pytest

from heuristics_db import HeuristicsError


def test_a_recorded_validation_makes_a_candidate_validated(store, make_document, make_summary):
    document = make_document()
    version = store.add(document)
    summary = make_summary(document)
    record = store.record_validation(version.short, summary)
    assert store.record_validation(version.id, summary) == record
    assert store.validations(version.id) == [summary]
    assert store.version(version.id).state == "validated"
    assert store.version(version.id).validations == 1


def test_a_validation_of_another_version_is_refused(store, make_document, make_summary):
    version = store.add(make_document())
    with pytest.raises(HeuristicsError, match="not of"):
        store.record_validation(version.id, make_summary(make_document({"provenance/recipe/seed": 7})))
    assert store.validations() == []


def test_looks_at_the_same_held_out_datasets_are_counted(store, make_document, make_summary, validated):
    first = validated(1)
    assert store.looks(["f-bank"]) == 1
    validated(2)
    assert store.looks(["f-bank", "f-credit"]) == 2
    assert store.looks(["f-elsewhere"]) == 0
    # each run counts, the same suite and seeds again too; the same record again is no run
    document = store.get(first)
    again = make_summary(document, validation_id="v2")
    store.record_validation(first, again)
    store.record_validation(first, again)
    assert store.looks(["f-bank"]) == 3


def look_of(store, summary):
    fingerprints = [each.fingerprint for each in summary.datasets]
    return store.begin_look(summary.version, suite=summary.suite, suite_hash=summary.suite_hash, fingerprints=fingerprints, by="ada")


def test_a_look_counts_from_its_start_and_its_record_does_not_count_once_more(store, make_document, make_summary):
    document = make_document()
    version, summary = store.add(document), make_summary(document)
    look_of(store, summary)  # killed, say
    assert store.looks(["f-bank"]) == 1
    look = look_of(store, summary)
    assert store.version(version.id).state == "candidate"
    store.record_validation(version.id, summary, look=look)
    assert store.looks(["f-bank", "f-credit"]) == 2
    assert store.looks(["f-elsewhere"]) == 0
    assert [entry.action for entry in store.history()] == ["added", "looked", "looked", "validated"]


def test_a_look_is_of_its_own_validation_alone(store, make_document, make_summary):
    document = make_document()
    version, summary = store.add(document), make_summary(document)
    look = look_of(store, summary)
    for other in ({"suite_hash": "x" * 64}, {"differences": {"bank": 0, "wines": 0}}):
        with pytest.raises(HeuristicsError, match="another version, suite or dataset"):
            store.record_validation(version.id, make_summary(document, **other), look=look)
    with pytest.raises(HeuristicsError, match="no look number 77"):
        store.record_validation(version.id, summary, look=77)
    assert store.validations() == []
    store.record_validation(version.id, summary, look=look)
    with pytest.raises(HeuristicsError, match="has its validation already"):
        store.record_validation(version.id, make_summary(document, validation_id="v2"), look=look)
    with pytest.raises(HeuristicsError, match="fingerprints"):
        store.begin_look(version.id, suite="small", suite_hash="s", fingerprints=[])

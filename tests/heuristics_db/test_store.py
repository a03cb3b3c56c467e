"""The contract of the store, held against every kind of database."""

from __future__ import annotations

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from heuristics_db import (
    NOTHING,
    ConflictError,
    GateRules,
    HeuristicsDocument,
    HeuristicsError,
    HeuristicsStore,
    InvariantError,
    ValidationSummary,
    content_hash,
)


@pytest.fixture
def validated(store, make_document, make_summary):
    """Store a document that differs by ``seed``, with a validation that passes the gate of staging; return its id."""

    def make(seed: int, **changes: object) -> str:
        document = make_document({"provenance/recipe/seed": seed})
        version = store.add(document)
        store.record_validation(version.id, make_summary(document, **changes))
        return version.id

    return make


# Versions


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
    with pytest.raises(InvariantError, match="seed 0"):
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
        assert strict.verify() == {version.id: ["provenance: wine is a held-out dataset, nothing may be mined from it"]}
        assert [each.id for each in strict.versions()] == [version.id]
    assert store.verify() == {version.id: []}


# Validations


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


# Channels


def test_promotion_points_the_channel_at_the_version(store, validated):
    version = validated(1)
    assert store.channels() == {"staging": None, "production": None}
    verdict = store.promote(version, "staging", by="ada", note="better")
    assert verdict.passed
    assert store.channels() == {"staging": version, "production": None}
    assert content_hash(store.get("staging")) == version
    assert store.version("staging").channels == ("staging",)
    last = store.history("staging")[-1]
    assert (last.action, last.version, last.previous, last.by, last.note) == ("promoted", version, None, "ada", "better")
    assert last.detail["verdict"]["passed"] is True


def test_promoting_again_what_is_there_moves_nothing(store, validated):
    version = validated(1)
    store.promote(version, "staging", by="ada")
    assert store.promote(version, "staging", by="ada").passed
    assert len(store.history("staging")) == 1


def test_a_version_that_was_never_validated_is_refused(store, make_document):
    version = store.add(make_document())
    verdict = store.promote(version.id, "staging", by="ada")
    assert not verdict.passed
    assert "lode validate" in verdict.reasons[0]
    assert store.channels()["staging"] is None
    assert [entry.action for entry in store.history("staging")] == ["refused"]


def test_a_worse_version_is_refused_and_the_refusal_kept(store, validated):
    good, bad = validated(1), validated(2, differences={"bank": 0.3, "credit": 0.1})
    store.promote(good, "staging", by="ada")
    verdict = store.promote(bad, "staging", by="bob")
    assert not verdict.passed
    assert any("mean difference" in reason for reason in verdict.reasons)
    assert store.channels()["staging"] == good
    assert [entry.action for entry in store.history("staging")] == ["promoted", "refused"]


def test_the_newest_validation_counts(store, make_summary, validated):
    version = validated(1)
    assert store.check_gate(version, "staging").passed
    store.record_validation(version, make_summary(store.get(version), {"bank": 0.4, "credit": 0.4}))
    assert not store.check_gate(version, "staging").passed
    assert store.history("staging") == []


def test_other_rules_can_be_given(store, validated):
    version = validated(1)
    assert not store.promote(version, "production", by="ada").passed
    assert store.promote(version, "production", by="ada", gate=GateRules(channel="production")).passed
    with pytest.raises(HeuristicsError, match="rules are for staging"):
        store.promote(version, "production", by="ada", gate=GateRules(channel="staging"))
    with pytest.raises(HeuristicsError, match="choose staging or production"):
        store.promote(version, "prod", by="ada")


def test_a_mover_who_expected_otherwise_gets_a_conflict(store, validated):
    first, second = validated(1), validated(2)
    store.promote(first, "staging", by="ada", expected=NOTHING)
    with pytest.raises(ConflictError, match=f"points at {first[:12]} now"):
        store.promote(second, "staging", by="bob", expected=NOTHING)
    with pytest.raises(ConflictError):
        store.promote(second, "staging", by="bob", expected=second)
    with pytest.raises(ConflictError):
        store.rollback("staging", expected=second)
    assert store.channels()["staging"] == first
    store.promote(second, "staging", by="bob", expected=first[:8])
    assert store.channels()["staging"] == second


def test_a_channel_moved_between_the_gate_and_the_write_is_a_conflict(url, store, validated, monkeypatch):
    first, second = validated(1), validated(2)
    ask = HeuristicsStore._verdict

    def meanwhile(self, connection, version, rules):
        verdict = ask(self, connection, version, rules)
        if version == second:
            with HeuristicsStore(url) as other:
                other.promote(first, "staging", by="ada")
        return verdict

    monkeypatch.setattr(HeuristicsStore, "_verdict", meanwhile)
    with pytest.raises(ConflictError, match="somebody else moved staging first"):
        store.promote(second, "staging", by="bob")
    assert store.channels()["staging"] == first


def test_rollback_walks_back_and_ends(store, validated):
    first, second, third = validated(1), validated(2), validated(3)
    for version in (first, second, third):
        store.promote(version, "staging", by="ada")
    assert store.rollback_target("staging").id == second
    assert store.rollback("staging", by="bob").id == second
    assert store.rollback("staging").id == first
    assert store.channels()["staging"] == first
    with pytest.raises(HeuristicsError, match="no earlier version"):
        store.rollback("staging")
    store.promote(third, "staging", by="ada")
    assert store.rollback("staging").id == first
    assert [entry.action for entry in store.history("staging")] == [*["promoted"] * 3, *["rolled_back"] * 2, "promoted", "rolled_back"]


def test_rollback_passes_over_retired_versions(store, validated):
    first, second, third = validated(1), validated(2), validated(3)
    for version in (first, second, third):
        store.promote(version, "staging", by="ada")
    store.retire(second)
    assert store.rollback("staging").id == first
    store.promote(third, "staging", by="ada")
    assert store.rollback("staging").id == first


def test_a_version_comes_back_once_more_after_another(store, validated):
    first, second = validated(1), validated(2)
    for version in (first, second, first):
        store.promote(version, "staging", by="ada")
    assert store.rollback("staging").id == second
    assert store.rollback("staging").id == first


def test_a_retired_version_stays_readable_and_is_never_promoted(store, validated):
    version = validated(1)
    store.promote(version, "staging", by="ada")
    with pytest.raises(HeuristicsError, match="staging points at"):
        store.retire(version)
    other = validated(2)
    store.promote(other, "staging", by="ada")
    assert store.retire(version, by="ada", note="wrong units").state == "retired"
    assert store.retire(version).state == "retired"
    assert isinstance(store.get(version), HeuristicsDocument)
    with pytest.raises(HeuristicsError, match="is retired"):
        store.promote(version, "staging", by="ada")
    assert [entry.action for entry in store.history(version)] == ["added", "validated", "promoted", "promoted", "retired"]


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


# Releases


def test_a_version_travels_as_one_file(store, tmp_path, validated):
    version = validated(1)
    data = store.export_release(version)
    assert store.export_release(version) == data
    with HeuristicsStore(f"sqlite:///{tmp_path / 'other.db'}") as other:
        assert other.import_release(data).state == "candidate"
        assert not other.check_gate(version, "staging").passed
        assert other.import_release(data, trust_validations=True).state == "validated"
        assert other.get(version) == store.get(version)
        assert other.export_release(version) == data
        assert [entry.action for entry in other.history()] == ["imported", "validated"]


def test_a_bare_document_can_be_imported(store, make_document):
    document = make_document()
    assert store.import_release(document.model_dump_json().encode()).id == content_hash(document)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"trials": 24', '"trials": 25', "was altered"),
        ('"format_version": 1', '"format_version": 2', "format_version"),
        ('"schema_version": 1', '"schema_version": 2', "schema version 2"),
        ('"modalities"', '"modality"', "modalit"),
        ("{", "", "not JSON"),
    ],
)
def test_an_altered_file_is_refused(store, validated, old, new, message):
    data = store.export_release(validated(1)).decode().replace(old, new)
    with pytest.raises(HeuristicsError, match=message):
        store.import_release(data.encode(), where="release.json")


# A newer schema


class _NewerDocument(HeuristicsDocument):
    """The schema that a later Motherlode might have: one optional field more."""

    hints: tuple[str, ...] = ()


class _NewerSummary(ValidationSummary):
    """The same of a validation."""

    remarks: tuple[str, ...] = ()


def test_what_an_older_schema_wrote_keeps_its_name_under_one_with_a_field_more(url, store, tmp_path, validated, make_summary, monkeypatch):
    version = validated(1)
    data = store.export_release(version)
    monkeypatch.setattr("heuristics_db._canonical.HeuristicsDocument", _NewerDocument)
    monkeypatch.setattr("heuristics_db._queries.ValidationSummary", _NewerSummary)
    monkeypatch.setattr("heuristics_db._releases.ValidationSummary", _NewerSummary)
    document = store.get(version)
    assert document.hints == ()
    assert content_hash(document) != version  # what is written now has the field
    assert store.verify() == {version: []}
    assert store.export_release(version) == data
    with HeuristicsStore(f"sqlite:///{tmp_path / 'other.db'}") as other:
        assert other.import_release(data, trust_validations=True).id == version
        assert other.export_release(version) == data
        assert other.promote(version, "staging", by="ada").passed
    store.record_validation(version, make_summary(document, version=version, validation_id="later"))
    assert store.promote(version, "staging", by="ada").passed
    assert store.channels()["staging"] == version


# What nobody may do


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

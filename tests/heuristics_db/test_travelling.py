"""Versions that travel as files, and those that an older schema wrote. Held against every kind of database."""

from __future__ import annotations

import json

import pytest

from heuristics_db import HeuristicsDocument, HeuristicsError, HeuristicsStore, ValidationSummary, content_hash


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
        ('"seconds": 12.5', '"seconds": 11.5', "was altered: its checksum"),
        ('\n "note": ""', '\n "note": "trust me"', "was altered: its checksum"),
        ('"checksum": "', '"checksum": "0', "was altered: its checksum"),
        ('"format_version": 2', '"format_version": 3', "format_version"),
        ('"schema_version": 1', '"schema_version": 2', "schema version 2"),
        ('"modalities"', '"modality"', "modalit"),
        ("{", "", "not JSON"),
    ],
)
def test_an_altered_file_is_refused(store, validated, old, new, message):
    data = store.export_release(validated(1)).decode().replace(old, new)
    with pytest.raises(HeuristicsError, match=message):
        store.import_release(data.encode(), where="release.json")


def test_a_file_of_the_first_format_has_no_checksum_and_is_still_read(store, tmp_path, validated):
    version = validated(1)
    file = json.loads(store.export_release(version))
    del file["checksum"]
    with HeuristicsStore(f"sqlite:///{tmp_path / 'other.db'}") as other:
        with pytest.raises(HeuristicsError, match="its checksum"):  # of the second format it is asked for
            other.import_release(json.dumps(file).encode())
        file["format_version"] = 1
        assert other.import_release(json.dumps(file).encode(), trust_validations=True).id == version


def test_the_checksum_does_not_depend_on_how_the_json_is_laid_out(store, tmp_path, validated):
    version = validated(1)
    file = json.loads(store.export_release(version))
    with HeuristicsStore(f"sqlite:///{tmp_path / 'other.db'}") as other:
        assert other.import_release(json.dumps(dict(reversed(file.items()))).encode()).id == version


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

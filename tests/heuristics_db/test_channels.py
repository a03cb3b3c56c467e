"""Channels of the store: promotion through the gate, conflicts, rollback and retirement. Held against every kind of database."""

from __future__ import annotations

import pytest

from heuristics_db import NOTHING, ConflictError, GateRules, HeuristicsDocument, HeuristicsError, HeuristicsStore, content_hash


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

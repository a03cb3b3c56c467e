"""Channels of the store: promotion through the gate, conflicts, rollback and retirement. Held against every kind of database."""

from __future__ import annotations

import pytest

from heuristics_db import (
    NOTHING,
    ConflictError,
    GatePolicy,
    GateRules,
    HeuristicsDocument,
    HeuristicsError,
    HeuristicsStore,
    Thresholds,
    _store,
    content_hash,
)


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
    assert [reason.partition(":")[0] for reason in verdict.reasons] == [
        "against the untuned search",
        "worst dataset",
        "against the version in staging",
        "worst dataset",
    ]
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


@pytest.mark.parametrize("name", ["", "Canary", "the next", "../x", "-x", "beef", "nothing", "a" * 33, "a;b"])
def test_what_no_channel_can_be_called(store, validated, name):
    with pytest.raises(HeuristicsError, match="no channel can be called"):
        store.promote(validated(1), name, by="ada")
    assert store.channels() == {"staging": None, "production": None}


def test_any_other_name_makes_a_channel(store, validated):
    first, second = validated(1), validated(2)
    with pytest.raises(HeuristicsError, match="names no version"):
        store.get("canary")
    assert store.promote(first, "canary", by="ada").passed
    assert store.promote(second, "canary", by="ada").passed
    assert store.promote(first, "a-team", by="ada").passed
    assert store.channels() == {"staging": None, "production": None, "a-team": first, "canary": second}
    assert content_hash(store.get("canary")) == second
    assert store.version(first).channels == ("a-team",)
    assert [entry.action for entry in store.history("canary")] == ["promoted", "promoted"]
    assert store.rollback("canary").channels == ("a-team", "canary")


def test_the_policy_says_what_each_channel_asks_for(url, store, validated):
    version = validated(1)
    policy = GatePolicy(default=Thresholds(datasets=9), channels={"canary": Thresholds(datasets=1)})
    with HeuristicsStore(url, policy=policy) as strict:
        assert not strict.promote(version, "staging", by="ada").passed
        assert strict.promote(version, "canary", by="ada").passed
        assert strict.history("canary")[-1].detail["rules"]["datasets"] == 1


def test_the_gate_can_be_overridden_and_the_history_says_so(store, validated):
    bad = validated(1, differences={"bank": 0.3, "credit": 0.1})
    with pytest.raises(HeuristicsError, match="needs a reason"):
        store.promote(bad, "staging", by="ada", override=" ")
    verdict = store.promote(bad, "staging", by="ada", override="the old one gives wrong units")
    assert not verdict.passed
    assert store.channels()["staging"] == bad
    (entry,) = store.history("staging")
    assert (entry.action, entry.overridden, entry.detail["overridden"]) == ("promoted", True, "the old one gives wrong units")
    assert entry.detail["verdict"]["passed"] is False
    good = validated(2)
    store.promote(good, "staging", by="ada", override="not needed")
    assert not store.history("staging")[-1].overridden  # the gate let it through
    store.retire(bad)
    with pytest.raises(HeuristicsError, match="is retired"):
        store.promote(bad, "staging", by="ada", override="all the same")


def test_a_version_that_was_never_validated_needs_an_override(store, make_document):
    version = store.add(make_document())
    assert not store.promote(version.id, "staging", by="ada").passed
    store.promote(version.id, "staging", by="ada", override="first of its kind")
    assert store.channels()["staging"] == version.id


def test_a_version_is_set_against_the_validation_of_the_one_in_the_channel(store, validated, make_summary):
    standing = validated(1, differences={"bank": -0.4, "credit": -0.4})
    assert store.promote(standing, "staging", by="ada").passed
    other = validated(2, suite_hash="x" * 64)
    verdict = store.check_gate(other, "staging")
    assert [reason.partition(":")[0] for reason in verdict.reasons] == ["against the version in staging"]
    assert "has no validation on suite small as it is now" in verdict.reasons[0]
    # on the suite that both stood it is worse, whatever a newer validation elsewhere says
    store.record_validation(other, make_summary(store.get(other), validation_id="v2"))
    store.record_validation(other, make_summary(store.get(other), validation_id="v3", suite_hash="y" * 64))
    verdict = store.check_gate(other, "staging")
    assert {reason.partition(":")[0] for reason in verdict.reasons} == {"against the version in staging", "worst dataset"}
    assert store.check_gate(standing, "staging").passed  # nothing is set against itself


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
    really = _store.ask

    def meanwhile(connection, version, rules, held_out):
        verdict = really(connection, version, rules, held_out)
        if version == second:
            with HeuristicsStore(url) as other:
                other.promote(first, "staging", by="ada")
        return verdict

    monkeypatch.setattr(_store, "ask", meanwhile)
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


def test_rollback_goes_any_number_of_steps(store, validated):
    first, second, third = validated(1), validated(2), validated(3)
    for version in (first, second, third, second, third):
        store.promote(version, "staging", by="ada")
    before = len(store.history())
    for steps in (0, 5):
        with pytest.raises(HeuristicsError, match=r"1 step at least|4 earlier versions to go back to, not 5"):
            store.rollback("staging", steps=steps)
    assert len(store.history()) == before
    assert store.rollback_target("staging", steps=3).id == second
    assert store.rollback("staging", steps=3, by="bob").id == second
    moves = [(entry.action, entry.previous, entry.version) for entry in store.history("staging")][-3:]
    assert moves == [("rolled_back", third, second), ("rolled_back", second, third), ("rolled_back", third, second)]
    assert store.rollback("staging").id == first


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

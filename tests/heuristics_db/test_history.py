"""The history's chain and the audit: what is changed or missing behind the store's back is found. Held against every kind of database."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from heuristics_db import HeuristicsError


@pytest.fixture
def filled(store, validated):
    """A store with three validated versions, two promotions and a rollback: nine rows of history."""
    versions = [validated(seed) for seed in range(3)]
    for version in versions[:2]:
        store.promote(version, "staging", by="ada", note="as agreed")
    store.rollback("staging", by="bob")
    assert store.audit().sound
    return store


@pytest.fixture
def behind(filled, url):
    """Run SQL as somebody would who is out to deceive: without triggers and foreign keys."""

    def run(*statements):
        with filled._engine.connect() as connection:
            if url.startswith("sqlite"):
                driver = connection.connection.driver_connection
                driver.execute("PRAGMA foreign_keys = OFF")
                names = [row[0] for row in driver.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")]
                for name in names:
                    driver.execute(f"DROP TRIGGER {name}")
                for statement in statements:
                    driver.execute(statement)
            else:
                with connection.begin():
                    connection.execute(text("SET LOCAL session_replication_role = replica"))
                    for statement in statements:
                        connection.execute(text(statement))

    return run


def test_each_row_is_chained_to_the_one_before(filled):
    entries = filled.history()
    assert [entry.sequence for entry in entries] == list(range(1, 10))
    assert len({entry.hash for entry in entries}) == 9
    assert all(re.fullmatch("[0-9a-f]{64}", entry.hash) for entry in entries)
    audit = filled.audit()
    assert (audit.rows, audit.head) == (9, entries[-1].hash)


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("UPDATE events SET note = 'never agreed' WHERE sequence = 7", "row 7: it or the row before was altered"),
        ("UPDATE events SET \"by\" = 'eve' WHERE sequence = 8", "row 8: it or the row before was altered"),
        ("UPDATE events SET at = '2020-01-01T00:00:00+00:00' WHERE sequence = 9", "row 9: it or the row before was altered"),
        ("UPDATE events SET detail = replace(detail, 'true', 'false') WHERE sequence = 7", "row 7: it or the row before was altered"),
        ("UPDATE events SET hash = 'beef' WHERE sequence = 9", "row 9: it or the row before was altered"),
        ("UPDATE events SET sequence = 20 WHERE sequence = 9", "row 20: rows 9 to 19 before it are missing"),
        ("DELETE FROM events WHERE sequence = 8", "row 9: rows 8 to 8 before it are missing"),
        ("DELETE FROM events WHERE sequence < 3", "row 3: rows 1 to 2 before it are missing"),
        ("DELETE FROM events WHERE sequence > 7", "rows 8 to 9 are missing at its end"),
        ("DELETE FROM history_head", "its head is not its last row"),
        ("UPDATE history_head SET hash = 'beef'", "its head is not its last row"),
        ("UPDATE versions SET note = 'best of all'", "its note or date was altered"),
        ("UPDATE versions SET created_at = '2020-01-01T00:00:00+00:00'", "its note or date was altered"),
        ("UPDATE versions SET document = ''", "its document is missing"),
        ("DELETE FROM versions", "is missing: the history says that it was added"),
        ("UPDATE validations SET summary = replace(summary, '0.3', '0.2')", "was altered"),
        ("UPDATE validations SET imported = 1", "was altered"),
        ("UPDATE validations SET suite_hash = 'x'", "was altered"),
        ("UPDATE validations SET version = (SELECT min(id) FROM versions)", "was altered"),
        ("DELETE FROM validations WHERE sequence = 2", "is missing"),
        ("DELETE FROM events WHERE action = 'added'", "is not in the history: nobody added it"),
        ("DELETE FROM events WHERE action = 'validated'", "is not in the history: nobody recorded it"),
    ],
)
def test_what_was_changed_or_is_missing_is_found(filled, behind, statement, told):
    behind(statement)
    audit = filled.audit()
    assert not audit.sound
    assert any(told in fault for fault in audit.faults), audit.faults


def test_a_history_written_anew_no_longer_has_the_hash_that_was_noted(filled, behind):
    noted = filled.audit().head
    filled.promote(filled.versions()[0].id, "staging", by="ada")
    assert filled.audit(known_head=noted).sound
    assert filled.audit(known_head=filled.audit().head).sound
    behind(
        "DELETE FROM events",
        "DELETE FROM validations",
        "DELETE FROM versions",
        f"UPDATE history_head SET sequence = 0, hash = '{'0' * 64}'",
    )
    assert filled.audit().sound
    assert "no row has the hash" in filled.audit(known_head=noted).faults[0]


def test_a_program_that_knows_no_chain_can_append_nothing(filled):
    columns = 'at, action, version, "by", note, detail'
    row = f"INSERT INTO events (sequence, {columns}) SELECT 99, {columns} FROM events WHERE sequence = 1"
    with pytest.raises(DBAPIError, match=r"start this program anew|null value"), filled._engine.begin() as connection:
        connection.execute(text(row))


def test_the_newest_rows_alone(filled):
    assert [entry.sequence for entry in filled.history(limit=2)] == [8, 9]
    assert [entry.action for entry in filled.history("staging", limit=1)] == ["rolled_back"]
    assert len(filled.versions(limit=2)) == 2


def test_retired_versions_that_no_channel_ever_pointed_at_are_collected(filled, behind, validated, make_document):
    first, second, third = [version.id for version in filled.versions()][::-1]
    other = validated(7)
    for version in (second, third):
        filled.retire(version)
    assert filled.gc(dry_run=True) == [third]  # the second stood in staging once
    assert filled.get(third)
    assert filled.gc(by="ada", note="room") == [third]
    assert filled.gc() == []
    assert [version.id for version in filled.versions()] == [other, second, first]
    with pytest.raises(HeuristicsError, match="only its history is left"):
        filled.get(third)
    assert filled.version(third).state == "retired"
    assert [entry.action for entry in filled.history(third)] == ["added", "validated", "retired", "collected"]
    assert len(filled.validations(third)) == 1  # its looks at held-out data stay counted
    assert filled.audit().sound
    assert set(filled.verify()) == {first, second, other}
    with pytest.raises(HeuristicsError, match="does not come back"):
        filled.add(make_document({"provenance/recipe/seed": 2}))


def test_no_document_can_be_emptied_that_history_points_at(filled):
    standing = filled.channels()["staging"]
    with pytest.raises(DBAPIError, match="append-only"), filled._engine.begin() as connection:
        connection.execute(text("UPDATE versions SET document = '' WHERE id = :id"), {"id": standing})

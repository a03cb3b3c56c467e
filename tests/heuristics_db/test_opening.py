"""Opening a database: fresh, at once from several processes, foreign, newer, broken."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from heuristics_db import HeuristicsDocument, HeuristicsError, HeuristicsStore, content_hash
from heuristics_db._opening import HEAD, MIGRATIONS, open_engine
from heuristics_db._tables import METADATA
from tests.heuristics_db.at_once import at_once

DUMPS = sorted((Path(__file__).parent / "databases").glob("revision-*.sql"))


def _open_and_add(start, url, data):
    document = HeuristicsDocument.model_validate_json(data)
    start.wait(60)
    with HeuristicsStore(url) as store:
        return store.add(document).id


def test_several_processes_open_a_fresh_database_at_once(url, make_document):
    documents = [make_document({"provenance/recipe/seed": seed}) for seed in range(3)]
    found = set(at_once(_open_and_add, *[(url, each.model_dump_json()) for each in documents]))
    assert found == {content_hash(each) for each in documents}
    with HeuristicsStore(url) as store:
        assert {each.id for each in store.versions()} == found
        assert [entry.sequence for entry in store.history()] == sorted(entry.sequence for entry in store.history())


def _promote(start, url, version, by, expected):
    with HeuristicsStore(url) as store:
        start.wait(60)
        try:
            return "won", by, store.promote(version, "staging", by=by, expected=expected).passed
        except HeuristicsError as error:
            return type(error).__name__, by, str(error)


def test_of_two_who_promote_at_once_one_wins_and_the_other_is_told(url, make_document, make_summary):
    documents = [make_document({"provenance/recipe/seed": seed}) for seed in range(3)]
    with HeuristicsStore(url) as store:
        for document in documents:
            store.record_validation(store.add(document).id, make_summary(document))
        before = content_hash(documents[0])
        store.promote(before, "staging", by="eve")
    contenders = zip(("ada", "bob"), documents[1:], strict=True)
    outcomes = sorted(at_once(_promote, *[(url, content_hash(document), by, before) for by, document in contenders]))
    assert [outcome[0] for outcome in outcomes] == ["ConflictError", "won"]
    assert "somebody else moved staging first" in outcomes[0][2]
    with HeuristicsStore(url) as store:
        last = store.history("staging")[-1]
        assert (last.by, last.previous) == (outcomes[1][1], before)
        assert store.channels()["staging"] == last.version
        assert len(store.history("staging")) == 2


def test_the_migrations_lead_to_the_tables_that_the_store_uses(url):
    from alembic.autogenerate import compare_metadata
    from alembic.config import Config
    from alembic.migration import MigrationContext
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    assert ScriptDirectory.from_config(config).get_heads() == [HEAD]
    engine = open_engine(url)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
    engine.dispose()


@pytest.mark.parametrize("dump", DUMPS, ids=lambda path: path.stem)
def test_a_database_of_every_earlier_schema_opens_and_goes_on(dump, tmp_path):
    path = tmp_path / "heuristics.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(dump.read_text())
    with HeuristicsStore(f"sqlite:///{path}") as store:
        (version,) = store.versions()
        assert (version.state, version.note) == ("validated", "the first schema")
        assert store.verify() == {version.id: []}
        assert store.promote(version.id, "staging", by="ada").passed
        assert [entry.action for entry in store.history()] == ["added", "validated", "promoted"]


def test_there_is_a_database_of_each_schema():
    revisions = sorted(path.stem.removeprefix("revision_") for path in (MIGRATIONS / "versions").glob("revision_*.py"))
    assert [path.stem.removeprefix("revision-") for path in DUMPS] == revisions


def test_a_database_of_a_newer_motherlode_is_left_alone(url):
    HeuristicsStore(url).close()
    engine = open_engine(url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()
    with pytest.raises(HeuristicsError, match="schema 9999, newer than"):
        HeuristicsStore(url)


def test_a_database_of_another_program_is_left_alone(tmp_path):
    with sqlite3.connect(tmp_path / "other.db") as connection:
        connection.execute("CREATE TABLE versions (id INTEGER)")
    with pytest.raises(HeuristicsError, match="tables of another program"):
        HeuristicsStore(f"sqlite:///{tmp_path / 'other.db'}")


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("", "not a database URL"),
        ("heuristics.db", "not a database URL"),
        ("sqlite://", "needs a file"),
        ("mysql://me@host/name", "kind mysql"),
        ("postgresql+nothing://me@host/name", "no driver"),
        ("postgresql://me:hidden@host:port/name", "not a database URL"),
        ("postgresql://me:hidden@127.0.0.1:1/name", "can't be used"),
        ("sqlite:///{tmp}", "unable to open"),
        ("sqlite:///{tmp}/text.db", "not a database"),
        ("sqlite:///{tmp}/text.db/below/heuristics.db", "can't be made"),
    ],
)
def test_an_address_of_no_use_is_one_clear_line_without_the_password(tmp_path, address, message):
    (tmp_path / "text.db").write_text("not a database at all, " * 100)
    with pytest.raises(HeuristicsError, match=message) as caught:
        HeuristicsStore(address.format(tmp=tmp_path))
    assert "\n" not in str(caught.value)
    assert "hidden" not in str(caught.value)


def test_the_folder_of_the_database_is_made(tmp_path):
    HeuristicsStore(f"sqlite:///{tmp_path / 'one' / 'two' / 'heuristics.db'}").close()
    assert (tmp_path / "one" / "two" / "heuristics.db").is_file()


def test_a_document_altered_behind_the_stores_back_is_found(tmp_path, make_document):
    path = tmp_path / "heuristics.db"
    with HeuristicsStore(f"sqlite:///{path}") as store:
        version = store.add(make_document())
        other = store.add(make_document({"provenance/recipe/seed": 5}))
        with sqlite3.connect(path) as connection:
            connection.execute("DROP TRIGGER versions_no_update")
            connection.execute("UPDATE versions SET document = replace(document, '0.003', '0.004') WHERE id = ?", (version.id,))
        with pytest.raises(HeuristicsError, match="was altered"):
            store.get(version.id)
        found = store.verify()
    assert "was altered" in found[version.id][0]
    assert found[other.id] == []


def test_a_reader_is_not_kept_waiting_by_a_writer(tmp_path, make_document):
    address = f"sqlite:///{tmp_path / 'heuristics.db'}"
    with HeuristicsStore(address) as store:
        version = store.add(make_document())
        blocker = create_engine(address)
        with blocker.connect() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            assert store.versions() == [version]
        blocker.dispose()

"""Opening a database: fresh, at once from several processes, foreign, newer, broken."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect, text

from heuristics_db import HeuristicsDocument, HeuristicsError, HeuristicsStore, Upgrade, content_hash, upgrade_database
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


def old_database(dump, url):
    """Make the database that a dump of an earlier schema was made from: a SQLite file, or the same schema and rows in PostgreSQL."""
    sql = dump.read_text()
    if url.startswith("sqlite"):
        with sqlite3.connect(url.removeprefix("sqlite:///")) as connection:
            connection.executescript(sql)
        return
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    rows = re.findall(r'^INSERT INTO "(versions|validations|events|history_head)" VALUES\((.*)\);$', sql, re.MULTILINE)
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, dump.stem.removeprefix("revision-"))
        connection.exec_driver_sql("SET LOCAL session_replication_role = replica")
        if inspect(connection).has_table("history_head"):
            connection.exec_driver_sql("DELETE FROM history_head")  # the dump has its own
        for table, values in rows:
            connection.exec_driver_sql(f"INSERT INTO {table} VALUES ({values.replace('%', '%%')})")
    engine.dispose()


@pytest.mark.parametrize("dump", DUMPS, ids=lambda path: path.stem)
def test_a_database_of_every_earlier_schema_opens_and_goes_on(dump, url):
    old_database(dump, url)
    with HeuristicsStore(url) as store:
        (version,) = store.versions()
        assert (version.state, version.note) == ("validated", "the first schema")
        assert store.verify() == {version.id: []}
        assert store.promote(version.id, "staging", by="ada").passed
        entries = store.history()
        assert [entry.action for entry in entries] == ["added", "validated", "promoted"]
        audit = store.audit()
        assert (audit.rows, audit.head, audit.faults) == (3, entries[-1].hash, ())


@pytest.mark.parametrize("dump", DUMPS[:-1], ids=lambda path: path.stem)
def test_an_upgrade_says_what_it_does_and_keeps_the_file_as_it_was(dump, tmp_path):
    url, path = f"sqlite:///{tmp_path / 'heuristics.db'}", tmp_path / "heuristics.db"
    old_database(dump, url)
    revision = dump.stem.removeprefix("revision-")
    assert upgrade_database(url, dry_run=True) == Upgrade(revision, HEAD)
    done = upgrade_database(url)
    assert done == Upgrade(revision, HEAD, tmp_path / f"heuristics.db.schema-{revision}")
    assert upgrade_database(url) == Upgrade(HEAD, HEAD)
    with sqlite3.connect(done.copy) as before, sqlite3.connect(path) as after:
        assert before.execute("SELECT version_num FROM alembic_version").fetchone() == (revision,)
        assert after.execute("SELECT version_num FROM alembic_version").fetchone() == (HEAD,)


def test_an_upgrade_of_nothing_makes_a_database_and_a_dry_one_does_not(tmp_path):
    url = f"sqlite:///{tmp_path / 'heuristics.db'}"
    assert upgrade_database(url, dry_run=True) == Upgrade(None, HEAD)
    assert list(tmp_path.iterdir()) == []
    assert upgrade_database(url) == Upgrade(None, HEAD)


def test_an_upgrade_that_breaks_off_changes_nothing(url, monkeypatch):
    from alembic import op

    old_database(DUMPS[0], url)
    breaks = RuntimeError("the power goes")

    def create_index(*_arguments, **_more):  # the last that the migration does but for triggers
        raise breaks

    with monkeypatch.context() as patch:
        patch.setattr(op, "create_index", create_index)
        with pytest.raises(RuntimeError, match="the power goes"):
            HeuristicsStore(url)
    assert upgrade_database(url, dry_run=True).before == "0001"
    with HeuristicsStore(url) as store:
        assert store.audit().sound


def _migrate(start, url):
    start.wait(60)
    with HeuristicsStore(url) as store:
        return store.audit().rows


def test_several_processes_upgrade_at_once(url):
    old_database(DUMPS[0], url)
    assert at_once(_migrate, (url,), (url,), (url,)) == [2, 2, 2]


def test_there_is_a_database_of_each_schema():
    revisions = sorted(path.stem.removeprefix("revision_") for path in (MIGRATIONS / "versions").glob("revision_*.py"))
    assert [path.stem.removeprefix("revision-") for path in DUMPS] == revisions


def test_a_database_of_a_newer_motherlode_is_left_alone(url):
    HeuristicsStore(url).close()
    engine = open_engine(url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()
    for use in (HeuristicsStore, upgrade_database):
        with pytest.raises(HeuristicsError, match="schema 9999, newer than"):
            use(url)


@pytest.mark.parametrize("made", ["CREATE TABLE versions (id INTEGER)", "CREATE TABLE alembic_version AS SELECT 'a1b2c3' AS version_num"])
def test_a_database_of_another_program_is_left_alone(tmp_path, made):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute(made)
    before = path.read_bytes()
    with pytest.raises(HeuristicsError, match="of another program"):
        HeuristicsStore(f"sqlite:///{path}")
    assert path.read_bytes() == before


@pytest.mark.parametrize("damage", ["cut short", "overwritten", "its head gone"])
def test_a_damaged_file_is_refused_in_one_line_and_left_as_it_is(tmp_path, make_document, damage):
    path = tmp_path / "heuristics.db"
    with HeuristicsStore(f"sqlite:///{path}") as store:
        for seed in range(20):
            store.add(make_document({"provenance/recipe/seed": seed}))
    whole = path.read_bytes()
    broken = {
        "cut short": whole[: len(whole) // 2],
        "overwritten": whole[:4096] + b"\xff" * (len(whole) - 4096),
        "its head gone": b"\0" * 100 + whole[100:],
    }[damage]
    path.write_bytes(broken)
    told = faults_of(path)
    assert told
    assert "\n" not in told
    assert path.read_bytes() == broken


def faults_of(path):
    """What is said of a damaged file, when it is opened, read, or audited at the latest."""
    try:
        with HeuristicsStore(f"sqlite:///{path}") as store:
            store.versions()
            return "; ".join(store.audit().faults)
    except HeuristicsError as error:
        return str(error)


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

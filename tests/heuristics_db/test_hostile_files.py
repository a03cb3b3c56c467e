"""A file from a stranger is data: whatever stands in it, it is taken as a sound version or refused in one clear line."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from experiments.commands import run
from heuristics_db import (
    LARGEST_FILE,
    HeuristicsError,
    HeuristicsStore,
    broken_invariants,
    canonical_json,
    check_invariants,
    compare_documents,
    content_hash,
    explain_document,
    read_document,
)
from heuristics_db._releases import read_release, write_release
from heuristics_db.exporting import FORMATS, export_document
from tests.heuristics_db.conftest import plain_document
from tests.heuristics_db.hostile import mutants

RELEASES = [path.read_bytes() for path in sorted((Path(__file__).parent / "releases").glob("*.json"))]
LONGEST_LINE = 1500


def originals(tmp_path, make_document, make_summary):
    """What is mutated: exports of each format with validations, and a bare document with every kind of part."""
    rich = plain_document()
    tabular = rich["modalities"]["tabular"]
    space = tabular["model_types"]["tabnet"]["space"]["hyperparameters"]
    space.append({"name": "combiner.num_steps", "domain": {"kind": "int", "low": 1, "high": 8, "log": True}, "searched": False, "fixed": 3})
    space.append({"name": "combiner.norm", "domain": {"kind": "categorical", "choices": [None, "a"]}, "weights": [1, 2]})
    space[-1]["condition"] = {"parent": "trainer.batch_size", "values": [64]}
    for seed in (tabular["model_types"]["tabnet"]["portfolio"][0], tabular["portfolio"][1]):
        seed["configuration"]["combiner.num_steps"] = 3
    tabular["tasks"] = {"binary": {"limits": {"trials": 3, "epochs": 2}}}
    document = read_document(json.dumps(rich))
    check_invariants(document)
    with HeuristicsStore(f"sqlite:///{tmp_path / 'origin.db'}") as store:
        version = store.add(document, note="a note")
        store.record_validation(version.id, make_summary(document))
        return [*RELEASES, store.export_release(version.id), canonical_json(document)]


def take(data):
    """Import ``data`` as the store would; return the release, or the line that refuses it."""
    try:
        release = read_release(data, where="the file")
        check_invariants(release.document)
    except HeuristicsError as error:
        return str(error)
    return release


def hold_contract(data):
    """What must be true of any file; return what became of it."""
    taken = take(data)
    if isinstance(taken, str):
        assert taken.isprintable(), taken
        assert len(taken) < LONGEST_LINE
        return "refused"
    written = write_release(version=taken.version, note=taken.note, content=taken.content, records=taken.records)
    again = read_release(written, where="the copy")
    assert (again.version, again.content, again.records, again.note) == (taken.version, taken.content, taken.records, taken.note)
    return "taken"


def use_everywhere(data, before):
    """Hand a document that was taken to all that reads documents."""
    document = take(data).document
    compare_documents(before, document)
    explain_document(document)
    for name in FORMATS:
        for modality in document.modalities:
            made = exported(document, name, modality)
            for path in made:
                assert not Path(path).is_absolute()
                assert ".." not in Path(path).parts
            if name == "ray" and made:
                compile(made["heuristics_for_ray.py"], "heuristics_for_ray.py", "exec")


def exported(document, name, modality):
    """The files of an export; none when it is refused, in a line that can be shown."""
    try:
        return export_document(document, name, version=content_hash(document), modality=modality).files
    except HeuristicsError as error:
        line = str(error)
    assert line.isprintable(), line
    return {}


@pytest.mark.parametrize(
    "count", [3_000, pytest.param(100_000, marks=[pytest.mark.slow, pytest.mark.timeout(900)])], ids=["some", "hundred thousand"]
)
def test_mutated_files_are_taken_whole_or_refused_in_one_line(tmp_path, make_document, make_summary, count):
    files = originals(tmp_path, make_document, make_summary)
    assert [hold_contract(each) for each in files] == ["taken"] * len(files)
    before = make_document()
    became = Counter()
    for data in mutants(files, seed=20261201, count=count):
        what = hold_contract(data)
        became[what] += 1
        if what == "taken" and became[what] % 20 == 0:
            use_everywhere(data, before)
    assert became["taken"] > count // 20  # mutants that pass are those that test what comes after
    assert became["refused"] > count // 4


def test_mutated_files_leave_the_database_as_it_was_or_with_a_sound_version(tmp_path, make_document, make_summary):
    files = originals(tmp_path, make_document, make_summary)
    with HeuristicsStore(f"sqlite:///{tmp_path / 'heuristics.db'}") as store:
        for data in mutants(files, seed=7, count=150):
            before = len(store.versions())
            try:
                version = store.import_release(data, by="fuzz", trust_validations=True, where="the file")
            except HeuristicsError:
                assert len(store.versions()) == before
            else:
                assert broken_invariants(store.get(version.id)) == []
        assert len(store.versions()) > 0


def test_a_file_that_is_too_large_is_refused_unread(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("LODE_HOME", str(tmp_path / "home"))
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(LARGEST_FILE * 100)  # sparse: it takes no room on the disk, and would take 6 GB in memory
    assert run(["db", "import", str(path)]) == 2
    assert "larger than 64 MiB" in capsys.readouterr().err


@pytest.mark.parametrize(
    "ref", ["' OR 1=1 --", "0000' OR '1'='1", "%", "____", "staging'; DROP TABLE versions; --", "0000\x00", "🪙🪙🪙🪙", "0" * 65]
)
def test_no_reference_is_read_as_sql(tmp_path, make_document, ref):
    path = tmp_path / "heuristics.db"
    with HeuristicsStore(f"sqlite:///{path}") as store:
        version = store.add(make_document(), note="'; DROP TABLE versions; --", by="' OR 1=1")
        for method in (store.get, store.version, store.validations, store.history, store.export_release):
            with pytest.raises(HeuristicsError):
                method(ref)
        assert store.versions() == [version]
        assert store.history()[0].by == "' OR 1=1"
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM versions").fetchone() == (1,)


@pytest.mark.parametrize("name", ["../../evil", "/evil", "a/b", "..", "", "a\\b", "x\ny", "-rf"])
def test_no_model_type_leads_an_export_out_of_its_folder(name):
    data = json.loads(json.dumps(plain_document()).replace('"tabnet"', json.dumps(name)))
    if not name:  # the schema itself asks for a name
        with pytest.raises(HeuristicsError, match="at least 1 character"):
            read_document(json.dumps(data))
        return
    document = read_document(json.dumps(data))
    check_invariants(document)
    for exporter in FORMATS:
        with pytest.raises(HeuristicsError, match="plain word"):
            export_document(document, exporter, version="0" * 64)

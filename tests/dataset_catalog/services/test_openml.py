"""OpenML through scikit-learn's own client, against a server on this machine that answers in OpenML's shapes."""

import gzip
import hashlib
import json
import threading
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from dataset_catalog import CatalogError, Loader
from dataset_catalog.sources import _openml, _openml_server
from dataset_catalog.sources._openml import openml_table
from tests.dataset_catalog.progress import Told
from tests.dataset_catalog.services.loopback import Answer, Loopback
from tests.loopback import dead_url

ARFF = b"""% made for these tests
@RELATION colours
@ATTRIBUTE id STRING
@ATTRIBUTE 'shell size' REAL
@ATTRIBUTE level {00,1,2.0}
@ATTRIBUTE colour {red,'dark blue',green}
@ATTRIBUTE note STRING
@ATTRIBUTE kind {a,b}
@DATA
r1,1.5,00,red,"one, two",a
r2,2,1,'dark blue',plain,b
r3,?,2.0,green,?,a
r4,4.25,?,red,last,b
"""
COLUMNS = (
    ("id", "string"),
    ("shell size", "numeric"),
    ("level", "nominal"),
    ("colour", "nominal"),
    ("note", "string"),
    ("kind", "nominal"),
)


def publish(server: Loopback, number: int = 77, arff: bytes = ARFF, columns: Any = COLUMNS, **changed: Any) -> None:
    """Let the server hold one dataset as OpenML does."""
    details = {
        "id": str(number),
        "name": "colours",
        "version": "3",
        "description": "Shells.",
        "format": "ARFF",
        "licence": "CC0",
        "citation": "A. Person,\n  On shells",
        "url": f"https://api.openml.org/data/v1/download/{number}/colours.arff",
        "default_target_attribute": "kind",
        "row_id_attribute": "id",
        "status": "active",
        "md5_checksum": hashlib.md5(arff).hexdigest(),
    } | changed
    features = [
        {
            "index": str(position),
            "name": name,
            "data_type": kind,
            "is_target": str(name == "kind").lower(),
            "is_ignore": "false",
            "is_row_identifier": str(name == "id").lower(),
            "number_of_missing_values": "0",
        }
        for position, (name, kind) in enumerate(columns)
    ]
    qualities = [{"name": "NumberOfInstances", "value": "4.0"}]
    server.paths |= {
        f"/api/v1/json/data/{number}": as_json({"data_set_description": details}),
        f"/api/v1/json/data/features/{number}": as_json({"data_features": {"feature": features}}),
        f"/api/v1/json/data/qualities/{number}": as_json({"data_qualities": {"quality": qualities}}),
        f"/data/v1/download/{number}/colours.arff": Answer(gzip.compress(arff), headers={"Content-Encoding": "gzip"}),
    }


def as_json(content: Any) -> Answer:
    return Answer(json.dumps(content).encode(), headers={"Content-Type": "application/json"})


@pytest.fixture
def openml(loopback: Loopback, monkeypatch: pytest.MonkeyPatch) -> Loopback:
    monkeypatch.setenv("OPENML_SERVER", f"{loopback.url}/api/v1/xml")
    publish(loopback)
    return loopback


def test_gives_the_table_and_what_openml_says_of_it(openml: Loopback, tmp_path: Path) -> None:
    frame, facts = openml_table(Loader(data_id=77), tmp_path)
    assert list(frame.columns) == ["shell size", "level", "colour", "note", "kind"]
    assert frame["shell size"].tolist()[:2] == [1.5, 2.0]
    assert frame["shell size"].isna().tolist() == [False, False, True, False]
    assert frame["level"].tolist()[:3] == ["00", "1", "2.0"]
    assert frame["level"].isna().tolist() == [False, False, False, True]
    assert frame["note"].isna().tolist() == [False, False, True, False]
    assert frame["colour"].tolist() == ["red", "dark blue", "green", "red"]
    assert frame["note"].tolist()[0] == "one, two"
    assert (facts.title, facts.target, facts.licence, facts.citation) == (
        "colours (OpenML 77, version 3)",
        "kind",
        "CC0",
        "A. Person, On shells",
    )
    assert facts.loader == Loader(data_id=77)
    assert hashlib.md5(ARFF).hexdigest() in facts.notes[0]
    assert facts.notes[1] == "left out, as OpenML says: id"


def test_a_second_time_asks_nobody(openml: Loopback, tmp_path: Path) -> None:
    first, _ = openml_table(Loader(data_id=77), tmp_path)
    asked = len(openml.asked)
    second, facts = openml_table(Loader(data_id=77), tmp_path, offline=True)
    assert len(openml.asked) == asked
    assert first.equals(second)
    assert facts.target == "kind"


def test_offline_says_so_and_asks_nobody(openml: Loopback, tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match=r"openml:77 is not in the cache .* offline"):
        openml_table(Loader(data_id=77), tmp_path, offline=True)
    assert not openml.asked
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("harm", ["cut", "changed", "changed unseen", "about", "gone"])
def test_a_torn_table_is_fetched_again(openml: Loopback, tmp_path: Path, harm: str) -> None:
    first, _ = openml_table(Loader(data_id=77), tmp_path)
    table = next(tmp_path.rglob("table.parquet"))
    about = next(tmp_path.rglob("about.json"))
    content = table.read_bytes()
    match harm:
        case "cut":
            table.write_bytes(content[:-9])
        case "changed":
            table.write_bytes(content[:40] + b"\0" + content[41:])
        case "changed unseen":  # Parquet reads it, and finds nothing wrong
            assert b"parquet-cpp-arrow" in content
            table.write_bytes(content.replace(b"parquet-cpp-arrow", b"parquet-cpp-ARROW"))
        case "about":
            about.write_text(about.read_text()[:20])
        case "gone":
            table.unlink()
    with pytest.raises(CatalogError, match="is damaged in the cache"):
        openml_table(Loader(data_id=77), tmp_path, offline=True)
    again, _ = openml_table(Loader(data_id=77), tmp_path)
    assert again.equals(first)


def test_progress_is_told_in_bytes(openml: Loopback, tmp_path: Path) -> None:
    told = Told()
    openml_table(Loader(data_id=77), tmp_path, progress=told)
    assert told.sentences == [f"fetching openml:77 from {openml.url}"]
    assert told.bytes[-1][1] == told.bytes[-1][2] == len(gzip.compress(ARFF))


def test_a_number_that_openml_does_not_know(openml: Loopback, tmp_path: Path) -> None:
    openml.paths["/api/v1/json/data/5"] = Answer(b'{"error":{"code":"111","message":"Unknown dataset"}}', 412)
    refused("openml:5: OpenML has no dataset of that number", 5, tmp_path)


@pytest.mark.parametrize("status", ["deactivated", "in_preparation"])
def test_a_dataset_that_openml_has_taken_back(openml: Loopback, tmp_path: Path, status: str) -> None:
    publish(openml, status=status)
    refused(f"OpenML marks this dataset {status.replace('_', ' ')}; look for another version of colours", 77, tmp_path)


def test_a_file_with_another_checksum_is_not_kept(openml: Loopback, tmp_path: Path) -> None:
    publish(openml, md5_checksum="0" * 32)
    refused("differs from the MD5 that OpenML states", 77, tmp_path)


def test_a_file_cut_short_is_not_kept(openml: Loopback, tmp_path: Path) -> None:
    whole = gzip.compress(ARFF)
    openml.paths["/data/v1/download/77/colours.arff"] = Answer(whole, headers={"Content-Encoding": "gzip"}, cut=60)
    refused("openml:77: ", 77, tmp_path)
    openml.paths["/data/v1/download/77/colours.arff"] = Answer(ARFF, cut=150)
    refused("differs from the MD5", 77, tmp_path)
    publish(openml)
    assert len(openml_table(Loader(data_id=77), tmp_path)[0]) == 4


@pytest.mark.parametrize(
    ("status", "words"),
    [(500, "answered 500 .*; try again later"), (403, "answered 403 .*; the dataset is private"), (404, "answered 404")],
)
def test_a_server_that_refuses(openml: Loopback, tmp_path: Path, status: int, words: str) -> None:
    openml.paths["/data/v1/download/77/colours.arff"] = Answer(b"", status)
    refused(words, 77, tmp_path)


def test_a_server_that_answers_something_else(openml: Loopback, tmp_path: Path) -> None:
    openml.paths["/api/v1/json/data/77"] = Answer(b"<html>log in to this network</html>")
    refused("did not answer as OpenML does", 77, tmp_path)
    publish(openml)
    assert len(openml_table(Loader(data_id=77), tmp_path)[0]) == 4


def test_a_server_that_hangs(openml: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_openml_server, "SECONDS", 0.2)
    openml.paths["/api/v1/json/data/77"] = Answer(wait=1.0)
    refused("did not answer within 0.2 seconds", 77, tmp_path)


def test_a_server_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_such_host: str) -> None:
    monkeypatch.setenv("OPENML_SERVER", dead_url())
    refused("cannot be reached .*Connection refused.*; is the network there", 77, tmp_path)
    monkeypatch.setenv("OPENML_SERVER", no_such_host)
    refused("cannot be reached .*; is the network there", 77, tmp_path)


def test_rows_of_another_length_are_no_table(openml: Loopback, tmp_path: Path) -> None:
    longer = ARFF.replace(b"r2,2,1", b"r2,2,1,7,7")
    publish(openml, arff=longer)
    refused("the file is not the table that OpenML describes", 77, tmp_path)


def test_texts_in_single_quotes(openml: Loopback, tmp_path: Path) -> None:
    publish(openml, arff=ARFF.replace(b'"one, two"', b"'one, two'").replace(b"plain", b"'it is plain'"))
    frame, _ = openml_table(Loader(data_id=77), tmp_path)
    assert frame["note"].tolist()[:2] == ["one, two", "it is plain"]
    assert frame["colour"].tolist() == ["red", "dark blue", "green", "red"]


@pytest.mark.parametrize("target", ["kind,level", "gone", None])
def test_a_target_that_is_no_single_column(openml: Loopback, tmp_path: Path, target: str | None) -> None:
    publish(openml, default_target_attribute=target, licence=None, citation="", creator=["A", "B"], ignore_attribute=["x", "y"])
    _, facts = openml_table(Loader(data_id=77), tmp_path)
    assert (facts.target, facts.licence, facts.citation) == (None, "unstated", "A, B")
    assert facts.notes[-1] == "left out, as OpenML says: id, x, y"
    assert any("no single column" in note for note in facts.notes) is (target is not None)


def test_a_sparse_dataset_is_spread_out(openml: Loopback, tmp_path: Path) -> None:
    arff = b"@RELATION s\n@ATTRIBUTE x NUMERIC\n@ATTRIBUTE y NUMERIC\n@ATTRIBUTE kind {a,b}\n@DATA\n{0 1.5,2 b}\n{1 2}\n{0 0.5}\n"
    publish(openml, arff=arff, columns=(("x", "numeric"), ("y", "numeric"), ("kind", "nominal")), format="Sparse_ARFF", row_id_attribute="")
    frame, facts = openml_table(Loader(data_id=77), tmp_path)
    assert frame.to_dict("list") == {"x": [1.5, 0.0, 0.5], "y": [0.0, 2.0, 0.0], "kind": ["b", "a", "a"]}
    assert facts.target == "kind"


def test_two_at_once_fetch_once(openml: Loopback, tmp_path: Path) -> None:
    path = "/data/v1/download/77/colours.arff"
    openml.paths[path] = Answer(gzip.compress(ARFF), headers={"Content-Encoding": "gzip"}, wait=0.2)
    rows: list[int] = []
    both = [threading.Thread(target=lambda: rows.append(len(openml_table(Loader(data_id=77), tmp_path)[0]))) for _ in range(2)]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert rows == [4, 4]
    assert openml.count("GET", path) == 1


def test_what_a_killed_process_left_is_in_nobodys_way(openml: Loopback, tmp_path: Path) -> None:
    left = kept_at(tmp_path, ".part")
    (left / "whole").mkdir(parents=True)
    (left / "whole" / "table.parquet").write_bytes(b"PAR1 half")
    (left / "tmpabc").mkdir()
    assert len(openml_table(Loader(data_id=77), tmp_path)[0]) == 4
    assert not left.exists()


def test_waiting_for_another_process_is_told(openml: Loopback, tmp_path: Path) -> None:
    told, held, done = Told(), threading.Event(), threading.Event()
    told.heard = lambda sentence: done.set()  # the other lets go only when it is waited for

    def hold() -> None:
        lock = FileLock(kept_at(tmp_path, ".lock"))
        Path(lock.lock_file).parent.mkdir(parents=True)
        with lock:
            held.set()
            done.wait(30)

    other = threading.Thread(target=hold)
    other.start()
    held.wait(30)
    openml_table(Loader(data_id=77), tmp_path, progress=told)
    other.join()
    assert done.is_set()
    assert told.sentences[0] == "waiting for another process that is fetching openml:77"


def test_urllib_is_as_it_was_before(openml: Loopback, tmp_path: Path) -> None:
    mine = urllib.request.build_opener()
    urllib.request.install_opener(mine)
    try:
        openml_table(Loader(data_id=77), tmp_path)
        assert urllib.request._opener is mine
    finally:
        urllib.request.install_opener(None)


def test_another_server_has_another_dataset_of_that_number(openml: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    openml_table(Loader(data_id=77), tmp_path)
    monkeypatch.setenv("OPENML_SERVER", "http://127.0.0.1:9/")
    with pytest.raises(CatalogError, match="openml:77 is not in the cache"):
        openml_table(Loader(data_id=77), tmp_path, offline=True)
    monkeypatch.delenv("OPENML_SERVER")
    assert kept_at(tmp_path).name == "77"


@pytest.mark.parametrize("features", [None, {"name": "x"}, ["x"], [None], "x"])
def test_features_of_an_odd_shape_are_one_line(openml: Loopback, tmp_path: Path, features: Any) -> None:
    openml.paths["/api/v1/json/data/features/77"] = as_json({"data_features": {"feature": features}})
    refused("did not answer as OpenML does about the columns", 77, tmp_path)


def kept_at(cache: Path, suffix: str = "") -> Path:
    """Return the folder that dataset 77 of the server at hand is kept in, or what stands beside it."""
    return cache / "services" / "openml" / f"{_openml._key(77)}{suffix}"


def refused(words: str, number: int, cache: Path) -> None:
    """Fetching ends in one line with ``words``, and leaves no table behind."""
    with pytest.raises(CatalogError, match=words) as caught:
        openml_table(Loader(data_id=number), cache)
    assert "\n" not in str(caught.value)
    assert not [path for path in cache.rglob("*") if path.is_file() and path.suffix != ".lock"]

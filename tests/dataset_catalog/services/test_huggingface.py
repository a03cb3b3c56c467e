"""The Hugging Face Hub through its own client, against a server on this machine that answers in the Hub's shapes."""

import hashlib
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dataset_catalog import CatalogError, Loader
from dataset_catalog.sources import _hub_client
from dataset_catalog.sources._huggingface import CONVERTED, huggingface_table
from tests.dataset_catalog.progress import Told
from tests.dataset_catalog.services.loopback import Answer, Loopback
from tests.loopback import dead_url

COMMIT, OTHER = "a" * 40, "b" * 40
NAME = "someone/reviews"
LABELS = {"info": {"features": {"text": {"dtype": "string", "_type": "Value"}, "label": {"names": ["bad", "good"], "_type": "ClassLabel"}}}}


def parquet(texts: list[str], labels: list[int], features: Any = LABELS) -> bytes:
    table = pa.table({"text": texts, "label": pa.array(labels, pa.int64())})
    stream = io.BytesIO()
    pq.write_table(table.replace_schema_metadata({"huggingface": json.dumps(features)}), stream)
    return stream.getvalue()


TRAIN, TEST = parquet(["dull", "fine", "great"], [0, 1, 1]), parquet(["poor", "nice"], [0, 1])
TEST_SHA256 = hashlib.sha256(TEST).hexdigest()
SHARDS = {"README.md": b"# Reviews", "data/train-00000-of-00001.parquet": TRAIN, "data/test-00000-of-00001.parquet": TEST}


def publish(
    server: Loopback,
    files: Mapping[str, bytes] = SHARDS,
    card: Mapping[str, Any] | None = None,
    *,
    commit: str = COMMIT,
    revisions: tuple[str | None, ...] = (None, COMMIT, "main"),
    large: bool = True,
) -> None:
    """Let the server hold one commit of a dataset: what the API lists, and the files, large ones by way of another address."""
    siblings = []
    elsewhere = server.url.replace("127.0.0.1", "localhost")  # as at the Hub, whose large files lie at another host
    for path, body in files.items():
        sha256 = hashlib.sha256(body).hexdigest()
        git = hashlib.sha1(b"blob %d\0" % len(body) + body).hexdigest()
        is_large = large and not path.endswith(".md")
        each: dict[str, Any] = {"rfilename": path, "size": len(body), "blobId": git}
        headers = {"X-Repo-Commit": commit, "ETag": f'"{sha256 if is_large else git}"', "Content-Length": str(len(body))}
        resolve = f"/datasets/{NAME}/resolve/{commit}/{path}"
        if is_large:
            each["lfs"] = {"size": len(body), "sha256": sha256, "pointerSize": 130}
            headers |= {"X-Linked-Etag": headers["ETag"], "X-Linked-Size": str(len(body)), "Location": f"{elsewhere}/cdn/{sha256}"}
            server.paths[resolve] = Answer(b"", 302, headers | {"Content-Length": "0"})
            server.paths[f"/cdn/{sha256}"] = Answer(body)
        else:
            server.paths[resolve] = Answer(body, 200, headers)
        siblings.append(each)
    described = {
        "id": NAME,
        "sha": commit,
        "private": False,
        "gated": False,
        "disabled": False,
        "tags": ["license:cc-by-4.0"],
        "cardData": dict(card if card is not None else {"pretty_name": "Reviews of things", "license": "cc-by-4.0"}),
        "siblings": siblings,
        "citation": "@misc{someone}",
    }
    for revision in revisions:
        server.paths[f"/api/datasets/{NAME}" + (f"/revision/{revision}" if revision else "")] = as_json(described)


def as_json(content: Any) -> Answer:
    return Answer(json.dumps(content).encode(), headers={"Content-Type": "application/json"})


@pytest.fixture
def hub(loopback: Loopback, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Loopback:
    monkeypatch.setenv("HF_ENDPOINT", loopback.url)
    publish(loopback)
    return loopback


def test_gives_the_table_its_official_split_and_what_the_hub_says(hub: Loopback, tmp_path: Path) -> None:
    frame, facts = huggingface_table(Loader(dataset=NAME), tmp_path)
    assert frame.to_dict("list") == {
        "text": ["dull", "fine", "great", "poor", "nice"],
        "label": ["bad", "good", "good", "bad", "good"],
        "split": ["training"] * 3 + ["test"] * 2,
    }
    assert facts.loader == Loader(dataset=NAME, revision=COMMIT)
    assert (facts.title, facts.licence, facts.citation) == ("Reviews of things", "cc-by-4.0", "@misc{someone}")
    assert (facts.target, facts.split_column) == ("label", "split")


def test_the_commit_is_pinned_and_then_nobody_is_asked(hub: Loopback, tmp_path: Path) -> None:
    first, facts = huggingface_table(Loader(dataset=NAME), tmp_path)
    publish(hub, {"data.csv": b"text,label\nx,1\n"}, commit=OTHER, revisions=(None, OTHER))
    asked = len(hub.asked)
    again, _ = huggingface_table(facts.loader, tmp_path, offline=True)
    assert again.equals(first)
    assert len(hub.asked) == asked
    assert len(huggingface_table(Loader(dataset=NAME), tmp_path)[0]) == 1


def test_an_old_name_is_followed_to_the_new_one(hub: Loopback, tmp_path: Path) -> None:
    hub.paths["/api/datasets/reviews"] = Answer(b"", 307, {"Location": f"/api/datasets/{NAME}"})
    _, facts = huggingface_table(Loader(dataset="reviews"), tmp_path)
    assert facts.loader == Loader(dataset=NAME, revision=COMMIT)


def test_offline_needs_a_commit_and_a_table_in_the_cache(hub: Loopback, tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="newest commit cannot be looked up offline"):
        huggingface_table(Loader(dataset=NAME), tmp_path, offline=True)
    with pytest.raises(CatalogError, match="is not in the cache"):
        huggingface_table(Loader(dataset=NAME, revision=COMMIT), tmp_path, offline=True)
    assert not hub.asked
    assert not list(tmp_path.iterdir())


def test_nothing_is_left_of_the_download_but_the_table(hub: Loopback, tmp_path: Path) -> None:
    huggingface_table(Loader(dataset=NAME), tmp_path)
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".lock") == ["about.json", "table.parquet"]


def test_progress_is_told_in_bytes(hub: Loopback, tmp_path: Path) -> None:
    told = Told()
    huggingface_table(Loader(dataset=NAME), tmp_path, progress=told)
    assert told.sentences == [f"fetching hf:{NAME} (0.0 MB)"]
    assert (f"hf:{NAME} data/train-00000-of-00001.parquet", len(TRAIN), len(TRAIN)) in told.bytes


def test_a_readme_says_which_files_make_which_configuration(hub: Loopback, tmp_path: Path) -> None:
    files = {"small/a.csv": b"x,y\n1,u\n2,v\n", "small/b.csv": b"x,y\n3,u\n", "large/all.csv": b"x,y\n4,w\n"}
    configs = [
        {"config_name": "small", "data_files": [{"split": "train", "path": "small/a.csv"}, {"split": "test", "path": ["small/b.*"]}]},
        {"config_name": "large", "data_files": "large/*.csv"},
    ]
    publish(hub, files, {"configs": configs}, large=False)
    frame, facts = huggingface_table(Loader(dataset=NAME, config="small"), tmp_path)
    assert frame.to_dict("list") == {"x": [1, 2, 3], "y": ["u", "v", "u"], "split": ["training", "training", "test"]}
    assert facts.loader.config == "small"
    large, facts = huggingface_table(Loader(dataset=NAME, config="large"), tmp_path)
    assert (len(large), facts.split_column, facts.licence) == (1, None, "cc-by-4.0")
    with pytest.raises(CatalogError, match=f"name one of the dataset's configurations, as in hf:{NAME}/small; they are small, large"):
        huggingface_table(Loader(dataset=NAME), tmp_path)
    with pytest.raises(CatalogError, match="has no configuration 'tiny'; it has small, large"):
        huggingface_table(Loader(dataset=NAME, config="tiny"), tmp_path)


def test_a_dataset_made_by_a_program_is_read_from_the_conversion(hub: Loopback, tmp_path: Path) -> None:
    publish(hub, {"reviews.py": b"raise SystemExit", "raw.csv": b"a,b\n1,2\n"})
    converted = {"plain/train/0000.parquet": TRAIN, "plain/test/0000.parquet": TEST, "plain/unsupervised/0000.parquet": TEST}
    publish(hub, converted, {}, commit=OTHER, revisions=(CONVERTED, OTHER))
    frame, facts = huggingface_table(Loader(dataset=NAME), tmp_path)
    assert (len(frame), facts.loader.revision, facts.licence) == (5, OTHER, "cc-by-4.0")
    assert facts.notes == ("splits left out, being neither training, validation nor test: unsupervised",)
    assert not any("reviews.py" in path for _, path, _ in hub.asked)
    again, _ = huggingface_table(facts.loader, tmp_path / "elsewhere")
    assert again.equals(frame)


def test_an_unlabelled_test_part_is_left_out(hub: Loopback, tmp_path: Path) -> None:
    files = SHARDS | {"data/test-00000-of-00001.parquet": parquet(["?", "??"], [-1, -1])}
    publish(hub, files)
    frame, facts = huggingface_table(Loader(dataset=NAME), tmp_path)
    assert (len(frame), facts.split_column) == (3, None)
    assert facts.notes == ("the test part is left out: its 'label' is not given",)


def test_a_column_that_is_called_split_keeps_its_name(hub: Loopback, tmp_path: Path) -> None:
    publish(hub, {"train.csv": b"split,y\na,1\nb,2\n", "test.csv": b"split,y\nc,3\n"}, large=False)
    frame, facts = huggingface_table(Loader(dataset=NAME), tmp_path)
    assert facts.split_column == "split_2"
    assert frame["split"].tolist() == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("column", "features", "words"),
    [
        (pa.array([{"bytes": b"x", "path": "a.png"}]), {"image": {"_type": "Image"}}, "its column 'image' holds images"),
        (pa.array([b"\0\1"]), {}, "its column 'image' holds raw bytes"),
    ],
)
def test_images_are_no_table(hub: Loopback, tmp_path: Path, column: pa.Array, features: Any, words: str) -> None:
    stream = io.BytesIO()
    table = pa.table({"image": column, "y": [1]})
    pq.write_table(table.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": features}})}), stream)
    publish(hub, {"data/train-00000-of-00001.parquet": stream.getvalue()})
    refused(words, tmp_path)


def test_a_dataset_beyond_all_memory(hub: Loopback, tmp_path: Path) -> None:
    described = json.loads(hub.paths[f"/api/datasets/{NAME}"].body)
    described["siblings"][1]["size"] = 40_000_000_000
    hub.paths[f"/api/datasets/{NAME}"] = as_json(described)
    refused("40 GB are more than a table in memory can hold", tmp_path)


def test_a_repository_without_a_table(hub: Loopback, tmp_path: Path) -> None:
    publish(hub, {"README.md": b"#", "pictures/1.jpg": b"x", "all.zip": b"PK"})
    answer(hub, "/revision/refs/convert/parquet", 404, "RevisionNotFound")
    refused(r"holds no file that can be read as a table \(it holds .jpg, .zip\)", tmp_path)


@pytest.mark.parametrize(
    ("status", "code", "words"),
    [
        (404, "RepoNotFound", "no such dataset, or it is private"),
        (401, "RepoNotFound", "no such dataset, or it is private"),
        (401, "GatedRepo", "its owner asks for consent; give it at http.*/datasets/someone/reviews, and set HF_TOKEN"),
        (403, "GatedRepo", "its owner asks for consent"),
        (404, "RevisionNotFound", "no such branch, tag or commit"),
        (500, None, "answered 500; try again later"),
        (429, None, "answered 429; try again later"),
    ],
)
def test_what_the_hub_refuses(hub: Loopback, tmp_path: Path, status: int, code: str | None, words: str) -> None:
    answer(hub, "", status, code)
    refused(words, tmp_path)


def test_a_file_that_may_not_be_read(hub: Loopback, tmp_path: Path) -> None:
    path = f"/datasets/{NAME}/resolve/{COMMIT}/data/train-00000-of-00001.parquet"
    hub.paths[path] = Answer(b"", 403, {"X-Error-Code": "GatedRepo"})
    refused("its owner asks for consent", tmp_path)


def test_a_disabled_dataset(hub: Loopback, tmp_path: Path) -> None:
    described = json.loads(hub.paths[f"/api/datasets/{NAME}"].body)
    hub.paths[f"/api/datasets/{NAME}"] = as_json(described | {"disabled": True})
    refused("has disabled this dataset", tmp_path)


def test_a_server_that_answers_something_else(hub: Loopback, tmp_path: Path) -> None:
    hub.paths[f"/api/datasets/{NAME}"] = Answer(b"<html>log in to this network</html>")
    refused("did not answer as the Hub does", tmp_path)


def test_a_server_that_hangs(hub: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_hub_client, "_SECONDS", 0.2)
    hub.paths[f"/api/datasets/{NAME}"] = Answer(wait=1.0)
    refused("did not answer in time", tmp_path)


def test_a_server_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_such_host: str) -> None:
    monkeypatch.setenv("HF_ENDPOINT", dead_url())
    refused("cannot be reached .*; is the network there", tmp_path)
    monkeypatch.setenv("HF_ENDPOINT", no_such_host)
    refused("cannot be reached .*; is the network there", tmp_path)


def test_a_file_with_another_hash_is_not_kept(hub: Loopback, tmp_path: Path) -> None:
    hub.paths[f"/cdn/{hashlib.sha256(TRAIN).hexdigest()}"] = Answer(TRAIN[:-1] + b"!")
    refused("differs from the hash that the Hub states", tmp_path)
    publish(hub)
    assert len(huggingface_table(Loader(dataset=NAME), tmp_path)[0]) == 5


def test_a_file_cut_short_is_asked_for_again(hub: Loopback, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = f"/cdn/{hashlib.sha256(TRAIN).hexdigest()}"
    answers = iter((Answer(TRAIN, cut=500),))
    hub.paths[path] = lambda headers: next(answers, Answer(TRAIN))
    frame, _ = huggingface_table(Loader(dataset=NAME), tmp_path)
    assert len(frame) == 5
    assert hub.count("GET", path) == 2
    assert "Error while downloading" not in capfd.readouterr().err


def test_what_was_fetched_before_a_failure_is_not_fetched_again(hub: Loopback, tmp_path: Path) -> None:
    train, test = (f"/cdn/{hashlib.sha256(each).hexdigest()}" for each in (TRAIN, TEST))
    hub.paths[test] = Answer(b"", 500)
    with pytest.raises(CatalogError, match="answered 500"):
        huggingface_table(Loader(dataset=NAME), tmp_path)
    publish(hub)
    assert len(huggingface_table(Loader(dataset=NAME), tmp_path)[0]) == 5
    assert hub.count("GET", train) == 1


def answer(server: Loopback, where: str, status: int, code: str | None) -> None:
    server.paths[f"/api/datasets/{NAME}{where}"] = Answer(b"{}", status, {"X-Error-Code": code} if code else {})


def refused(words: str, cache: Path) -> None:
    """Fetching ends in one line with ``words``, and leaves no table behind."""
    with pytest.raises(CatalogError, match=words) as caught:
        huggingface_table(Loader(dataset=NAME), cache)
    assert "\n" not in str(caught.value)
    assert not list(cache.rglob("table.parquet"))

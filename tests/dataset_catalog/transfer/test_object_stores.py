"""Downloads from object stores: S3 as moto speaks it, Google's as a small emulator of our own does, both on the loopback."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import boto3
import pytest
from moto.server import ThreadedMotoServer

from dataset_catalog import CatalogError, open_table
from dataset_catalog.sources import _remote, transfer
from tests.dataset_catalog.progress import Told
from tests.dataset_catalog.transfer.served import CONTENT, left
from tests.loopback import Handler, listening


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_remote, "_PIECE", 300_000)


@pytest.fixture(scope="module")
def s3_server() -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def s3(s3_server: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """A bucket ``tables``, and this process set up to reach it as people's are: by the environment."""
    for name, value in {
        "AWS_ENDPOINT_URL": s3_server,
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_CONFIG_FILE": str(tmp_path / "none"),
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "none"),
        "AWS_EC2_METADATA_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
    client = boto3.client("s3", endpoint_url=s3_server)
    client.create_bucket(Bucket="tables")
    yield client
    for found in client.list_objects_v2(Bucket="tables").get("Contents", []):
        client.delete_object(Bucket="tables", Key=found["Key"])
    client.delete_bucket(Bucket="tables")


class _Spy:
    """Counts the pieces that are read, and breaks off once."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, kind: type, breaks_after: int = 10**9) -> None:
        self.starts: list[int] = []
        original = kind.cat_file

        def cat_file(place: Any, path: str, start: int | None = None, end: int | None = None, **options: Any) -> bytes:
            if len(self.starts) >= breaks_after:
                raise ConnectionResetError("the line went dead")
            self.starts.append(start or 0)
            return original(place, path, start=start, end=end, **options)

        monkeypatch.setattr(kind, "cat_file", cat_file)


def test_s3_comes_whole_and_once(tmp_path: Path, s3: Any) -> None:
    s3.put_object(Bucket="tables", Key="deep/x y.bin", Body=CONTENT)
    told = Told()
    to = transfer("s3://tables/deep/x y.bin", tmp_path / "x", progress=told)
    assert to.read_bytes() == CONTENT
    assert left(tmp_path) == ["x"]
    seen = [each[1:] for each in told.bytes]
    assert seen == [(300_000, 1_024_000), (600_000, 1_024_000), (900_000, 1_024_000), (1_023_999, 1_024_000), (1_024_000, 1_024_000)]


def test_s3_goes_on_where_it_broke_off(tmp_path: Path, s3: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import s3fs

    s3.put_object(Bucket="tables", Key="x", Body=CONTENT)
    with monkeypatch.context() as patch:
        _Spy(patch, s3fs.S3FileSystem, breaks_after=2)
        with pytest.raises(CatalogError, match="600000 bytes are kept") as caught:
            transfer("s3://tables/x", tmp_path / "x")
    assert "\n" not in str(caught.value)
    assert left(tmp_path) == ["x.part", "x.part.json"]
    spy = _Spy(monkeypatch, s3fs.S3FileSystem)
    transfer("s3://tables/x", tmp_path / "x")
    assert spy.starts == [600_000, 900_000]
    assert (tmp_path / "x").read_bytes() == CONTENT


def test_s3_content_that_changed_is_read_anew(tmp_path: Path, s3: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import s3fs

    s3.put_object(Bucket="tables", Key="x", Body=CONTENT)
    with monkeypatch.context() as patch:
        _Spy(patch, s3fs.S3FileSystem, breaks_after=2)
        with pytest.raises(CatalogError):
            transfer("s3://tables/x", tmp_path / "x")
    s3.put_object(Bucket="tables", Key="x", Body=CONTENT[::-1])
    transfer("s3://tables/x", tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == CONTENT[::-1]


def test_s3_content_that_changes_meanwhile(tmp_path: Path, s3: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import s3fs

    s3.put_object(Bucket="tables", Key="x", Body=CONTENT)
    original = s3fs.S3FileSystem.cat_file
    changes = [CONTENT[::-1]]

    def cat_file(place: Any, path: str, **options: Any) -> bytes:
        piece = original(place, path, **options)
        if changes:
            s3.put_object(Bucket="tables", Key="x", Body=changes.pop())
        return piece

    monkeypatch.setattr(s3fs.S3FileSystem, "cat_file", cat_file)
    transfer("s3://tables/x", tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == CONTENT[::-1]


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("s3://tables/nothing.csv", "there is no such object"),
        ("s3://no-such-bucket/x", "there is no such object"),
        ("s3://tables/folder", "is a folder"),
        ("s3://tables", "is a folder"),
        ("s3://", "is a folder"),
    ],
)
def test_s3_refusals(tmp_path: Path, s3: Any, url: str, message: str) -> None:
    s3.put_object(Bucket="tables", Key="folder/x", Body=b"x")
    with pytest.raises(CatalogError, match=message) as caught:
        transfer(url, tmp_path / "x")
    assert "\n" not in str(caught.value)
    assert left(tmp_path) == []


def test_s3_with_another_size_or_content(tmp_path: Path, s3: Any) -> None:
    s3.put_object(Bucket="tables", Key="x", Body=CONTENT)
    with pytest.raises(CatalogError, match="another file"):
        transfer("s3://tables/x", tmp_path / "x", size=3)
    with pytest.raises(CatalogError, match="SHA-256"):
        transfer("s3://tables/x", tmp_path / "x", sha256="0" * 64)
    assert left(tmp_path) == []


def test_s3_without_credentials(tmp_path: Path, s3: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Public objects need none: they are asked for without."""
    s3.put_object(Bucket="tables", Key="x", Body=b"a,b\n1,2\n", ACL="public-read")
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    assert transfer("s3://tables/x", tmp_path / "x").read_bytes() == b"a,b\n1,2\n"


def test_s3_that_cannot_be_reached(tmp_path: Path, s3: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(CatalogError, match="cannot be read") as caught:
        transfer("s3://tables/x", tmp_path / "x")
    assert "\n" not in str(caught.value)
    assert left(tmp_path) == []


def test_a_table_in_s3(tmp_path: Path, s3: Any) -> None:
    s3.put_object(Bucket="tables", Key="t.csv", Body=b"a,b\n1,x\n")
    assert open_table("s3://tables/t.csv", tmp_path)["b"].tolist() == ["x"]


def test_a_package_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="abfs:// needs the package adlfs; install adlfs with pip"):
        transfer("abfs://container/x", tmp_path / "x")


class _Google:
    """Objects of a bucket ``tables``, as the JSON API of Google Cloud Storage tells and gives them."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.generation = 1
        self.asked: list[tuple[str, str | None]] = []
        self.address = ""

    def answer(self, path: str, query: str, wanted: str | None) -> tuple[int, dict[str, str], bytes]:
        match = re.fullmatch(r"(?:/download)?/storage/v1/b/([^/]+)/o(?:/(.+))?", path)
        if match is None or match[1] != "tables":
            return 404, {}, b'{"error": {"code": 404, "message": "Not Found"}}'
        if match[2] is None:
            prefix = unquote(re.search(r"(?:^|&)prefix=([^&]*)", query)[1]) if "prefix=" in query else ""
            items = [self._told(name) for name in self.objects if name.startswith(prefix)]
            return 200, {}, json.dumps({"kind": "storage#objects", "items": items}).encode()
        name = unquote(match[2])
        if name not in self.objects:
            return 404, {}, b'{"error": {"code": 404, "message": "No such object"}}'
        if "alt=media" not in query and not path.startswith("/download"):
            return 200, {}, json.dumps(self._told(name)).encode()
        self.asked.append((name, wanted))
        content = self.objects[name]
        if wanted is None:
            return 200, {}, content
        start, _, end = wanted.removeprefix("bytes=").partition("-")
        last = min(int(end) if end else len(content) - 1, len(content) - 1)
        return 206, {"Content-Range": f"bytes {start}-{last}/{len(content)}"}, content[int(start) : last + 1]

    def _told(self, name: str) -> dict[str, str]:
        return {
            "kind": "storage#object",
            "name": name,
            "bucket": "tables",
            "size": str(len(self.objects[name])),
            "generation": str(self.generation),
            "etag": f"tag{self.generation}",
            "contentType": "application/octet-stream",
            "timeCreated": "2020-01-02T03:04:05.000Z",
            "updated": "2020-01-02T03:04:05.000Z",
        }


@contextmanager
def _serving(google: _Google) -> Iterator[_Google]:
    class Store(Handler):
        def do_GET(self) -> None:
            path, _, query = self.path.partition("?")
            status, headers, body = google.answer(path, query, self.headers.get("Range"))
            self.send_response(status)
            for name, value in ({"Content-Type": "application/json"} | headers | {"Content-Length": str(len(body))}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

    with listening(Store) as google.address:
        yield google


@pytest.fixture
def google(monkeypatch: pytest.MonkeyPatch) -> Iterator[_Google]:
    with _serving(_Google()) as found:
        monkeypatch.setenv("STORAGE_EMULATOR_HOST", found.address)
        yield found


def test_google_comes_whole_and_goes_on(tmp_path: Path, google: _Google, monkeypatch: pytest.MonkeyPatch) -> None:
    import gcsfs

    google.objects["deep/x y.bin"] = CONTENT
    with monkeypatch.context() as patch:
        _Spy(patch, gcsfs.GCSFileSystem, breaks_after=2)
        with pytest.raises(CatalogError, match="600000 bytes are kept"):
            transfer("gs://tables/deep/x y.bin", tmp_path / "x")
    google.asked.clear()
    transfer("gs://tables/deep/x y.bin", tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == CONTENT
    assert google.asked == [("deep/x y.bin", "bytes=600000-899999"), ("deep/x y.bin", "bytes=900000-1023999")]


def test_google_content_that_changed_is_read_anew(tmp_path: Path, google: _Google, monkeypatch: pytest.MonkeyPatch) -> None:
    import gcsfs

    google.objects["x"] = CONTENT
    with monkeypatch.context() as patch:
        _Spy(patch, gcsfs.GCSFileSystem, breaks_after=2)
        with pytest.raises(CatalogError):
            transfer("gs://tables/x", tmp_path / "x")
    google.objects["x"], google.generation = CONTENT[::-1], 2
    transfer("gs://tables/x", tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == CONTENT[::-1]


@pytest.mark.parametrize(
    ("url", "message"), [("gs://tables/nothing", "there is no such object"), ("gs://elsewhere/x", "there is no such object")]
)
def test_google_refusals(tmp_path: Path, google: _Google, url: str, message: str) -> None:
    with pytest.raises(CatalogError, match=message) as caught:
        transfer(url, tmp_path / "x")
    assert "\n" not in str(caught.value)
    assert left(tmp_path) == []


def test_google_that_cannot_be_reached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    import gcsfs.retry

    monkeypatch.setattr(gcsfs.retry, "min", lambda *_: 0, raising=False)  # its pauses, which grow to 16 seconds
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", "http://127.0.0.1:9")
    with pytest.raises(CatalogError, match="cannot be read") as caught:
        transfer("gs://tables/x", tmp_path / "x")
    assert "\n" not in str(caught.value)
    assert left(tmp_path) == []
    assert "Traceback" not in capfd.readouterr().err


def test_a_table_at_google(tmp_path: Path, google: _Google) -> None:
    google.objects["t.csv"] = b"a,b\n1,x\n"
    assert open_table("gs://tables/t.csv", tmp_path)["b"].tolist() == ["x"]

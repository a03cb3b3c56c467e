"""Tables by path and by URL: where downloads are kept, and that nothing a URL says leads elsewhere."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter
import yaml

from dataset_catalog import CatalogError, Loader, fingerprint, load_address, load_card, open_table, read_card, read_table
from dataset_catalog.sources import describe, local_file
from dataset_catalog.sources._files import kept_path

CSV = b"a,y\n1,x\n2,z\n"
SHA256 = hashlib.sha256(CSV).hexdigest()


@pytest.fixture
def table(served: Any) -> Any:
    served.content = CSV
    return served


def test_a_path_is_read_where_it_stands(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(CSV)
    cache = tmp_path / "cache"
    assert len(open_table(tmp_path / "t.csv", cache)) == 2
    assert len(open_table(str(tmp_path / "t.csv"), cache, sha256=SHA256.upper())) == 2
    assert len(open_table((tmp_path / "t.csv").as_uri(), cache, offline=True)) == 2
    with pytest.raises(CatalogError, match="SHA-256"):
        open_table(tmp_path / "t.csv", cache, sha256="0" * 64)
    with pytest.raises(CatalogError, match="no such file"):
        open_table(tmp_path / "nothing.csv", cache, sha256=SHA256)
    assert not cache.exists()


def test_a_url_is_fetched_once_and_its_age_told(tmp_path: Path, table: Any) -> None:
    said: list[str] = []
    url = table.address + "/data/t.csv?token=secret"
    assert len(open_table(url, tmp_path, progress=said.append)) == 2
    assert len(open_table(url, tmp_path, offline=True, progress=said.append)) == 2
    assert len(table.asked) == 1
    assert "using the copy of" in said[-1]
    assert "secret" not in " ".join(said)
    assert [path.name for path in (tmp_path / "files").glob("*.csv")] == [kept_path(url, tmp_path).name]


def test_with_a_digest_the_copy_must_be_that(tmp_path: Path, table: Any) -> None:
    url = table.address + "/t.csv"
    local_file(url, tmp_path, sha256=SHA256)
    assert local_file(url, tmp_path, sha256=SHA256, offline=True) == kept_path(url, tmp_path)
    with pytest.raises(CatalogError, match="offline"):
        local_file(url, tmp_path, sha256="0" * 64, offline=True)
    with pytest.raises(CatalogError, match="SHA-256"):
        local_file(url, tmp_path, sha256="0" * 64)
    assert kept_path(url, tmp_path).read_bytes() == CSV


def test_offline_nothing_is_fetched(tmp_path: Path, table: Any) -> None:
    with pytest.raises(CatalogError, match="nothing may be fetched offline"):
        open_table(table.address + "/t.csv", tmp_path, offline=True)
    assert table.asked == []


def test_a_url_is_pinned_by_what_it_gives_today(tmp_path: Path, table: Any) -> None:
    loader = Loader(url=table.address + "/t.csv")
    pinned = describe("file", loader, tmp_path).loader
    assert pinned.sha256 == SHA256
    assert describe("file", pinned, tmp_path, offline=True).loader == pinned
    here = Loader(path=tmp_path / "nothing.csv")
    assert describe("file", here, tmp_path).loader == here
    table.content = CSV + b"3,x\n"
    kept_path(loader.url, tmp_path).unlink()
    with pytest.raises(CatalogError, match="SHA-256"):
        open_table(pinned.url, tmp_path, sha256=pinned.sha256)


def test_a_sheet_by_url(tmp_path: Path, served: Any) -> None:
    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream) as book:
        for name, cell in (("one", "a"), ("two b", "c")):
            page = book.add_worksheet(name)
            page.write(0, 0, cell)
            page.write(1, 0, 1)
    served.content = stream.getvalue()
    assert list(open_table(served.address + "/t.xlsx#two%20b", tmp_path).columns) == ["c"]
    assert list(open_table(served.address + "/t.xlsx", tmp_path).columns) == ["a"]
    assert len(served.asked) == 1


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "/%2e%2e",
        "/..",
        "/",
        "",
        "/a%00b",
        "/.hidden",
        "/-rf",
        "/con:aux|*?x",
        "/" + "x" * 5000,
        "/名前.csv",
        "/a\nb",
    ],
)
def test_no_url_leads_out_of_the_cache(tmp_path: Path, path: str) -> None:
    kept = kept_path("https://host" + path, tmp_path)
    assert kept.parent == tmp_path / "files"
    assert kept.resolve().parent == (tmp_path / "files").resolve()
    assert len(kept.name) < 120
    assert kept.name.isascii()
    assert kept.name.isprintable()


def test_urls_that_differ_are_kept_apart(tmp_path: Path) -> None:
    urls = ["https://a/t.csv", "https://b/t.csv", "https://a/t.csv?v=2", "s3://a/t.csv"]
    assert len({kept_path(url, tmp_path) for url in urls}) == len(urls)


def test_a_card_by_url(tmp_path: Path, table: Any) -> None:
    (tmp_path / "t.csv").write_bytes(CSV)
    card = {
        "name": "small", "title": "Small", "source": "file", "loader": {"url": table.address + "/t.csv", "sha256": SHA256}, "target": "y",
        "task": "binary", "positive": "x", "role": "training", "family": "small", "licence": "unstated", "citation": "none",
        "metric": "auc", "rows": 2, "fingerprint": fingerprint(read_table(tmp_path / "t.csv")),
    }  # fmt: skip
    (tmp_path / "small.yaml").write_text(yaml.safe_dump(card))
    described = read_card(tmp_path / "small.yaml")
    with pytest.raises(CatalogError, match=r"small: .*offline"):
        load_card(described, cache=tmp_path / "cache", offline=True)
    dataset = load_card(described, cache=tmp_path / "cache")
    assert list(dataset.frame.columns) == ["a", "y"]
    assert len(load_card(described, cache=tmp_path / "cache", offline=True).frame) == 2
    assert len(table.asked) == 1


def test_an_address_or_a_path(tmp_path: Path, table: Any) -> None:
    (tmp_path / "t.csv").write_bytes(CSV)
    assert load_address(str(tmp_path / "t.csv"), cache=tmp_path)["y"].tolist() == ["x", "z"]
    assert load_address(table.address + "/t.csv", cache=tmp_path)["y"].tolist() == ["x", "z"]
    with pytest.raises(CatalogError, match="by their number"):
        load_address("openml:iris", cache=tmp_path)

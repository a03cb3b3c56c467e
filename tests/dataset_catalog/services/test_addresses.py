"""Short addresses, and what a source says of a dataset when it is added."""

import pytest

from dataset_catalog import CatalogError, Loader
from dataset_catalog.sources import parse_address

HUB = "https://huggingface.co/datasets"


@pytest.mark.parametrize(
    ("text", "source", "loader"),
    [
        ("openml:61", "openml", Loader(data_id=61)),
        ("OpenML:61", "openml", Loader(data_id=61)),
        ("https://www.openml.org/d/61", "openml", Loader(data_id=61)),
        ("https://www.openml.org/search?type=data&sort=runs&id=61&status=active", "openml", Loader(data_id=61)),
        ("hf:imdb", "huggingface", Loader(dataset="imdb")),
        ("hf:stanfordnlp/imdb", "huggingface", Loader(dataset="stanfordnlp/imdb")),
        ("hf:a/b/c.1@v2", "huggingface", Loader(dataset="a/b", config="c.1", revision="v2")),
        ("hf:a/b@refs/pr/3", "huggingface", Loader(dataset="a/b", revision="refs/pr/3")),
        (f"{HUB}/a/b", "huggingface", Loader(dataset="a/b")),
        (f"{HUB}/a/b/viewer/c/train", "huggingface", Loader(dataset="a/b", config="c")),
        (f"{HUB}/a/b/tree/dev", "huggingface", Loader(dataset="a/b", revision="dev")),
        (f"{HUB}/a/b/resolve/main/x.csv", "file", Loader(url=f"{HUB}/a/b/resolve/main/x.csv")),
        ("ludwig:iris", "ludwig", Loader(dataset="iris")),
        ("ludwig://iris", "ludwig", Loader(dataset="iris")),
        ("https://example.org/a.csv?x=1", "file", Loader(url="https://example.org/a.csv?x=1")),
        ("s3://bucket/a.parquet", "file", Loader(url="s3://bucket/a.parquet")),
        ("gs://bucket/a.parquet", "file", Loader(url="gs://bucket/a.parquet")),
    ],
)
def test_addresses(text: str, source: str, loader: Loader) -> None:
    assert parse_address(text) == (source, loader)


@pytest.mark.parametrize("text", ["adult", "table.csv", "/data/a:b.csv", r"C:\table.csv", "C:/table.csv", "2:1.csv", ""])
def test_paths_and_names_are_none(text: str) -> None:
    assert parse_address(text) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("openml:adult", "named by their number, as in openml:61"),
        ("openml:0", "named by their number"),
        ("openml:", "named by their number"),
        ("hf:", "an address at Hugging Face is"),
        ("hf:a/b/c/d", "an address at Hugging Face is"),
        ("hf:../../etc", "an address at Hugging Face is"),
        ("hf:a/b@", "an address at Hugging Face is"),
        ("ludwig:../iris", "a dataset of Ludwig's zoo is one name"),
        ("https://", "the address ends after its scheme"),
    ],
)
def test_what_cannot_be_an_address(text: str, words: str) -> None:
    with pytest.raises(CatalogError, match=words):
        parse_address(text)

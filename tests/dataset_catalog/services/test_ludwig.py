"""Ludwig's dataset zoo through Ludwig's own loaders: a zoo of our own whose files lie on this machine, and the names of the real one."""

import hashlib
import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from dataset_catalog import CatalogError, Loader
from dataset_catalog.sources import _ludwig_zoo
from dataset_catalog.sources._ludwig import ludwig_table
from dataset_catalog.sources._ludwig_zoo import zoo_entry, zoo_names
from tests.dataset_catalog.progress import Told
from tests.dataset_catalog.services import test_huggingface
from tests.dataset_catalog.services.loopback import Answer, Loopback

TRAIN, TEST = b"1,red,yes\n2,blue,no\n3,red,yes\n", b"4,blue,no\n"
HEADER = b"size,colour,bought\n"


@pytest.fixture
def zoo(loopback: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Put entries into a zoo that both Ludwig and we read, and files onto the server."""
    import ludwig.datasets

    folder = tmp_path / "zoo"
    folder.mkdir()
    monkeypatch.setattr(_ludwig_zoo, "zoo_folder", lambda: folder)
    monkeypatch.setattr(ludwig.datasets.configs, "__file__", str(folder / "__init__.py"))

    def add(name: str, files: dict[str, bytes], checked: bool = True, **more: Any) -> None:
        for file, body in files.items():
            loopback.paths[f"/{file}"] = Answer(body)
        entry = {
            "version": 1.0,
            "name": name,
            "description": "What people bought\nhttps://example.org/shop",
            "download_urls": [f"{loopback.url}/{file}" for file in files],
            "sha256": {file: hashlib.sha256(body).hexdigest() for file, body in files.items()} if checked else {},
            "columns": [{"name": each, "type": "category"} for each in ("size", "colour", "bought")],
            "output_features": [{"name": "bought", "type": "binary"}],
        } | more
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(entry))
        ludwig.datasets._get_dataset_configs.cache_clear()

    yield add
    ludwig.datasets._get_dataset_configs.cache_clear()


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def test_gives_the_table_with_ludwigs_split_and_what_the_zoo_says(zoo: Any, cache: Path) -> None:
    zoo("shop", {"train.csv": HEADER + TRAIN, "test.csv": HEADER + TEST}, train_filenames="train.csv", test_filenames="test.csv")
    frame, facts = ludwig_table(Loader(dataset="shop"), cache)
    assert frame.to_dict("list") == {
        "size": [1, 2, 3, 4],
        "colour": ["red", "blue", "red", "blue"],
        "bought": ["yes", "no", "yes", "no"],
        "split": ["training"] * 3 + ["test"],
    }
    assert (facts.title, facts.target, facts.split_column, facts.licence) == ("What people bought", "bought", "split", "unstated")
    assert facts.loader == Loader(dataset="shop")
    assert facts.notes[1] == "described at https://example.org/shop"


def test_an_archive_is_extracted_and_a_second_time_asks_nobody(zoo: Any, loopback: Loopback, cache: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("inner/all.csv", HEADER + TRAIN)
    zoo("shop", {"shop.zip": packed.getvalue()}, dataset_filenames="inner/all.csv")
    told = Told()
    first, facts = ludwig_table(Loader(dataset="shop"), cache, progress=told)
    assert (len(first), facts.split_column) == (3, None)
    assert told.sentences[0] == "fetching ludwig:shop from where Ludwig's zoo says"
    assert told.bytes[-1][1:] == (len(packed.getvalue()),) * 2
    asked = len(loopback.asked)
    again, _ = ludwig_table(Loader(dataset="shop"), cache, offline=True)
    assert again.equals(first)
    assert len(loopback.asked) == asked
    left = [path for path in cache.rglob("*") if path.is_file() and path.suffix != ".lock"]
    assert sorted(path.name for path in left) == ["about.json", "table.parquet"]


def test_a_split_drawn_at_random_is_left_out(zoo: Any, cache: Path) -> None:
    zoo("shop", {"all.csv": HEADER + TRAIN * 20}, loader="split_loaders.RandomSplitLoader")
    frame, facts = ludwig_table(Loader(dataset="shop"), cache)
    assert list(frame.columns) == ["size", "colour", "bought"]
    assert facts.notes[-1] == "Ludwig draws its split at random each time: it was left out"


def test_a_file_with_another_checksum_is_not_kept(zoo: Any, cache: Path) -> None:
    zoo("shop", {"all.csv": HEADER + TRAIN}, sha256={"all.csv": "0" * 64})
    refused("ludwig:shop: .*all.csv: .*thrown away", "shop", cache)


def test_a_server_that_refuses(zoo: Any, loopback: Loopback, cache: Path) -> None:
    zoo("shop", {"all.csv": HEADER + TRAIN})
    loopback.paths["/all.csv"] = Answer(b"", 404)
    refused("ludwig:shop: .*404", "shop", cache)
    assert not list(cache.rglob("*.part"))
    loopback.paths["/all.csv"] = Answer(HEADER + TRAIN)
    assert len(ludwig_table(Loader(dataset="shop"), cache)[0]) == 3


def test_what_ludwig_logs_and_swallows_is_told(zoo: Any, cache: Path, capfd: pytest.CaptureFixture[str]) -> None:
    zoo("shop", {"all.xyz": HEADER + TRAIN})
    refused("ludwig:shop: Ludwig's loader failed: ValueError: Unsupported dataset file type: .xyz", "shop", cache)
    assert "Traceback" not in capfd.readouterr().err


def test_a_damaged_archive(zoo: Any, cache: Path) -> None:
    zoo("shop", {"shop.zip": b"PK\x03\x04 and nothing more"}, checked=False)
    refused("ludwig:shop: Ludwig's loader failed: ", "shop", cache)


def test_offline_says_so(zoo: Any, loopback: Loopback, cache: Path) -> None:
    zoo("shop", {"all.csv": HEADER + TRAIN})
    with pytest.raises(CatalogError, match=r"ludwig:shop is not in the cache .* offline"):
        ludwig_table(Loader(dataset="shop"), cache, offline=True)
    assert not loopback.asked
    assert not cache.exists()


def test_an_entry_that_stands_for_the_hub_is_read_there_at_one_commit(
    zoo: Any, loopback: Loopback, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", loopback.url)
    test_huggingface.publish(loopback)
    zoo(
        "reviews",
        {},
        loader="hugging_face.HFLoader",
        huggingface_dataset_id=test_huggingface.NAME,
        columns=[{"name": "text", "type": "text"}, {"name": "label", "type": "category"}],
        output_features=[{"name": "label", "type": "category"}],
    )
    frame, facts = ludwig_table(Loader(dataset="reviews"), cache)
    assert frame["split"].value_counts().to_dict() == {"training": 3, "test": 2}
    assert facts.loader == Loader(dataset="reviews", revision=test_huggingface.COMMIT)
    assert (facts.target, facts.licence) == ("label", "cc-by-4.0")
    asked = len(loopback.asked)
    assert ludwig_table(facts.loader, cache, offline=True)[0].equals(frame)
    assert len(loopback.asked) == asked


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("adult_census_incom", "Ludwig's zoo has no such dataset; did you mean ludwig:adult_census_income?"),
        ("../secrets", "Ludwig's zoo has no such dataset"),
        ("titanic", "Kaggle holds this dataset and asks for an account"),
        ("mnist", "its column 'image_path' holds images"),
        ("hugging_face", "stands for any dataset of Hugging Face"),
        ("squad", "Ludwig reshapes this from Hugging Face at no fixed commit; use hf:rajpurkar/squad"),
    ],
)
def test_what_the_real_zoo_cannot_give(name: str, words: str, cache: Path) -> None:
    refused(words, name, cache)


def test_the_real_zoo_is_listed_without_importing_ludwig() -> None:
    program = (
        "import sys, json; from dataset_catalog.sources._ludwig_zoo import zoo_entry, zoo_names;"
        "from dataset_catalog.sources import _services;"
        "print(json.dumps([len(zoo_names()), zoo_entry('iris').predicted, 'ludwig' in sys.modules, 'sklearn.datasets' in sys.modules,"
        "'huggingface_hub' in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    count, predicted, *imported = json.loads(done.stdout)
    assert count > 500
    assert predicted == ["class"]
    assert imported == [False, False, False]


def test_entries_of_the_real_zoo_can_be_read() -> None:
    known = {"iris": "web", "titanic": "kaggle", "sst2_hf": "hub", "squad": "reshaped", "hugging_face": "any_hub"}
    assert {name: zoo_entry(name).kind for name in known} == known
    for name in zoo_names()[::15]:
        entry = zoo_entry(name)
        assert entry.name == name
        assert entry.title


@pytest.mark.parametrize("names", [["a.csv"], ["a.csv", "a.csv"]])
def test_no_file_is_left_out_for_want_of_a_name(zoo: Any, cache: Path, names: list[str]) -> None:
    zoo("shop", {"one.csv": TRAIN, "two.csv": TEST}, archive_filenames=names)
    refused("ludwig:shop: the zoo's entry names 1 files for 2 addresses", "shop", cache)


def refused(words: str, name: str, cache: Path) -> None:
    """Fetching ends in one line with ``words``, and leaves no table behind."""
    with pytest.raises(CatalogError, match=words) as caught:
        ludwig_table(Loader(dataset=name), cache)
    assert "\n" not in str(caught.value)
    assert not list(cache.rglob("table.parquet"))

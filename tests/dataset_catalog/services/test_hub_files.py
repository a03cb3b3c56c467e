"""Which files of a repository make which part: the Hub's own rules, without any server."""

from typing import Any

import pytest

from dataset_catalog import CatalogError
from dataset_catalog.sources._hub_files import Plan, plan_files, readable_as


def plan(paths: list[str], configs: Any = (), config: str | None = None) -> Plan | None:
    return plan_files(paths, configs, config, "hf:a/b")


@pytest.mark.parametrize(
    ("paths", "parts"),
    [
        (["data.csv", "README.md", ".gitattributes"], {"training": ("data.csv",)}),
        (["train.csv", "test.csv"], {"training": ("train.csv",), "test": ("test.csv",)}),
        (["my_train_file.jsonl", "dev-1.jsonl"], {"training": ("my_train_file.jsonl",), "validation": ("dev-1.jsonl",)}),
        (["testfile.csv", "contest.csv"], {"training": ("contest.csv", "testfile.csv")}),
        (
            ["data/train/a.csv", "data/train/b.csv", "data/test/a.csv"],
            {"training": ("data/train/a.csv", "data/train/b.csv"), "test": ("data/test/a.csv",)},
        ),
        (
            ["data/train-00001-of-00002-a1.parquet", "data/train-00000-of-00002-b2.parquet", "data/validation-00000-of-00001.parquet"],
            {
                "training": ("data/train-00000-of-00002-b2.parquet", "data/train-00001-of-00002-a1.parquet"),
                "validation": ("data/validation-00000-of-00001.parquet",),
            },
        ),
        (["a/train.csv.gz", "a/test.csv.zst"], {"training": ("a/train.csv.gz",), "test": ("a/test.csv.zst",)}),
        (["train.csv", "train.parquet", "other.parquet"], {"training": ("train.parquet",)}),
        (["eval.csv"], {"training": ("eval.csv",)}),
        (["test.csv", "validation.csv"], {"training": ("test.csv", "validation.csv")}),
    ],
)
def test_parts_by_the_names_of_files_and_folders(paths: list[str], parts: dict[str, tuple[str, ...]]) -> None:
    made = plan(paths)
    assert made is not None
    assert made.parts == parts


@pytest.mark.parametrize("paths", [[], ["README.md"], ["a.jpg", "model.bin"], [".cache/x.csv", "_drafts/y.csv"], ["dataset_infos.json"]])
def test_nothing_that_can_be_read(paths: list[str]) -> None:
    assert plan(paths) is None


def test_the_format_of_a_file() -> None:
    assert [readable_as(each) for each in ("a.CSV", "a/b.json.gz", "a.gz", "a", "a.parquet")] == [".csv", ".json", None, None, ".parquet"]


def test_splits_that_are_none_of_the_three_are_left_out() -> None:
    made = plan([f"data/{each}-00000-of-00001.parquet" for each in ("train", "test", "unsupervised", "train_small")])
    assert made is not None
    assert list(made.parts) == ["training", "test"]
    assert made.left_out == ("train_small", "unsupervised")


@pytest.mark.parametrize(
    ("files", "parts"),
    [
        ("x/*.csv", {"training": ("x/a.csv", "x/b.csv")}),
        ("**/a.csv", {"training": ("x/a.csv", "x/y/a.csv")}),
        ("x/**", {"training": ("x/a.csv", "x/b.csv", "x/y/a.csv")}),
        (["x/b.csv", "./x/?.csv"], {"training": ("x/b.csv", "x/a.csv")}),
        ({"train": "x/a.csv", "test": "x/[b-c].csv"}, {"training": ("x/a.csv",), "test": ("x/b.csv",)}),
    ],
)
def test_patterns_of_a_readme(files: Any, parts: dict[str, tuple[str, ...]]) -> None:
    made = plan(["x/a.csv", "x/b.csv", "x/y/a.csv"], [{"config_name": "one", "data_files": files}])
    assert made is not None
    assert made.parts == parts


@pytest.mark.parametrize(
    ("files", "parts"),
    [
        ("[!t]*.csv", {"training": ("data.csv",)}),
        ([{"split": "train", "path": 5}, {"split": "test", "path": None}, 7], None),
        (5, None),
    ],
)
def test_whatever_a_readme_says_is_data(files: Any, parts: dict[str, tuple[str, ...]] | None) -> None:
    made = plan(["data.csv", "test.csv"], [{"config_name": "default", "data_files": files}])
    assert (made.parts if made else None) == parts


def test_a_pattern_that_is_none_is_told() -> None:
    with pytest.raises(CatalogError, match=r"names files by '\[z-a\]\.csv', which is no pattern"):
        plan(["data.csv"], [{"config_name": "default", "data_files": "[z-a].csv"}])


@pytest.mark.parametrize("pattern", ["**/" * 80 + "x", "**" * 100 + "x", "*a" * 100 + "x", "**a" * 100 + "x", "**/*a" * 80 + "x"])
def test_no_pattern_takes_for_ever(pattern: str) -> None:
    assert plan(["a/" * 100 + "a" * 100 + ".csv"], [{"config_name": "default", "data_files": pattern}]) is None


@pytest.mark.parametrize(
    ("pattern", "matched"),
    [
        ("**/**/a.csv", ["a.csv", "x/a.csv", "x/y/a.csv"]),
        ("**/y/*", ["x/y/a.csv"]),
        ("***.csv", ["a.csv", "x/a.csv", "x/y/a.csv"]),
        ("x**csv", ["x/a.csv", "x/y/a.csv"]),
        ("?/*?csv", ["x/a.csv"]),
        ("*a*", ["a.csv"]),
        ("x/**", ["x/a.csv", "x/y/a.csv"]),
    ],
)
def test_stars_cross_folders_in_pairs_alone(pattern: str, matched: list[str]) -> None:
    made = plan(["a.csv", "x/a.csv", "x/y/a.csv"], [{"config_name": "default", "data_files": pattern}])
    assert made is not None
    assert made.parts == {"training": tuple(matched)}


def test_a_pattern_too_long_is_told() -> None:
    with pytest.raises(CatalogError, match="by a pattern of 501 characters; 500 are the most"):
        plan(["data.csv"], [{"config_name": "default", "data_files": "a" * 501}])


def test_patterns_count_from_the_folder_of_a_configuration() -> None:
    paths = ["one/a.csv", "two/a.csv", "two/test.csv"]
    made = plan(
        paths, [{"config_name": "one", "data_dir": "one"}, {"config_name": "two", "data_dir": "./two/", "data_files": "a.csv"}], "two"
    )
    assert made is not None
    assert made.parts == {"training": ("two/a.csv",)}


def test_the_marked_configuration_is_taken_when_none_is_named() -> None:
    configs = [{"config_name": "one", "data_files": "a.csv"}, {"config_name": "two", "data_files": "b.csv", "default": True}]
    made = plan(["a.csv", "b.csv"], configs)
    assert made is not None
    assert made.parts == {"training": ("b.csv",)}


def test_the_hubs_own_conversion() -> None:
    paths = ["c/train/0000.parquet", "c/train/0001.parquet", "c/test/0000.parquet", "d/train/0000.parquet"]
    made = plan(paths, config="c")
    assert made is not None
    assert made.parts == {"training": ("c/train/0000.parquet", "c/train/0001.parquet"), "test": ("c/test/0000.parquet",)}
    with pytest.raises(CatalogError, match="name one of the dataset's configurations, as in hf:a/b/c; they are c, d"):
        plan(paths)
    with pytest.raises(CatalogError, match="the Hub has converted only the beginning of 'train' to Parquet"):
        plan(["c/partial-train/0000.parquet"])


def test_a_folder_may_stand_for_a_configuration() -> None:
    made = plan(["en/train.csv", "de/train.csv"], config="de")
    assert made is not None
    assert made.parts == {"training": ("de/train.csv",)}
    with pytest.raises(CatalogError, match="has no configuration 'fr'"):
        plan(["en/train.csv"], config="fr")

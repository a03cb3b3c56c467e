"""Which files of a repository at Hugging Face make which part of a dataset, by the Hub's own documented rules."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from dataset_catalog._errors import CatalogError
from dataset_catalog.sources._globs import glob_matches, glob_steps

KEYWORDS = {
    "training": ("train", "training"),
    "validation": ("validation", "valid", "dev", "val"),
    "test": ("test", "testing", "eval", "evaluation"),
}
_FORMATS = (".parquet", ".csv", ".tsv", ".jsonl", ".ndjson", ".json")
_PACKED = (".gz", ".zst")
_NO_DATA = {"config.json", "dataset_info.json", "dataset_infos.json", "dataset_dict.json", "state.json"}
_CONVERTED = re.compile(r"(?P<config>[^/]+)/(?P<split>[^/]+)/\d{4}\.parquet")
_SHARD = re.compile(r"data/(?P<split>\w+(?:\.\w+)*)-\d{5}-of-\d{5}[^/]*")


@dataclass(frozen=True)
class Plan:
    """Files by part (training, validation, test), in order; and the names of splits that are none of the three, which are left out."""

    parts: Mapping[str, tuple[str, ...]]
    left_out: tuple[str, ...] = ()


def plan_files(paths: Iterable[str], configs: Sequence[Mapping[str, Any]], config: str | None, what: str) -> Plan | None:
    """Plan the reading of a dataset whose repository holds ``paths`` and whose README declares ``configs``.

    None when there is no file that can be read as a table. Raises :class:`CatalogError` when the configuration ``config`` is not there,
    or has to be named since there are several.
    """
    readable = sorted(path for path in paths if readable_as(path))
    if not readable:
        return None
    if all(_CONVERTED.fullmatch(path) for path in readable):
        return _by_splits(_converted(readable, config, what))
    declared = _chosen({str(each.get("config_name", "default")): each for each in configs}, config, what) if configs else None
    if declared is not None:
        folder = str(declared.get("data_dir") or "").strip("./")
        within = _under(readable, folder)
        if declared.get("data_files"):
            return _by_splits(_declared(within, declared["data_files"], folder, what))
        return _by_splits(_by_names(within)) if within else None
    if config is not None:
        readable = _under(readable, config)
        if not readable:
            raise CatalogError(f"{what}: the dataset has no configuration {config!r}; leave it out of the address")
    return _by_splits(_by_names(readable))


def readable_as(path: str) -> str | None:
    """Return the format of a file that may hold rows (as a suffix), or None."""
    name = PurePosixPath(path)
    if any(step.startswith((".", "_")) for step in name.parts) or name.name in _NO_DATA:
        return None
    suffixes = [suffix.lower() for suffix in name.suffixes]
    if suffixes and suffixes[-1] in _PACKED:
        suffixes = suffixes[:-1]
    return suffixes[-1] if suffixes and suffixes[-1] in _FORMATS else None


def _chosen(configs: Mapping[str, Any], config: str | None, what: str) -> Any:
    if config is not None and config in configs:
        return configs[config]
    names = ", ".join(list(configs)[:20])
    if config is not None:
        raise CatalogError(f"{what}: the dataset has no configuration {config!r}; it has {names}")
    marked = [each for each in configs.values() if isinstance(each, Mapping) and each.get("default")]
    if len(configs) == 1 or marked or "default" in configs:
        return next(iter(marked or [configs.get("default") or next(iter(configs.values()))]))
    raise CatalogError(f"{what}: name one of the dataset's configurations, as in {what}/{next(iter(configs))}; they are {names}")


def _converted(readable: Sequence[str], config: str | None, what: str) -> dict[str, list[str]]:
    """Read the layout of the branch that the Hub converts to Parquet: ``CONFIG/SPLIT/0000.parquet``."""
    by_config: dict[str, dict[str, list[str]]] = {}
    for path in readable:
        name, split, _ = path.split("/")
        by_config.setdefault(name, {}).setdefault(split, []).append(path)
    splits: dict[str, list[str]] = _chosen(by_config, config, what)
    if partial := [name for name in splits if name.startswith("partial-")]:
        raise CatalogError(f"{what}: the Hub has converted only the beginning of {partial[0].removeprefix('partial-')!r} to Parquet")
    return splits


def _under(paths: Sequence[str], folder: str) -> list[str]:
    return [path for path in paths if not folder or path.startswith(f"{folder}/")]


def _declared(readable: Sequence[str], files: Any, folder: str, what: str) -> dict[str, list[str]]:
    """Read ``data_files`` of a README: one pattern, several, or some for each split; they count from ``folder``."""
    if isinstance(files, Mapping):
        files = [{"split": split, "path": path} for split, path in files.items()]
    splits: dict[str, list[str]] = {}
    for each in files if isinstance(files, list) else [files]:
        split, path = (str(each.get("split", "train")), each.get("path", [])) if isinstance(each, Mapping) else ("train", each)
        found = splits.setdefault(split, [])
        for pattern in path if isinstance(path, list) else [path]:
            steps = glob_steps(f"{folder}/{pattern}" if folder else str(pattern), what)
            found += [file for file in readable if file not in found and glob_matches(steps, file)]
    return {split: found for split, found in splits.items() if found}


def _by_names(readable: Sequence[str]) -> dict[str, list[str]]:
    """Part files by what their names, or their folders', say; files of the commonest format alone."""
    counts = Counter(readable_as(path) for path in readable)
    form = max(counts, key=lambda each: (counts[each], each == ".parquet"))
    files = [path for path in readable if readable_as(path) == form]
    shards = {path: match["split"] for path in files if (match := _SHARD.fullmatch(path))}
    if shards:
        return _grouped(shards)
    for said in (_by_folder, _by_file):
        named = {path: part for path in files if (part := said(path)) is not None}
        if named:
            return _grouped(named)
    return {"train": list(files)}


def _by_folder(path: str) -> str | None:
    return next((part for step in PurePosixPath(path).parts[:-1] if (part := _said(step)) is not None), None)


def _by_file(path: str) -> str | None:
    return _said(PurePosixPath(path).name)


def _said(name: str) -> str | None:
    """Return the part whose keyword stands in ``name`` between signs that are no letters."""
    words = set(re.split(r"[-._ 0-9]+", name.lower()))
    return next((part for part, keywords in KEYWORDS.items() if words & set(keywords)), None)


def _grouped(named: Mapping[str, str]) -> dict[str, list[str]]:
    splits: dict[str, list[str]] = {}
    for path, split in named.items():
        splits.setdefault(split, []).append(path)
    return splits


def _by_splits(splits: Mapping[str, Sequence[str]]) -> Plan | None:
    """Give each split its part: one alone is the whole table; with several, only the three parts count."""
    if len(splits) < 2:
        return Plan({"training": tuple(*splits.values())}) if splits else None
    parts: dict[str, tuple[str, ...]] = {}
    left_out = []
    for split, files in splits.items():
        part = next((part for part, keywords in KEYWORDS.items() if split.lower() in (part, *keywords)), None)
        if part is None or part in parts:
            left_out.append(split)
        else:
            parts[part] = tuple(files)
    if "training" not in parts:  # whatever they are called, they are rows to split anew
        return Plan({"training": tuple(file for files in splits.values() for file in files)})
    return Plan({part: parts[part] for part in KEYWORDS if part in parts}, tuple(left_out))

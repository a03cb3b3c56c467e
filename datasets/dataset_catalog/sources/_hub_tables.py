"""Data files of a dataset at Hugging Face to one table, with a column for the official split and names for classes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from dataset_catalog._errors import CatalogError
from dataset_catalog.reading import read_table
from dataset_catalog.sources._facts import free_name

_MEDIA = {"Image": "images", "Audio": "sound", "Video": "videos", "Pdf": "documents", "Nifti": "images"}


@dataclass(frozen=True, eq=False)
class JoinedParts:
    """The table; the column that says each row's part, if there are several; the columns of classes; and what was left out."""

    frame: pd.DataFrame
    split_column: str | None
    classes: tuple[str, ...]
    notes: tuple[str, ...]


def join_parts(files: Mapping[str, Sequence[Path]], what: str) -> JoinedParts:
    """Read the ``files`` of each part and join them, training first.

    A part whose classes are all missing (-1, as the Hub marks them), or that lacks columns of the training part, is left out. Raises
    :class:`CatalogError` for a file that cannot be read or a column of images, sound or raw bytes.
    """
    names: dict[str, list[str]] = {}
    tables: dict[str, pd.DataFrame] = {}
    for part, paths in files.items():
        for path in paths:
            if _is_parquet(path):
                names |= _class_names(path, what)
        tables[part] = pd.concat([_read(path, what) for path in paths], ignore_index=True)
    classes = tuple(name for name in names if all(name in table.columns for table in tables.values()))
    kept, notes = _usable(tables, classes)
    split_column = free_name("split", list(kept["training"].columns)) if len(kept) > 1 else None
    if split_column is not None:
        kept = {part: table.assign(**{split_column: part}) for part, table in kept.items()}
    frame = pd.concat(list(kept.values()), ignore_index=True)
    for name in classes:
        frame[name] = _named(frame[name], names[name])
    return JoinedParts(frame, split_column, classes, tuple(notes))


def _usable(tables: Mapping[str, pd.DataFrame], classes: Sequence[str]) -> tuple[dict[str, pd.DataFrame], list[str]]:
    training = next(iter(tables.values()))
    kept: dict[str, pd.DataFrame] = {}
    notes = []
    for part, table in tables.items():
        lacking = [str(name) for name in training.columns if name not in table.columns]
        blank = [name for name in classes if (table[name] == -1).all() and not (training[name] == -1).all()]
        if lacking:
            notes.append(f"the {part} part is left out: it has no column {', '.join(map(repr, lacking[:5]))}")
        elif blank:
            notes.append(f"the {part} part is left out: its {', '.join(map(repr, blank))} is not given")
        else:
            kept[part] = table[list(training.columns)]
    return kept, notes


def _read(path: Path, what: str) -> pd.DataFrame:
    try:
        return read_table(path)
    except CatalogError as error:
        raise CatalogError(f"{what}: {str(error).replace(str(path), path.name)}") from None


def _is_parquet(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(4) == b"PAR1"


def _class_names(path: Path, what: str) -> dict[str, list[str]]:
    """Return the names of classes by column, as the Hub's own library writes them into its Parquet files; refuse what is no table."""
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(path)
    except (pa.ArrowException, OSError) as error:
        raise CatalogError(f"{what}: {path.name} is no Parquet file ({str(error).splitlines()[0]})") from None
    features = _features(schema)
    for field in schema:
        kind = str(features.get(field.name, {}).get("_type", "")) if isinstance(features.get(field.name), dict) else ""
        if kind in _MEDIA or _is_bytes(field.type):
            raise CatalogError(
                f"{what}: its column {field.name!r} holds {_MEDIA.get(kind, 'raw bytes')}; numbers, classes, times and text can be used"
            )
    named = {name: each for name, each in features.items() if isinstance(each, dict) and each.get("_type") == "ClassLabel"}
    given = {name: each.get("names") for name, each in named.items() if name in schema.names}
    return {name: list(map(str, names)) for name, names in given.items() if isinstance(names, list) and names}


def _features(schema: pa.Schema) -> dict[str, Any]:
    try:
        features = json.loads((schema.metadata or {})[b"huggingface"])["info"]["features"]
    except (KeyError, ValueError, TypeError):
        return {}
    return features if isinstance(features, dict) else {}


def _is_bytes(kind: pa.DataType) -> bool:
    if pa.types.is_struct(kind):
        return any(_is_bytes(kind.field(position).type) for position in range(kind.num_fields))
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind))


def _named(column: pd.Series, names: Sequence[str]) -> pd.Series:
    """Give classes their names; -1 stands for none."""
    if not pd.api.types.is_numeric_dtype(column):
        return column
    answer: pd.Series = column.map(dict(enumerate(names))).astype(object)
    return answer

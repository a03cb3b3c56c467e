"""Tables fetched from services: kept as Parquet beside what the service said of them, whole or not at all."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from dataset_catalog._errors import CatalogError, NotHereError
from dataset_catalog._locking import alone
from dataset_catalog._progress import Progress
from dataset_catalog._sizes import sizes_at
from dataset_catalog.reading import plain
from dataset_catalog.sources._digests import sha256_of
from dataset_catalog.sources._facts import SourceFacts

Fetched = tuple[pd.DataFrame, SourceFacts]
_STUCK_SECONDS = 3600
"""Large tables are put together in memory, and nothing is written meanwhile."""

_VERSION = 1
_TABLE, _ABOUT = "table.parquet", "about.json"
_UNMIXED = ("string", "boolean", "empty")


@dataclass(frozen=True)
class Place:
    """Where the table of one dataset at one version is kept: ``cache/services/SERVICE/KEY``."""

    cache: Path
    service: str
    key: str

    @property
    def folder(self) -> Path:
        """The folder of the table; it is there only when it is whole."""
        return self.cache / "services" / self.service / (re.sub(r"[^\w.-]+", "--", self.key).strip(".") or "--")


def kept(place: Place, what: str, fetch: Callable[[Path], Fetched], *, offline: bool = False, progress: Progress | None = None) -> Fetched:
    """Return the table and the facts kept at ``place``; when they are not there, or damaged, ``fetch`` gets them first, unless ``offline``.

    ``fetch`` is given a folder to work in, which stays when it fails, so that a download can go on later, and goes when it is
    done. Two processes that want the same dataset wait for each other. Raises :class:`CatalogError` naming ``what``.
    """
    folder = place.folder
    if (found := _read(folder)) is not None:
        return found
    if offline:
        kind, state = (CatalogError, "is damaged in the cache") if folder.exists() else (NotHereError, "is not in the cache")
        raise kind(f"{what} {state} ({folder}) and nothing may be fetched offline; fetch it once with a network")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock, work = (folder.with_name(f"{folder.name}.{end}") for end in ("lock", "part"))
        with alone(lock, f"fetching {what}", progress, reached=lambda: sum(sizes_at(work)), patience=_STUCK_SECONDS):
            if (found := _read(folder)) is not None:  # somebody else has fetched it meanwhile
                return found
            _fetch_into(folder, work, fetch)
    except OSError as error:
        raise CatalogError(f"{folder}: {what} cannot be kept there ({error.strerror or error}); free or name another place") from None
    except MemoryError:
        raise CatalogError(f"{what} does not fit into memory") from None
    answer = _read(folder)
    if answer is None:
        raise CatalogError(f"{folder}: what was written there is damaged when it is read again; is the disk full or failing?")
    return answer


def _fetch_into(folder: Path, work: Path, fetch: Callable[[Path], Fetched]) -> None:
    work.mkdir(exist_ok=True)
    try:
        frame, facts = fetch(work)
        whole = work / "whole"
        shutil.rmtree(whole, ignore_errors=True)
        whole.mkdir()
        _write(whole, frame, facts)
        shutil.rmtree(folder, ignore_errors=True)  # a damaged one: a whole one would have been read
        whole.replace(folder)
    except BaseException:
        _drop_empty(work)
        raise
    shutil.rmtree(work, ignore_errors=True)


def _write(folder: Path, frame: pd.DataFrame, facts: SourceFacts) -> None:
    table = folder / _TABLE
    _storable(plain(frame)).to_parquet(table, index=False)
    with table.open("rb+") as stream:
        os.fsync(stream.fileno())
    about = {"version": _VERSION, "sha256": sha256_of(table), "bytes": table.stat().st_size, "facts": facts.as_json()}
    with (folder / _ABOUT).open("w", encoding="utf-8") as written:
        json.dump(about, written, ensure_ascii=False, indent=1)
        written.flush()
        os.fsync(written.fileno())


def _storable(frame: pd.DataFrame) -> pd.DataFrame:
    """Make text of columns that mix text with numbers, which Parquet cannot hold."""
    objects = [str(name) for name in frame.columns if frame[name].dtype == object]
    mixed = [name for name in objects if pd.api.types.infer_dtype(frame[name], skipna=True) not in _UNMIXED]
    return frame.assign(**{name: frame[name].map(str, na_action="ignore") for name in mixed}) if mixed else frame


def _read(folder: Path) -> Fetched | None:
    """Read what stands in ``folder``, or nothing when that is not whole."""
    table = folder / _TABLE
    try:
        about: dict[str, Any] = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))
        if about["version"] != _VERSION or table.stat().st_size != about["bytes"] or sha256_of(table) != about["sha256"]:
            return None
        return plain(pd.read_parquet(table)), SourceFacts.from_json(about["facts"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _drop_empty(folder: Path) -> None:
    """Remove ``folder`` when it holds nothing but folders and locks: nothing was fetched, so nothing is left."""
    if all(path.suffix == ".lock" for path in folder.rglob("*") if not path.is_dir()):
        shutil.rmtree(folder, ignore_errors=True)

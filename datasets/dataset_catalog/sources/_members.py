"""Members of archives to tables, one reader a format. Content is trusted only after its archive's SHA-256 has matched."""

from __future__ import annotations

import bz2
import gzip
import io
import re
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

import pandas as pd

from dataset_catalog._cards import Loader, Members
from dataset_catalog._errors import CatalogError
from dataset_catalog.reading import plain, read_within_room
from dataset_catalog.sources import _texts
from dataset_catalog.sources._unpacking import read_members

_MISSING = ("", "NA")
_ATTRIBUTE = re.compile(r"@attribute\s+(?P<name>'[^']*'|\S+?)\s*(?P<kind>\{.*|\s\S.*)", re.IGNORECASE)


def read_packaged(path: Path, loader: Loader) -> pd.DataFrame:
    """Read a table out of the archive at ``path`` as its ``loader`` says, with plain dtypes.

    Several members are read in the order of the loader's sets, within each in the order of names. Raises :class:`CatalogError`.
    """
    if loader.reader is None or not (loader.member or loader.members):
        raise CatalogError(f"{path}: the card names no reader, or no member")
    sets = loader.members or (Members(names=(str(loader.member),)),)
    contents = read_members(path, [name for each in sets for name in each.names])
    frames = []
    for each in sets:
        found = {name: content for name, content in contents.items() if any(fnmatchcase(name, pattern) for pattern in each.names)}
        frames.append(plain(_read(found, loader)).assign(**each.adds))
    return plain(_shaped(pd.concat(frames, ignore_index=True), loader))


def _read(found: Mapping[str, bytes], loader: Loader) -> pd.DataFrame:
    if loader.reader in _SEVERAL:
        return _SEVERAL[loader.reader](found)
    reader = _READERS[str(loader.reader)]
    return pd.concat([reader(_unpacked(content, name), loader) for name, content in found.items()], ignore_index=True)


def _shaped(frame: pd.DataFrame, loader: Loader) -> pd.DataFrame:
    if loader.last_column is not None:
        frame = frame.rename(columns={frame.columns[-1]: loader.last_column})
    for name in loader.as_text:
        frame[name] = frame[name].astype(str).astype(object)
    if loader.missing:
        objects = frame.select_dtypes(object).columns
        frame[objects] = frame[objects].mask(frame[objects].isin(loader.missing))
    for name in loader.needed:
        frame = frame[frame[name].notna()]
    for name, values in loader.keep.items():
        frame = frame[frame[name].astype(str).isin(values)]
    if loader.columns:
        frame = frame[list(loader.columns.values())].set_axis(list(loader.columns), axis=1)
    if loader.distinct is not None:
        frame = frame.drop_duplicates(loader.distinct)
    return frame.reset_index(drop=True)


def _parquet(content: bytes, loader: Loader) -> pd.DataFrame:
    return pd.read_parquet(io.BytesIO(content))


def _csv(content: bytes, loader: Loader) -> pd.DataFrame:
    return _delimited(content, loader, header="infer")


def _keel(content: bytes, loader: Loader) -> pd.DataFrame:
    """KEEL's data lines alone: no header, the class last."""
    frame = _delimited(content, loader, header=None)
    frame.columns = pd.Index([f"a{number}" for number in range(1, frame.shape[1])] + ["Class"], dtype=object)
    return frame


def _keel_arff(content: bytes, loader: Loader) -> pd.DataFrame:
    """KEEL's whole files: attributes first; what is declared as a set of values is text even where it looks like numbers."""
    head, _, data = content.decode("utf-8").partition("@data")
    found = [(match["name"].strip("'"), match["kind"].strip()) for match in _ATTRIBUTE.finditer(head)]
    nominal = {position: str for position, (_, kind) in enumerate(found) if kind.startswith("{")}
    frame = _delimited(data.lstrip("\r\n").encode(), loader, header=None, types=nominal)
    frame.columns = pd.Index([name for name, _ in found], dtype=object)
    return frame


def _r_frame(content: bytes, loader: Loader) -> pd.DataFrame:
    """Read an R data frame that was kept as an xz-compressed pickle; only ever read from an archive whose SHA-256 matched."""
    frame: pd.DataFrame = pd.read_pickle(io.BytesIO(content), compression="xz")  # noqa: S301 - see above
    return frame.drop(columns="rownames", errors="ignore")


def _delimited(
    content: bytes, loader: Loader, *, header: Literal["infer"] | None, types: Mapping[int, type[str]] | None = None
) -> pd.DataFrame:
    frame: pd.DataFrame = pd.read_csv(
        io.BytesIO(content),
        sep=loader.separator,
        encoding=loader.encoding,
        header=header,
        dtype=types,
        skipinitialspace=True,
        keep_default_na=False,
        na_values=list(_MISSING),
        low_memory=False,
        float_precision="round_trip",
    )
    return frame


def _unpacked(content: bytes, name: str) -> bytes:
    if content.startswith(b"\x1f\x8b"):
        return read_within_room(gzip.GzipFile(fileobj=io.BytesIO(content)), name)
    return read_within_room(bz2.BZ2File(io.BytesIO(content)), name) if content.startswith(b"BZh") else content


_READERS: dict[str, Callable[[bytes, Loader], pd.DataFrame]] = {
    "parquet": _parquet,
    "csv": _csv,
    "keel": _keel,
    "keel_arff": _keel_arff,
    "r_frame": _r_frame,
    "orange": _texts.orange,
    "lines": _texts.lines,
    "messages": _texts.messages,
    "questions": _texts.questions,
    "ratings": _texts.ratings,
    "packages": _texts.packages,
}
_SEVERAL: dict[str, Callable[[Mapping[str, bytes]], pd.DataFrame]] = {"mails": _texts.mails, "glosses": _texts.glosses}

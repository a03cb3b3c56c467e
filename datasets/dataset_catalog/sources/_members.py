"""Members of archives to tables, one reader a format. Content is trusted only after its archive's SHA-256 has matched."""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Callable, Mapping
from typing import Literal

import pandas as pd

from dataset_catalog._cards import Loader
from dataset_catalog._errors import CatalogError
from dataset_catalog.reading import plain

_MISSING = ("", "NA")
_ATTRIBUTE = re.compile(r"@attribute\s+(?P<name>'[^']*'|\S+?)\s*(?P<kind>\{.*|\s\S.*)", re.IGNORECASE)


def read_member_table(content: bytes, loader: Loader) -> pd.DataFrame:
    """Read ``content`` as its ``loader`` says, with plain dtypes; ``missing`` marks are emptied, ``as_text`` columns are text."""
    if loader.reader is None:
        raise CatalogError("the card names no reader")
    frame = plain(_READERS[loader.reader](content, loader))
    if loader.last_column is not None:
        frame = frame.rename(columns={frame.columns[-1]: loader.last_column})
    for name in loader.as_text:
        frame[name] = frame[name].astype(str).astype(object)
    if loader.missing:
        objects = frame.select_dtypes(object).columns
        frame[objects] = frame[objects].mask(frame[objects].isin(loader.missing))
    return plain(frame)


def _parquet(content: bytes, loader: Loader) -> pd.DataFrame:
    return pd.read_parquet(io.BytesIO(content))


def _csv(content: bytes, loader: Loader) -> pd.DataFrame:
    return _delimited(_unpacked(content), loader, header="infer")


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
        header=header,
        dtype=types,
        skipinitialspace=True,
        keep_default_na=False,
        na_values=list(_MISSING),
        low_memory=False,
        float_precision="round_trip",
    )
    return frame


def _unpacked(content: bytes) -> bytes:
    return gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content


_READERS: dict[str, Callable[[bytes, Loader], pd.DataFrame]] = {
    "parquet": _parquet,
    "csv": _csv,
    "keel": _keel,
    "keel_arff": _keel_arff,
    "r_frame": _r_frame,
}

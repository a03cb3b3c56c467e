"""Compressed content to what was compressed, layer by layer: gzip, Zstandard, bzip2, xz, LZ4, and zip archives of one file."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from dataset_catalog._errors import CatalogError
from dataset_catalog.reading._room import check_room, read_within_room

_LAYERS = 3
_DAMAGES = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError, ValueError, NotImplementedError)
_SHEETS = ("xl/", "content.xml")


def unpacked(content: bytes, path: Path) -> bytes:
    """Return what ``content`` was before it was compressed; as it is, when it was not. Raises :class:`CatalogError` when it is damaged.

    The first bytes decide. A spreadsheet, which is a zip archive, too, stays as it is.
    """
    for _ in range(_LAYERS):
        if content.startswith(b"PK\x03\x04"):
            if is_spreadsheet(content, path):
                return content
            content = _zipped(content, path)
            continue
        found = next(((name, opened) for magic, name, opened in _FORMATS if content.startswith(magic)), None)
        if found is None:
            return content
        name, opened = found
        try:
            with opened(content) as stream:
                content = read_within_room(stream, path)
        except _DAMAGES:
            raise CatalogError(f"{path}: the {name} stream is damaged or cut short; fetch the file again") from None
    return content


def is_spreadsheet(content: bytes, path: Path) -> bool:
    """Return whether a zip archive is a spreadsheet by what it holds."""
    with _archive(content, path) as archive:
        return any(name.startswith(_SHEETS) for name in archive.namelist())


def check_sheets(content: bytes, path: Path) -> None:
    """Raise :class:`CatalogError` when the parts of a spreadsheet, by what it says itself, unpack to more than there is room for."""
    if content.startswith(b"PK\x03\x04"):
        with _archive(content, path) as archive:
            check_room(sum(each.file_size for each in archive.infolist()), path)


def _archive(content: bytes, path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(io.BytesIO(content))
    except _DAMAGES:
        raise CatalogError(f"{path}: the zip archive or spreadsheet is damaged or cut short; fetch the file again") from None


def _zipped(content: bytes, path: Path) -> bytes:
    with _archive(content, path) as archive:
        members = [each for each in archive.infolist() if not each.is_dir() and not each.filename.startswith("__MACOSX/")]
        if len(members) != 1:
            names = ", ".join(each.filename for each in members[:5]) or "nothing"
            raise CatalogError(f"{path}: this zip archive holds {len(members)} files ({names}); unpack it, and name the table")
        try:
            with archive.open(members[0]) as stream:
                return read_within_room(stream, path)
        except _DAMAGES:
            raise CatalogError(f"{path}: the zip archive is damaged or of an unknown kind; fetch it again, or unpack it by hand") from None
        except RuntimeError:
            raise CatalogError(f"{path}: the zip archive is locked by a password; unpack it first") from None


def _arrow(codec: str) -> Callable[[bytes], IO[bytes]]:
    def opened(content: bytes) -> Any:
        import pyarrow as pa

        return pa.input_stream(pa.BufferReader(content), compression=codec)

    return opened


_FORMATS: tuple[tuple[bytes, str, Callable[[bytes], Any]], ...] = (
    (b"\x1f\x8b", "gzip", lambda content: gzip.GzipFile(fileobj=io.BytesIO(content))),
    (b"\x28\xb5\x2f\xfd", "Zstandard", _arrow("zstd")),
    (b"\x04\x22\x4d\x18", "LZ4", _arrow("lz4")),
    (b"BZh", "bzip2", lambda content: bz2.BZ2File(io.BytesIO(content))),
    (b"\xfd7zXZ\x00", "xz", lambda content: lzma.LZMAFile(io.BytesIO(content))),  # noqa: SIM115 - its reader closes it
)

"""Archives to the content of their members: wheels, zips, sdists, npm's packages, Debian's."""

from __future__ import annotations

import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import BinaryIO

from dataset_catalog._errors import CatalogError
from dataset_catalog.reading import read_within_room

_DEBIAN = b"!<arch>\n"
_HEADER = 60  # bytes before each member of a Debian package's outer archive: name 16, dates and modes 32, size 10, mark 2


def read_members(path: Path, patterns: Iterable[str]) -> dict[str, bytes]:
    """Return the members of the archive at ``path`` whose names match one of ``patterns`` (``*``: any text), in the order of names.

    Raises :class:`CatalogError` when nothing matches one of the patterns, the archive is damaged, or a member does not fit into memory.
    """
    patterns = list(patterns)
    try:
        with path.open("rb") as stream:
            found = _zipped(stream, patterns) if zipfile.is_zipfile(stream) else _tarred(stream, patterns)
    except (zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, ValueError) as error:
        told = str(error).partition("\n")[0] or type(error).__name__  # tarfile tells every kind that it tried
        raise CatalogError(f"{path}: the archive is damaged ({told}); delete it, and it will be fetched again") from None
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in found):
            raise CatalogError(f"{path}: there is no member {pattern!r}")
    return dict(sorted(found.items()))


def _zipped(stream: BinaryIO, patterns: list[str]) -> dict[str, bytes]:
    with zipfile.ZipFile(stream) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/") and _wanted(name, patterns)]
        return {name: _member(archive, name) for name in names}


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    with archive.open(name) as stream:
        return read_within_room(stream, name)


def _tarred(stream: BinaryIO, patterns: list[str]) -> dict[str, bytes]:
    stream.seek(0)
    inner = _debian_data(stream) if stream.read(len(_DEBIAN)) == _DEBIAN else stream
    inner.seek(0)
    found = {}
    with tarfile.open(fileobj=inner) as archive:
        for member in archive:
            name = member.name.removeprefix("./")
            if _wanted(name, patterns) and (content := archive.extractfile(member)) is not None:
                found[name] = read_within_room(content, name)
    return found


def _debian_data(stream: BinaryIO) -> BinaryIO:
    """Return the tar archive of a Debian package's files, which stands in an ``ar`` archive; see deb(5)."""
    while len(header := stream.read(_HEADER)) == _HEADER:
        size = int(header[48:58])
        content = stream.read(size + size % 2)
        if header.startswith(b"data.tar"):
            return io.BytesIO(content[:size])
    raise tarfile.ReadError("a Debian package without data")


def _wanted(name: str, patterns: list[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)

"""Tables in files, here or elsewhere: a path is read as it stands, what a URL names is downloaded once and kept."""

from __future__ import annotations

import hashlib
import re
import time
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

import pandas as pd

from dataset_catalog._cards import Loader
from dataset_catalog._errors import CatalogError, NotHereError
from dataset_catalog._progress import Progress, tell
from dataset_catalog.reading import read_table
from dataset_catalog.sources._digests import sha256_of
from dataset_catalog.sources._patience import shown
from dataset_catalog.sources._transfer import transfer

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_LONGEST_NAME = 80


def open_table(
    location: str | Path, cache: Path, *, sha256: str | None = None, offline: bool = False, progress: Progress | None = None
) -> pd.DataFrame:
    """Read the table at ``location``, a path or a URL, as :func:`read_table` does; downloads are kept under ``cache``.

    ``#SHEET`` after either names the sheet of a spreadsheet. Raises :class:`CatalogError` as :func:`local_file` and ``read_table`` do.
    """
    text, fragment, sheet = str(location).partition("#") if is_url(location) else (location, "", "")
    path = local_file(text, cache, sha256=sha256, offline=offline, progress=progress)
    return read_table(path, sheet=unquote(sheet) if fragment else None)


def local_file(
    location: str | Path, cache: Path, *, sha256: str | None = None, offline: bool = False, progress: Progress | None = None
) -> Path:
    """Return where the file at ``location``, a path or a URL, lies on this machine, after downloading it into ``cache/files`` if need be.

    A copy that was downloaded before is used as it is, and its age told; to have it anew, delete it. With a ``sha256`` (hexadecimal) the
    content must be that. Raises :class:`CatalogError` when it cannot be had, or is another, and when it would have to be fetched
    and ``offline`` holds; whether a path exists is left to whoever reads it.
    """
    if not is_url(location):
        return _verified(Path(location), sha256)
    url = str(location).partition("#")[0]
    if url.lower().startswith("file://"):
        return _verified(Path(url2pathname(urlsplit(url).path)), sha256)
    kept = kept_path(url, cache)
    if kept.is_file() and sha256 is None:
        day = time.strftime("%Y-%m-%d %H:%M", time.localtime(kept.stat().st_mtime))
        tell(progress, f"{shown(url)}: using the copy of {day}; delete {kept} to fetch it anew")
    elif offline and not (kept.is_file() and sha256_of(kept) == (sha256 or "").lower()):
        kind, state = (CatalogError, "the copy here is another than the card's") if kept.is_file() else (NotHereError, "is not here")
        raise kind(f"{shown(url)}: {state}, and nothing may be fetched offline; run the command once with a network")
    return transfer(url, kept, sha256=sha256, progress=progress)


def pin_file(loader: Loader, cache: Path, *, offline: bool = False, progress: Progress | None = None) -> Loader:
    """Return the ``loader`` of a file with the SHA-256 of what its URL gives today; as it is when it has one, or names a path.

    Raises :class:`CatalogError` as :func:`local_file` does.
    """
    if loader.url is None or loader.sha256 is not None:
        return loader
    return loader.model_copy(update={"sha256": sha256_of(local_file(loader.url, cache, offline=offline, progress=progress))})


def is_url(location: str | Path) -> bool:
    """Return whether ``location`` is a URL rather than a path; a :class:`~pathlib.Path` never is."""
    return isinstance(location, str) and _SCHEME.match(location) is not None


def kept_path(url: str, cache: Path) -> Path:
    """Return where the download of ``url`` is kept: one plain file name in ``cache/files``, whatever the URL looks like."""
    try:
        last = unquote(urlsplit(url).path).rpartition("/")[2]
    except ValueError:
        raise CatalogError(f"{url.partition('?')[0]}: is not an address") from None
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", last)[-_LONGEST_NAME:].lstrip(".-") or "file"
    return cache / "files" / f"{hashlib.sha256(url.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}-{name}"


def _verified(path: Path, sha256: str | None) -> Path:
    if sha256 is not None and path.is_file() and (found := sha256_of(path)) != sha256.lower():
        raise CatalogError(f"{path}: the content has SHA-256 {found[:12]}…, {sha256[:12].lower()}… was expected")
    return path

"""Whole files from elsewhere: fetched once, by one process, gone on with after a break, and never taken for whole before they are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dataset_catalog._errors import CatalogError
from dataset_catalog._locking import alone
from dataset_catalog._progress import Progress, tell
from dataset_catalog.sources._digests import sha256_of
from dataset_catalog.sources._http import fetch_http
from dataset_catalog.sources._part import Part
from dataset_catalog.sources._patience import shown
from dataset_catalog.sources._remote import fetch_remote


def transfer(
    url: str,
    to: Path,
    *,
    sha256: str | None = None,
    size: int | None = None,
    headers: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Path:
    """Download ``url`` to the file ``to``, unless it is there already, and return ``to``.

    ``url`` is ``http(s)://``, or ``s3://``, ``gs://`` and others by fsspec, whose package must be installed. A file that is there counts
    as whole, since nothing unfinished ever bears its name, unless its ``sha256`` or ``size`` (bytes) is another than is asked for. What
    breaks off stays as ``NAME.part``, and is gone on with by the next call when the source still has the same content. Several processes
    may ask at once: one downloads, the others wait. ``headers`` go with each HTTP request. ``progress`` is told sentences and, when it is
    a ``ByteProgress``, bytes.

    Raises :class:`CatalogError`, one line, when the source cannot be reached or refuses, the content is not what was asked for, or there is
    no room; whatever stood at ``to`` before is then still there.
    """
    if _matches(to, sha256, size):
        return to
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        with alone(to.with_name(f"{to.name}.lock"), f"fetching {to.name}", progress, reached=lambda: Part(to).size):
            if not _matches(to, sha256, size):
                _fetch(url, to, sha256, size, headers or {}, progress)
    except OSError as error:
        raise CatalogError(f"{to}: cannot be kept there ({error.strerror or error}); free or name another place with LODE_HOME") from None
    return to


def _fetch(url: str, to: Path, sha256: str | None, size: int | None, headers: Mapping[str, str], progress: Progress | None) -> None:
    part = Part(to)
    went_on = part.origin(url) is not None
    tell(progress, f"fetching {shown(url)}")
    for again in (went_on, False):
        if url.lower().startswith(("http://", "https://")):
            fetch_http(url, part, to.name, known=size, checked=sha256 is not None, headers=headers, progress=progress)
        else:
            fetch_remote(url, part, to.name, known=size, progress=progress)
        fault = _fault(part, sha256, size)
        if fault is None:
            part.finish(to)
            return
        part.drop()
        if not again:  # bytes of two contents may have met: a second time from the beginning tells
            raise CatalogError(f"{shown(url)}: {fault}; it was thrown away")


def _fault(part: Part, sha256: str | None, size: int | None) -> str | None:
    if size is not None and part.size != size:
        return f"{part.size} bytes came, {size} were expected"
    if sha256 is not None and (found := part.sha256()) != sha256.lower():
        return f"the content has SHA-256 {found[:12]}…, {sha256[:12].lower()}… was expected"
    return None


def _matches(to: Path, sha256: str | None, size: int | None) -> bool:
    if not to.is_file() or (size is not None and to.stat().st_size != size):
        return False
    return sha256 is None or sha256_of(to) == sha256.lower()

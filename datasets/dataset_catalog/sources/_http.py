"""Downloads over HTTP that go on where they broke off (range requests, RFC 9110 section 14)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import requests
import urllib3

from dataset_catalog._errors import CatalogError
from dataset_catalog._progress import Progress, tell, tell_bytes
from dataset_catalog.sources._part import Origin, Part
from dataset_catalog.sources._patience import Interrupted, persist, shown

CONNECT_SECONDS = 10
READ_SECONDS = 60
_PIECE = 1 << 18
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
_MEANINGS = {401: "it wants credentials", 403: "it denies access", 404: "there is no such file", 410: "the file is gone"}


def fetch_http(
    url: str, part: Part, what: str, *, known: int | None, checked: bool, headers: Mapping[str, str], progress: Progress | None
) -> None:
    """Fill ``part`` with all of ``url``, going on with what is there when it is still the beginning of the same content.

    ``known`` is the size that it must have. ``checked`` says that the caller will verify the content: without that, bytes whose source
    gives neither an ETag nor a time are not gone on with, and an answer that cannot be told from a torn one is refused.
    Raises :class:`CatalogError` when the server cannot be reached, refuses, or offers another size; ``part`` is left to be gone on with.
    """
    download = _Download(url, part, what, known, checked, headers, progress)
    persist(download.step, reached=lambda: part.size, url=url)


@dataclass(frozen=True)
class _Download:
    url: str
    part: Part
    what: str
    known: int | None
    checked: bool
    headers: Mapping[str, str]
    progress: Progress | None

    def step(self) -> None:
        """Ask once, and take what comes."""
        begun = self._begun()
        headers = {"Accept-Encoding": "identity", "User-Agent": "motherlode", **self.headers}
        if begun is not None:
            headers["Range"] = f"bytes={self.part.size}-"
            if begun.tag is not None:
                headers["If-Range"] = begun.tag
        try:
            with requests.get(self.url, headers=headers, stream=True, timeout=(CONNECT_SECONDS, READ_SECONDS)) as answer:
                self._take(answer, begun)
        except requests.RequestException as error:
            raise _told(error, self.url) from None
        except (urllib3.exceptions.HTTPError, ConnectionError, TimeoutError):
            raise Interrupted(f"the connection broke after {self.part.size} bytes") from None

    def _begun(self) -> Origin | None:
        """Return the origin of the bytes that are here, when they may be gone on with."""
        begun = self.part.origin(self.url)
        if begun is None or (begun.tag is None and not self.checked):
            return None
        if self.part.size == begun.total:  # all was there, and not yet renamed
            self.part.take_back()
        return begun

    def _take(self, answer: requests.Response, begun: Origin | None) -> None:
        if answer.status_code == 416:  # what is here does not lie within what is there now
            self.part.drop()
            raise Interrupted("the content has changed on the server")
        self._refuse(answer)
        if answer.status_code == 206 and begun is not None:
            total = self._continued(answer, begun)
            tell(self.progress, f"going on with {self.what} after {self.part.size / 1e6:.1f} MB")
        else:
            total = self._whole(answer)
            self.part.begin(Origin.of(self.url, _tag(answer), total))
        with self.part.append() as stream:
            done = self.part.size
            while piece := answer.raw.read(_PIECE, decode_content=False):
                stream.write(piece)
                done += len(piece)
                tell_bytes(self.progress, self.what, min(done, total - 1) if total else done, total)
        if total is not None and done != total:
            if done > total:
                self.part.drop()
            raise Interrupted(f"the connection broke after {done} of {total} bytes")
        tell_bytes(self.progress, self.what, done, done)

    def _refuse(self, answer: requests.Response) -> None:
        status = answer.status_code
        if status in _PASSING:
            raise Interrupted(f"the server answers {status} ({answer.reason or 'no reason given'})", _asked_wait(answer))
        if status not in (200, 206):
            meaning = _MEANINGS.get(status, answer.reason or "no reason given")
            raise CatalogError(f"{shown(self.url)}: the server answers {status}: {meaning}")

    def _continued(self, answer: requests.Response, begun: Origin) -> int | None:
        """Check that the answer goes on where the bytes here end, with the same content; return the total size."""
        match = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", answer.headers.get("Content-Range", ""))
        total = int(match[2]) if match and match[2] != "*" else begun.total
        if match is None or int(match[1]) != self.part.size or total != (begun.total or total) or _tag(answer) not in (begun.tag, None):
            self.part.drop()
            raise Interrupted("the content has changed on the server")
        return total

    def _whole(self, answer: requests.Response) -> int | None:
        length = answer.headers.get("Content-Length", "")
        total = int(length) if length.isdecimal() else None
        if total is not None and self.known is not None and total != self.known:
            raise CatalogError(f"{shown(self.url)}: the server offers {total} bytes, {self.known} were expected; it is another file")
        if total is None and not self.checked and "chunked" not in answer.headers.get("Transfer-Encoding", "").lower():
            raise CatalogError(
                f"{shown(self.url)}: the server does not say how long the file is, so that a torn one looks whole; "
                "download it by hand, or name its sha256"
            )
        return total if total is not None else self.known


def _tag(answer: requests.Response) -> str | None:
    """Return what the content is known by: a strong ETag, else the time of its last change."""
    tag = answer.headers.get("ETag", "")
    return tag if tag.startswith('"') else answer.headers.get("Last-Modified")


def _asked_wait(answer: requests.Response) -> float:
    asked = answer.headers.get("Retry-After", "")
    return float(asked) if asked.isdecimal() else 0.0


def _told(error: requests.RequestException, url: str) -> Exception:
    """Return the error that says in plain words why the server could not be asked: one to try again after, or one for good."""
    text = str(error)
    if isinstance(error, requests.exceptions.SSLError):
        return CatalogError(f"{shown(url)}: the connection is not secure ({_reason(error)}); mend the certificate, or download by hand")
    if isinstance(error, requests.exceptions.ProxyError):
        return CatalogError(f"{shown(url)}: the proxy does not let us through ({_reason(error)}); look at HTTPS_PROXY and HTTP_PROXY")
    if isinstance(error, requests.Timeout):
        return Interrupted(f"the server does not answer within {READ_SECONDS} seconds")
    if isinstance(error, requests.TooManyRedirects):
        return CatalogError(f"{shown(url)}: the server sends us round in circles")
    if "NameResolution" in text or "getaddrinfo" in text or "Failed to resolve" in text:
        return Interrupted("no such host is known; is there a network, and is the name right?")
    if "refused" in text:
        return Interrupted("the connection was refused; is the server up?")
    if isinstance(error, requests.ConnectionError):
        return Interrupted(f"the server cannot be reached ({_reason(error)})")
    return CatalogError(f"{shown(url)}: is not an address that can be fetched ({_reason(error)})")


def _reason(error: BaseException) -> str:
    """Return what the innermost error says: those around it repeat the address, which may hold secrets."""
    while True:
        reason = getattr(error, "reason", None)
        inner = (
            reason if isinstance(reason, BaseException) else next((each for each in error.args if isinstance(each, BaseException)), None)
        )
        if inner is None:
            break
        error = inner
    said = getattr(error, "verify_message", None) or getattr(error, "strerror", None) or str(error)
    return " ".join(said.partition("?")[0].split())[:200]

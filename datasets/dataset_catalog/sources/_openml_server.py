"""The way to OpenML's server for a client that has neither a time limit nor a setting for another server."""

from __future__ import annotations

import json
import os
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit, urlunsplit

from dataset_catalog._errors import CatalogError
from dataset_catalog._progress import Progress, tell_bytes

SECONDS = 60.0
OWN = "https://www.openml.org"
_one_at_a_time = threading.RLock()


def server() -> str:
    """Return the address of the server: ``OPENML_SERVER`` (with or without its ``/api/v1/…``), or OpenML's own."""
    return (os.environ.get("OPENML_SERVER") or OWN).split("/api/")[0].rstrip("/")


@contextmanager
def reaching(what: str, progress: Progress | None) -> Iterator[None]:
    """Let ``urlopen`` reach :func:`server` in place of openml.org, wait ``SECONDS`` at most, and tell failures in one line.

    The client calls ``urlopen``, which can be told so for the whole process alone (``install_opener``): one at a time, and put back after.
    What other threads open meanwhile is opened as it would be anyway.
    """
    with _one_at_a_time:
        before = getattr(urllib.request, "_opener", None)
        urllib.request.install_opener(_Opener(what, progress, before or urllib.request.build_opener()))
        try:
            yield
        finally:
            urllib.request.install_opener(before)  # None means urllib's own


def ask(path: str, key: str, what: str) -> dict[str, Any]:
    """Return what the server's API answers to ``path`` under ``key``; to be called while :func:`reaching` holds."""
    try:
        with urllib.request.urlopen(f"{OWN}/api/v1/json/{path}") as answer:  # noqa: S310
            return dict(json.load(answer)[key])
    except HTTPError:
        raise CatalogError(f"{what}: OpenML has no dataset of that number ({server()})") from None
    except TimeoutError:
        raise CatalogError(f"{what}: {server()} did not answer within {SECONDS:g} seconds; try again later") from None
    except (OSError, HTTPException) as error:
        raise CatalogError(f"{what}: {server()} broke off while answering ({error or type(error).__name__}); try again later") from None
    except (ValueError, TypeError, KeyError):
        raise CatalogError(
            f"{what}: {server()} did not answer as OpenML does; is the network a captive one, or OPENML_SERVER wrong?"
        ) from None


class _Opener(urllib.request.OpenerDirector):
    """Opens what the thread that made it asks for; what other threads ask for, ``usual`` opens."""

    def __init__(self, what: str, progress: Progress | None, usual: urllib.request.OpenerDirector) -> None:
        super().__init__()
        self._what = what
        self._progress = progress
        self._usual = usual
        self._thread = threading.get_ident()
        own: Any = urllib.request.build_opener()  # with this machine's proxies and certificates
        for handler in own.handlers:
            self.add_handler(handler)

    def open(self, fullurl: str | urllib.request.Request, data: Any = None, timeout: float | None = None) -> Any:
        if threading.get_ident() != self._thread:
            return self._usual.open(fullurl, data, timeout)
        request = urllib.request.Request(fullurl) if isinstance(fullurl, str) else fullurl  # noqa: S310
        request.full_url = _moved(request.full_url)
        if urlsplit(request.full_url).scheme not in ("http", "https"):
            raise CatalogError(f"{self._what}: its file lies at {request.full_url}, which is no web address")
        try:
            answer = super().open(request, data, SECONDS)
        except HTTPError as error:
            if error.code == 412:  # OpenML's own way to say that it has no such thing: the client knows it
                raise
            raise CatalogError(f"{self._what}: {server()} answered {error.code} {error.reason}{_advice(error.code)}") from None
        except URLError as error:
            raise CatalogError(f"{self._what}: {server()} cannot be reached ({error.reason}); is the network there?") from None
        except TimeoutError:
            raise CatalogError(f"{self._what}: {server()} did not answer within {SECONDS:g} seconds; try again later") from None
        return answer if "/api/" in request.full_url else _Counted(answer, self._what, self._progress)


def _moved(url: str) -> str:
    """Return ``url`` at the server asked for, when it is one of OpenML's own."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if server() == OWN or not (host == "openml.org" or host.endswith(".openml.org")):
        return url
    there = urlsplit(server())
    return urlunsplit((there.scheme, there.netloc, there.path + parts.path, parts.query, ""))


def _advice(code: int) -> str:
    if code in (401, 403):
        return "; the dataset is private"
    return "; try again later" if code >= 500 or code == 429 else ""


class _Counted:
    """An answer that tells how far it has been read."""

    def __init__(self, answer: Any, what: str, progress: Progress | None) -> None:
        self._answer = answer
        self._what = what
        self._progress = progress
        length = answer.headers.get("Content-Length")
        self._total = int(length) if length and length.isdigit() else None
        self._done = 0

    def read(self, amount: int = -1) -> bytes:
        chunk: bytes = self._answer.read(amount)
        self._done += len(chunk)
        tell_bytes(self._progress, self._what, self._done, self._total if chunk else self._done)
        return chunk

    def info(self) -> Any:
        return self._answer.info()

    def close(self) -> None:
        self._answer.close()

"""Downloads from object stores and other remote places, by fsspec and whatever package it opens them with."""

from __future__ import annotations

import importlib
import logging
from dataclasses import dataclass
from typing import Any

from dataset_catalog._errors import CatalogError
from dataset_catalog._progress import Progress, tell, tell_bytes
from dataset_catalog.sources._part import Origin, Part
from dataset_catalog.sources._patience import ATTEMPTS, Interrupted, persist, shown

# What may be named, and the package that opens it. Chains (``zip::…``) and local protocols are left out: a card may come from anybody.
PACKAGES = {
    **dict.fromkeys(("s3", "s3a"), "s3fs"),
    **dict.fromkeys(("gs", "gcs"), "gcsfs"),
    **dict.fromkeys(("abfs", "abfss", "az"), "adlfs"),
    "oci": "ocifs",
    "hdfs": "pyarrow",
    **dict.fromkeys(("sftp", "ssh"), "paramiko"),
    "ftp": "fsspec",
}
_EXTRA = frozenset({"s3fs", "gcsfs"})
# Attempts of ours on top of the packages' own, which take seconds (s3fs) or half a minute (gcsfs) and cannot be told otherwise.
_OURS = {"s3fs": 2, "gcsfs": 1}
_PIECE = 8 << 20
_TAGS = ("ETag", "etag", "generation", "md5Hash", "LastModified", "last_modified", "mtime", "modified", "updated")
_OPTIONS: dict[str, dict[str, Any]] = {
    "s3fs": {"config_kwargs": {"connect_timeout": 10, "read_timeout": 60, "retries": {"max_attempts": 2}}},
}
_ANONYMOUS: dict[str, dict[str, Any]] = {"s3fs": {"anon": True}, "gcsfs": {"token": "anon"}}


def fetch_remote(url: str, part: Part, what: str, *, known: int | None, progress: Progress | None) -> None:
    """Fill ``part`` with all of ``url``, going on with what is there when it is still the beginning of the same content.

    ``known`` is the size that it must have. Places that want credentials and have none are asked without. Raises :class:`CatalogError`
    when the package for the protocol is missing, the place cannot be reached or refuses, or the object has another size.
    """
    download = _Download(url, part, what, known, progress)
    persist(download.step, reached=lambda: part.size, url=url, attempts=_OURS.get(_package(url) or "", ATTEMPTS))


@dataclass
class _Download:
    url: str
    part: Part
    what: str
    known: int | None
    progress: Progress | None
    place: Any = None
    path: str = ""

    def step(self) -> None:
        """Read to the end, and see that the object is the same then as at the beginning."""
        if self.place is None:
            self.place, self.path = _opened(self.url, anonymous=False)
        now = self._facts()
        begun = self.part.origin(self.url)
        if begun != now or now.tag is None:
            self.part.begin(now)
        elif self.part.size < (now.total or 0):
            tell(self.progress, f"going on with {self.what} after {self.part.size / 1e6:.1f} MB")
        self._read(now.total or 0)
        if self._facts() != now:
            self.part.drop()
            raise Interrupted("the object changed while it was read")
        tell_bytes(self.progress, self.what, self.part.size, self.part.size)

    def _read(self, total: int) -> None:
        with self.part.append() as stream:
            done = self.part.size
            while done < total:
                try:
                    piece = self.place.cat_file(self.path, start=done, end=min(done + _PIECE, total))
                except Exception as error:  # any package may stand behind fsspec, with errors of its own
                    raise _told(error, self.url) from None
                if not piece:
                    raise Interrupted(f"the object ends after {done} of {total} bytes")
                stream.write(piece)
                stream.flush()
                done += len(piece)
                tell_bytes(self.progress, self.what, min(done, total - 1), total)

    def _facts(self) -> Origin:
        """Return what the object is known by now."""
        try:
            found = self._info()
        except Exception as error:  # as above
            raise _told(error, self.url) from None
        if found.get("type") == "directory":
            raise CatalogError(f"{shown(self.url)}: is a folder; name a file in it")
        size = found.get("size")
        if size is None:
            raise CatalogError(f"{shown(self.url)}: the place does not say how long the file is; download it by hand")
        if self.known is not None and size != self.known:
            raise CatalogError(f"{shown(self.url)}: holds {size} bytes, {self.known} were expected; it is another file")
        tags = [str(found[key]) for key in _TAGS if found.get(key)]
        return Origin.of(self.url, tags[0] if tags else None, int(size))

    def _info(self) -> dict[str, Any]:
        self.place.invalidate_cache()
        try:
            found: dict[str, Any] = self.place.info(self.path)
        except Exception as error:
            if "Credentials" not in type(error).__name__:
                raise
            self.place, self.path = _opened(self.url, anonymous=True)  # public places need none
            found = self.place.info(self.path)
        return found


def _package(url: str) -> str | None:
    return PACKAGES.get(url.partition("://")[0].lower())


def _opened(url: str, *, anonymous: bool) -> tuple[Any, str]:
    import fsspec

    protocol = url.partition("://")[0].lower()
    package = _package(url)
    if package is None or "::" in url:
        raise CatalogError(f"{shown(url)}: addresses of this kind are not opened; http, https, {', '.join(PACKAGES)} are")
    # gcsfs logs a traceback before it raises; what it raises is told in one line here
    logging.getLogger("gcsfs").setLevel(logging.CRITICAL)
    try:
        importlib.import_module(package)
        options = _OPTIONS.get(package, {}) | (_ANONYMOUS.get(package, {}) if anonymous else {})
        place, path = fsspec.core.url_to_fs(url, skip_instance_cache=True, **options)
    except ImportError:
        wanted = "'motherlode[cloud]'" if package in _EXTRA else package
        raise CatalogError(f"{shown(url)}: {protocol}:// needs the package {package}; install {wanted} with pip") from None
    except Exception as error:  # as above
        raise _told(error, url) from None
    return place, path


def _told(error: Exception, url: str) -> Exception:
    """Return the error that says in plain words what went wrong: one to try again after, or one for good."""
    kind, text = type(error).__name__, " ".join(str(error).split())[:200]
    if isinstance(error, FileNotFoundError) or "404" in text or "NoSuchBucket" in text:
        return CatalogError(f"{shown(url)}: there is no such object")
    if isinstance(error, PermissionError) or "Credentials" in kind or "Forbidden" in text or "401" in text or "RefreshError" in kind:
        return CatalogError(f"{shown(url)}: access is denied ({text or kind}); set the credentials that the place's own tools use")
    if isinstance(error, OSError | TimeoutError) or "Connection" in kind or "Endpoint" in kind or "Timeout" in kind or "Client" in kind:
        return Interrupted(f"the place cannot be read ({text or kind})")
    return CatalogError(f"{shown(url)}: cannot be opened ({kind}: {text})")

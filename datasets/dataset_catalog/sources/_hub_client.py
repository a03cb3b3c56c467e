"""One repository of the Hugging Face Hub at one commit: what it holds, and its files, checked by the hashes that the Hub states."""

from __future__ import annotations

import dataclasses
import hashlib
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dataset_catalog._errors import CatalogError
from dataset_catalog._progress import Progress, tell_bytes
from dataset_catalog.sources._digests import sha256_of
from dataset_catalog.sources._hub_faults import hub_fault

_HUB = "https://huggingface.co"
_SECONDS = 30.0


@dataclass(frozen=True)
class HubFile:
    """One file as the Hub lists it: bytes, and a SHA-256 (large files) or git's own hash of it (small ones)."""

    size: int | None
    sha256: str | None
    git: str | None

    def holds(self, path: Path) -> bool:
        """Return whether the file at ``path`` is this one."""
        size = path.stat().st_size
        if self.size is not None and size != self.size:
            return False
        if self.sha256 is not None:
            return sha256_of(path) == self.sha256
        with path.open("rb") as stream:
            if self.git is not None:
                digest = hashlib.sha1(b"blob %d\0" % size)  # noqa: S324 - what git calls the file by
                while piece := stream.read(1 << 20):
                    digest.update(piece)
                return digest.hexdigest() == self.git
        return True


@dataclass(frozen=True)
class Repository:
    """A dataset's repository at ``commit``: its ``files`` by path and the header of its README (``card``)."""

    name: str
    commit: str
    files: Mapping[str, HubFile]
    card: Mapping[str, Any]
    tags: tuple[str, ...]
    citation: str | None

    @property
    def configs(self) -> Sequence[Mapping[str, Any]]:
        """Return the configurations that the README declares."""
        declared = self.card.get("configs")
        return [each for each in declared if isinstance(each, Mapping)] if isinstance(declared, list) else []

    @property
    def title(self) -> str | None:
        """Return the README's name for people."""
        name = self.card.get("pretty_name")
        return " ".join(name.split()) if isinstance(name, str) and name.strip() else None

    def at(self, other: Repository) -> Repository:
        """Return this repository's description with the commit and files of ``other``, a branch of it."""
        return dataclasses.replace(self, commit=other.commit, files=other.files)

    def download(self, path: str, folder: Path, what: str, progress: Progress | None) -> Path:
        """Download one file under ``folder`` with the Hub's client, and check it; what is there already is not fetched again."""
        from huggingface_hub import hf_hub_download

        for last in (False, True):
            with _told(what), _quiet():
                there = hf_hub_download(
                    self.name,
                    path,
                    repo_type="dataset",
                    revision=self.commit,
                    cache_dir=folder,
                    endpoint=_endpoint(),
                    library_name="motherlode",
                    tqdm_class=_bar(f"{what} {path}", progress),
                    force_download=last,
                )
            if self.files[path].holds(Path(there)):
                return Path(there)
        Path(there).resolve().unlink(missing_ok=True)
        raise CatalogError(f"{what}: {path} as fetched differs from the hash that the Hub states; it was thrown away, try again later")


def look_up(name: str, revision: str | None, what: str) -> Repository:
    """Return the repository of the dataset ``name`` at ``revision`` (the newest commit when None). Raises :class:`CatalogError`."""
    with _told(what):
        return _repository(name, revision, what)


def look_up_branch(name: str, branch: str, what: str) -> Repository | None:
    """Return the repository of the dataset ``name`` at ``branch``, or None when it has no such branch. Raises :class:`CatalogError`."""
    from huggingface_hub.errors import RevisionNotFoundError

    with _told(what):
        try:
            return _repository(name, branch, what)
        except RevisionNotFoundError:
            return None


def _repository(name: str, revision: str | None, what: str) -> Repository:
    from huggingface_hub import HfApi

    api = HfApi(endpoint=_endpoint(), library_name="motherlode")
    info = api.dataset_info(name, revision=revision, files_metadata=True, timeout=_SECONDS)
    if info.disabled or not info.sha:
        raise CatalogError(f"{what}: Hugging Face has disabled this dataset")
    header = info.card_data.to_dict() if info.card_data is not None else {}
    files = {each.rfilename: HubFile(each.size, each.lfs.sha256 if each.lfs else None, each.blob_id) for each in info.siblings or ()}
    return Repository(info.id or name, info.sha, files, header, tuple(info.tags or ()), info.citation)


@contextmanager
def _told(what: str) -> Iterator[None]:
    """Tell every fault of the Hub's client, which has errors of many kinds, in one line."""
    try:
        yield
    except CatalogError:
        raise
    except Exception as error:
        raise CatalogError(hub_fault(what, error, _endpoint() or _HUB)) from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the client from writing each of its attempts to the terminal: what comes of them is told in one line."""
    log = logging.getLogger("huggingface_hub")
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(before)


def _endpoint() -> str | None:
    """Return ``HF_ENDPOINT`` as it is now: the client reads it once, when it is imported."""
    return (os.environ.get("HF_ENDPOINT") or "").rstrip("/") or None


def _bar(name: str, progress: Progress | None) -> Any:
    """Return a class of progress bar that draws nothing, and tells ``progress``."""
    from tqdm import tqdm

    class Bar(tqdm):  # type: ignore[misc]
        def __init__(self, *_: Any, total: int | None = None, initial: int = 0, **__: Any) -> None:
            super().__init__(disable=True)
            self._whole, self._here = total, initial

        def update(self, n: float | None = 1) -> bool | None:
            self._here += int(n or 0)
            tell_bytes(progress, name, self._here, self._whole)
            return None

    return Bar

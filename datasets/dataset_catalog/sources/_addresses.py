"""Short addresses of datasets: what is typed at a command to a source and its loader."""

from __future__ import annotations

import re
from typing import Literal
from urllib.parse import parse_qs, urlsplit

from dataset_catalog._cards import Loader
from dataset_catalog._errors import CatalogError

Source = Literal["packaged", "file", "openml", "huggingface", "ludwig"]
ADDRESSES = "openml:ID, hf:OWNER/NAME[/CONFIG][@REVISION], ludwig:NAME, or a URL (https://, s3://, gs://)"
_SHORT = {"openml": "openml", "hf": "huggingface", "huggingface": "huggingface", "ludwig": "ludwig"}
_NAME = re.compile(r"[A-Za-z0-9](?:[\w.-]*\w)?")  # as the Hub and Ludwig's zoo name what they hold


def parse_address(text: str) -> tuple[Source, Loader] | None:
    """Return the source and the loader that the address ``text`` names, or None when it is no address but a path or a dataset's name.

    Addresses are ``openml:ID``, ``hf:NAME`` or ``hf:OWNER/NAME`` (perhaps with ``/CONFIG`` after the owner and name, and
    ``@REVISION``: a branch, tag or commit), ``ludwig:NAME``, the pages of a dataset at OpenML and Hugging Face as a browser shows them, and
    any other URL, which is that of a file. Nothing is looked up. Raises :class:`CatalogError` for an address that cannot be one.
    """
    text = text.strip()
    scheme, colon, rest = text.partition(":")
    scheme = scheme.lower()
    if not colon or len(scheme) < 2 or not re.fullmatch(r"[a-z][a-z0-9+.-]*", scheme):
        return None
    if scheme == "ludwig":
        rest = rest.removeprefix("//")  # as Ludwig itself writes it
    if scheme in _SHORT and not rest.startswith("//"):
        return _SERVICES[_SHORT[scheme]](rest, text)
    if not rest.startswith("//"):
        return None
    if not rest.strip("/"):
        raise CatalogError(f"{text}: the address ends after its scheme; addresses are {ADDRESSES}")
    return _page(text) or ("file", Loader(url=text))


def _page(text: str) -> tuple[Source, Loader] | None:
    """Read the address of a dataset's page, which somebody copied from a browser."""
    parts = urlsplit(text)
    host = (parts.hostname or "").removeprefix("www.")
    steps = [step for step in parts.path.split("/") if step]
    if host == "openml.org":
        if len(steps) == 2 and steps[0] == "d":
            return _openml(steps[1], text)
        asked = parse_qs(parts.query)
        if steps == ["search"] and asked.get("type") == ["data"] and asked.get("id"):
            return _openml(asked["id"][0], text)
    if host in ("huggingface.co", "hf.co") and steps[:1] == ["datasets"]:
        name, after = "/".join(steps[1:3]), steps[3:]
        if not after or after[0] == "viewer":
            return _huggingface("/".join([name, *after[1:2]]), text)
        if after[0] == "tree" and len(after) == 2:
            return _huggingface(f"{name}@{after[1]}", text)
    return None


def _openml(rest: str, text: str) -> tuple[Source, Loader]:
    if not re.fullmatch(r"[0-9]{1,9}", rest) or int(rest) == 0:
        raise CatalogError(f"{text}: OpenML's datasets are named by their number, as in openml:61 (it stands on the dataset's page)")
    return "openml", Loader(data_id=int(rest))


def _huggingface(rest: str, text: str) -> tuple[Source, Loader]:
    where, at, revision = rest.partition("@")
    steps = where.split("/")
    if len(steps) > 3 or not all(_NAME.fullmatch(step) for step in steps) or (at and not re.fullmatch(r"[\w./-]+", revision)):
        raise CatalogError(f"{text}: an address at Hugging Face is hf:OWNER/NAME[/CONFIG][@REVISION], as in hf:stanfordnlp/imdb")
    config = steps[2] if len(steps) == 3 else None
    return "huggingface", Loader(dataset="/".join(steps[:2]), config=config, revision=revision or None)


def _ludwig(rest: str, text: str) -> tuple[Source, Loader]:
    if not _NAME.fullmatch(rest):
        raise CatalogError(f"{text}: a dataset of Ludwig's zoo is one name, as in ludwig:adult_census_income")
    return "ludwig", Loader(dataset=rest)


_SERVICES = {"openml": _openml, "huggingface": _huggingface, "ludwig": _ludwig}

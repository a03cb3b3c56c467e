"""Readers of the text datasets' own formats. Each gives a column ``text`` and, where the member holds one, a column with the class."""

from __future__ import annotations

import csv
import email
import email.message
import gzip
import io
import json
import re
from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from dataset_catalog._cards import Loader
from dataset_catalog.reading import read_within_room

_SWALLOWED = re.compile(r"\n(ham|spam)\t")
_TAG = re.compile(r"<[^>]+>")
_LEXNAME = re.compile(r"^(\d\d)\t((?:noun|verb|adj|adv)\.\w+)", re.MULTILINE)
_ENCODED = ("quoted-printable", "base64")


def orange(content: bytes, loader: Loader) -> pd.DataFrame:
    """Read Orange's tab-separated tables: two lines of types and flags follow the header."""
    frame: pd.DataFrame = pd.read_csv(
        io.BytesIO(content),
        sep="\t",
        skiprows=[1, 2],
        dtype=str,
        keep_default_na=False,
        na_values=[""],
        encoding=loader.encoding,
    )
    return frame


def lines(content: bytes, loader: Loader) -> pd.DataFrame:
    """Read one text a line; empty lines are none."""
    return _texts(line for line in content.decode(loader.encoding).split("\n") if line)


def messages(content: bytes, loader: Loader) -> pd.DataFrame:
    """Read the SMS Spam Collection as its CSV copy has it: columns ``spam`` (0 or 1) and ``text``.

    A quotation mark that was never closed made some cells swallow the lines that follow in the original: they are parted again, each at
    its own ``ham`` or ``spam``.
    """
    frame = pd.read_csv(io.BytesIO(content), encoding=loader.encoding, keep_default_na=False)
    rows = []
    for spam, text in zip(frame["spam"], frame["text"], strict=True):
        first, *others = _SWALLOWED.split(text)
        rows += [("spam" if spam else "ham", first), *zip(others[::2], others[1::2], strict=True)]
    return pd.DataFrame(rows, columns=["kind", "text"])


def questions(content: bytes, loader: Loader) -> pd.DataFrame:
    """Read ``TYPE:subtype question`` lines; a line that repeats an earlier one is left out."""
    distinct = dict.fromkeys(line.strip() for line in content.decode(loader.encoding).splitlines() if line.strip())
    parted = [line.partition(" ") for line in distinct]
    return pd.DataFrame([(label.partition(":")[0], text) for label, _, text in parted], columns=["type", "text"])


def ratings(content: bytes, loader: Loader) -> pd.DataFrame:
    """Read tab-separated texts with a mean human rating; the class is its sign, and where it is 0 there is none."""
    frame = pd.read_csv(io.BytesIO(content), sep="\t", quoting=csv.QUOTE_NONE, keep_default_na=False, encoding=loader.encoding)
    frame = frame[frame["sentiment"] != 0]
    return frame.assign(sentiment=np.where(frame["sentiment"] > 0, "pos", "neg"))[["text", "sentiment"]]


def packages(content: bytes, loader: Loader) -> pd.DataFrame:
    """Read a list of Debian packages: the first line of each description, and the section."""
    rows: list[dict[str, str]] = [{}]
    for line in content.decode(loader.encoding, "replace").split("\n"):
        name, _, value = line.partition(": ")
        if not line:
            rows.append({})
        elif name in ("Description", "Section"):
            rows[-1][name] = value.strip()
    return pd.DataFrame([row for row in rows if row], columns=["Description", "Section"])


def mails(found: Mapping[str, bytes]) -> pd.DataFrame:
    """Read e-mails, each a JSON document whose ``text`` is the whole message: its subject, and its first text part without HTML tags."""
    return _texts(_mail(json.loads(content)["text"]) for content in found.values())


def _mail(text: str) -> str:
    message = email.message_from_string(text)
    part = next((each for each in message.walk() if each.get_content_maintype() == "text" and not each.is_multipart()), None)
    return f"{message.get('Subject') or ''}\n{_TAG.sub(' ', _body(part)) if part is not None else ''}"


def _body(part: email.message.Message) -> str:
    """Return a part's text. What was not encoded for transport is text already: the JSON document has decoded it."""
    if str(part.get("Content-Transfer-Encoding", "")).strip().lower() not in _ENCODED:
        return str(part.get_payload())
    content = part.get_payload(decode=True)
    if not isinstance(content, bytes):
        return ""
    try:
        return content.decode(part.get_content_charset() or "utf-8", "replace")
    except LookupError:  # a character set that is none
        return content.decode("latin-1")


def glosses(found: Mapping[str, bytes]) -> pd.DataFrame:
    """Read WordNet's data files: each synset's gloss, and the name of its lexicographer file, which the page lexnames(5WN) lists."""
    packed, page = next((content, name) for name, content in found.items() if "lexnames" in name)
    manual = read_within_room(gzip.GzipFile(fileobj=io.BytesIO(packed)), page)
    names = dict(_LEXNAME.findall(manual.decode("utf-8")))
    rows = []
    for name, content in found.items():
        if "lexnames" in name:
            continue
        for line in content.decode("utf-8").splitlines():
            head, bar, gloss = line.partition("| ")
            if bar and not line.startswith("  "):
                rows.append((gloss.strip(), names[head.split(" ", 2)[1]]))
    return pd.DataFrame(rows, columns=["text", "lexname"])


def _texts(texts: Iterable[str]) -> pd.DataFrame:
    return pd.DataFrame({"text": pd.Series(list(texts), dtype=object)})

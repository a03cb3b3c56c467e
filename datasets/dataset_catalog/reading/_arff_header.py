"""The header of an ARFF file: names and kinds of its columns, with Weka's quotes, escapes and date patterns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["number", "nominal", "text", "date"]

QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_ATTRIBUTE = re.compile(rf"@attribute\s+(?P<name>{QUOTED}|[^\s{{]+)\s*(?P<kind>.*)", re.IGNORECASE | re.DOTALL)
_VALUE = re.compile(rf"\s*(?P<value>{QUOTED}|[^,'\"]*?)\s*(?:,|$)", re.DOTALL)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_NUMBERS = frozenset({"numeric", "real", "integer"})
_DEFAULT_DATE = "yyyy-MM-dd'T'HH:mm:ss"
_DATE_PARTS = {
    "yyyy": "%Y", "yy": "%y", "y": "%Y", "MMMM": "%B", "MMM": "%b", "MM": "%m", "M": "%m", "dd": "%d", "d": "%d", "EEE": "%a", "EEEE": "%A",
    "HH": "%H", "H": "%H", "hh": "%I", "h": "%I", "a": "%p", "mm": "%M", "m": "%M", "ss": "%S", "s": "%S", "SSS": "%f",
    "Z": "%z", "X": "%z", "XXX": "%z",
}  # fmt: skip

_DATE_PIECE = re.compile(r"'(?P<quoted>[^']*)'|(?P<letters>(?P<one>[A-Za-z])(?P=one)*)|(?P<other>[^A-Za-z'])")


@dataclass(frozen=True)
class Attribute:
    """One column: a nominal one has its ``levels``, a date its ``pattern`` as :meth:`datetime.datetime.strptime` takes it."""

    name: str
    kind: Kind
    levels: tuple[str, ...] = ()
    pattern: str = ""


def parse_attribute(line: str) -> Attribute:
    """Read one ``@attribute`` line; raise ``ValueError`` with what is wrong with it."""
    match = _ATTRIBUTE.fullmatch(line.strip())
    if match is None:
        raise ValueError("is no attribute: @attribute NAME KIND")
    name, kind = unquoted(match["name"]), match["kind"].strip()
    if kind.startswith("{"):
        if not kind.endswith("}"):
            raise ValueError(f"opens the list of values of {name!r} and does not close it")
        return Attribute(name, "nominal", levels=_levels(kind[1:-1]))
    word, _, rest = kind.partition(" ")
    word = word.strip().lower()
    if word in _NUMBERS:
        return Attribute(name, "number")
    if word == "string":
        return Attribute(name, "text")
    if word == "date":
        return Attribute(name, "date", pattern=_date_pattern(unquoted(rest.strip()) or _DEFAULT_DATE))
    if word == "relational":
        raise ValueError(f"makes {name!r} relational, a table within a cell: that has no place in a table")
    raise ValueError(f"gives {name!r} the kind {word or 'of nothing'!r}; kinds are numeric, real, integer, string, date and {{a, b}}")


def unquoted(token: str) -> str:
    """Return what a token stands for: without its quotes, with its escapes resolved."""
    if len(token) >= 2 and token[0] in "'\"" and token[-1] == token[0]:
        token = token[1:-1]
        return _ESCAPE.sub(_resolved, token) if "\\" in token else token
    return token


def _resolved(match: re.Match[str]) -> str:
    found = match[1]
    return chr(int(found[1:], 16)) if len(found) == 5 else _ESCAPES.get(found, found)


def _levels(text: str) -> tuple[str, ...]:
    levels, position = [], 0
    while position < len(text):
        match = _VALUE.match(text, position)
        if match is None:
            raise ValueError(f"has a list of values that cannot be read from {text[position : position + 20]!r}")
        levels.append(unquoted(match["value"]))
        if match.end() == position:
            break
        position = match.end()
    return tuple(levels)


def _date_pattern(java: str) -> str:
    """Translate a pattern of Java's ``SimpleDateFormat``, which is what ARFF names dates by."""
    answer = []
    for match in _DATE_PIECE.finditer(java):
        letters = match["letters"]
        if letters and letters not in _DATE_PARTS:
            raise ValueError(f"has a date pattern with {letters!r}, which is not known here")
        if letters and _DATE_PARTS[letters] in answer:
            raise ValueError(f"has a date pattern with {letters!r} twice")
        answer.append(_DATE_PARTS[letters] if letters else (match["quoted"] or match["other"] or "").replace("%", "%%"))
    return "".join(answer)

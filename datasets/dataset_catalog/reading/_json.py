"""JSON lines, and a JSON list of objects, to a table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from dataset_catalog._errors import CatalogError

_NAMES = frozenset({".jsonl", ".ndjson", ".json"})
_TOO_LONG = "a whole number of thousands of digits"


def is_json(text: str, path: Path) -> bool:
    """Return whether ``text`` is JSON by its beginning, or by the file's name."""
    names = [suffix.lower() for suffix in path.suffixes]
    return bool(_NAMES & set(names[-2:])) or text.lstrip().startswith(("{", "[{"))


def read_json(text: str, path: Path) -> pd.DataFrame:
    """Read one object a line, or one list of objects; a key that an object lacks is a missing cell, nested values stay what they are.

    Raises :class:`CatalogError` with the line that is at fault.
    """
    records = _listed(text, path) if text.lstrip().startswith("[") else _lines(text, path)
    names = list(dict.fromkeys(name for record in records for name in record))
    columns = [pd.Series([record.get(name) for record in records], dtype=object) for name in names]
    frame = pd.DataFrame(dict(enumerate(columns)))
    frame.columns = pd.Index(names, dtype=object)
    return frame


def _listed(text: str, path: Path) -> list[dict[str, Any]]:
    try:
        records = json.loads(text, object_pairs_hook=_distinct)
    except json.JSONDecodeError as error:
        raise CatalogError(f"{path}: line {error.lineno} is not JSON ({error.msg})") from None
    except _Repeated as error:
        raise CatalogError(f"{path}: an object has the key {error.args[0]!r} twice") from None
    except RecursionError:
        raise CatalogError(f"{path}: the JSON is nested too deeply to be a table") from None
    except ValueError:  # Python parses no longer one
        raise CatalogError(f"{path}: holds {_TOO_LONG}; write it as text") from None
    if not all(isinstance(record, dict) for record in records):
        raise CatalogError(f"{path}: a JSON table is a list of objects, one a row")
    return list(records)


def _lines(text: str, path: Path) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = []
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")  # splitlines() parts at characters that JSON allows within text
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line, object_pairs_hook=_distinct)
        except _Repeated as error:
            raise CatalogError(f"{path}: line {number} has the key {error.args[0]!r} twice") from None
        except (json.JSONDecodeError, RecursionError):
            raise CatalogError(f"{path}: {_why(text, number)}") from None
        except ValueError:  # Python parses no longer one
            raise CatalogError(f"{path}: line {number} holds {_TOO_LONG}; write it as text") from None
        if not isinstance(record, dict):
            raise CatalogError(f"{path}: line {number} is not a JSON object; JSON lines hold one object a line")
        records.append(record)
    return records


class _Repeated(Exception):  # noqa: N818 - never leaves this module
    """A key stands twice in one object."""


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        raise _Repeated(next(key for key, _ in pairs if key in seen or seen.add(key)))  # type: ignore[func-returns-value]
    return found


def _why(text: str, number: int) -> str:
    """Tell a document that spreads one object over several lines from a line that is at fault."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return f"line {number} is not JSON; JSON lines hold one object a line"
    what = f"one object with the keys {', '.join(list(whole)[:5])}" if isinstance(whole, dict) else "one value"
    return f"the JSON document is {what}, not a table; a JSON table is a list of objects, or one object a line"

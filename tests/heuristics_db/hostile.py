"""Mutated exports and documents: bytes that flip, tokens that repeat, values of the wrong kind, size or sense, at random places."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

from heuristics_db._canonical import hash_of, rewritten

VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    1.0,
    0.5,
    -0.0,
    5e-324,
    1.7976931348623157e308,
    float("nan"),
    float("inf"),
    2**63,
    -(2**64),
    10**400,
    "",
    "staging",
    "0" * 64,
    "../../../etc/passwd",
    "/etc/passwd",
    "a/b\\c",
    "'; DROP TABLE versions; --",
    "{0.__class__}",
    "%s%n",
    "!!python/object/apply:os.system ['true']",
    "__import__('os').abort()",
    "\x00",
    "\x1b[2J\x1b]0;x\x07",
    "line\nbreak\r\u2028",
    "\u202egnal",
    "\ud800",
    "🪙" * 50,
    "n" * 5000,
    [],
    {},
    [[]],
    [None],
    {"": None},
    {"name": "\x1b[31m"},
    {"kind": "float", "low": 1, "high": 0},
    {"kind": "int", "low": 1, "high": 10**30, "log": True},
    {"kind": "categorical", "choices": [0, False, None, "", 0.0]},
    {"kind": "pickle"},
    {"format": "motherlode heuristics version"},
    [0] * 200,
)
TOKENS = (
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b'"',
    b"null",
    b"1e999",
    b"-",
    b"\\u0000",
    b"\\ud800",
    b"\xff",
    b"\x00",
    b"NaN",
    b"[" * 3000,
    b"9" * 5000,
)


def mutants(originals: list[bytes], *, seed: int, count: int) -> Iterator[bytes]:
    """Yield ``count`` altered copies, the same ones for the same seed; every fifth is altered as bytes, the rest as JSON.

    Of those, most exports get the hashes of their new content, as a stranger with some patience would give them.
    """
    source = random.Random(seed)
    plain = [json.loads(each) for each in originals]
    for number in range(count):
        if number % 5 == 0:
            yield _altered_bytes(source, source.choice(originals))
        else:
            data = json.loads(source.choice(originals))
            for _ in range(source.choice((1, 1, 1, 2, 3))):
                data = _altered(source, data, plain)
            yield json.dumps(_signed(data) if source.random() < 0.8 else data).encode()


def _signed(data: Any) -> Any:
    """Give an altered export the version and the checksum of what it holds now, where it can have one."""
    if not (isinstance(data, dict) and isinstance(data.get("document"), dict)):
        return data
    try:
        version = hash_of(rewritten(data["document"]))
        records = data.get("validations")
        for record in records if isinstance(records, list) else ():
            if isinstance(record, dict) and record.get("version") == data.get("version"):
                record["version"] = version
        data["version"] = version
        if data.get("format_version") == 2:
            data["checksum"] = hash_of(rewritten({name: value for name, value in data.items() if name != "checksum"}))
    except ValueError:  # what is no JSON has no hash
        pass
    return data


def _altered_bytes(source: random.Random, data: bytes) -> bytes:
    for _ in range(source.choice((1, 1, 2, 4))):
        start = source.randrange(len(data) + 1)
        end = min(len(data), start + source.choice((0, 0, 1, 1, 2, 8, 200, len(data))))
        piece = source.choice((b"", source.choice(TOKENS), bytes([source.randrange(256)]), data[start:end] * 2, data[end : end + 50]))
        data = data[:start] + piece + data[end:]
    return data


def _altered(source: random.Random, data: Any, others: list[Any]) -> Any:
    """Alter one place, found by walking down at random; return the whole."""
    whole, container, key = data, None, None
    while isinstance(data, dict | list) and data and (container is None or source.random() < 0.94):
        container, key = data, source.choice(list(data) if isinstance(data, dict) else range(len(data)))
        data = container[key]
    if container is None or source.random() < 0.001:
        return copy.deepcopy(source.choice(VALUES))
    what = source.random()
    if what < 0.6:
        container[key] = copy.deepcopy(source.choice(VALUES))
    elif what < 0.7:
        del container[key]
    elif what < 0.8 and isinstance(container, dict):
        container[source.choice([value for value in VALUES if isinstance(value, str)])] = copy.deepcopy(data)
    elif what < 0.9 and isinstance(container, list):
        container.append(copy.deepcopy(data))
    else:
        container[key] = copy.deepcopy(source.choice(others))
    return whole

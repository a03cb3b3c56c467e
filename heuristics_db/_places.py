"""How messages write a place in a document and a value: in one line, by the names that people use, whatever a stranger's file holds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

LONGEST_VALUE = 80
LONGEST_LINE = 400

UNNAMED = frozenset({"modalities", "model_types", "tasks", "space", "hyperparameters", "configuration"})
"""Containers that a place leaves out: ``tabular.tabnet.trainer.learning_rate`` says all."""


def figure(value: Any) -> str:
    """Return ``value`` as a message shows it: JSON in one line, floats in their shortest exact form, long ones cut."""
    if isinstance(value, float):
        return repr(value).replace("e-0", "e-").replace("e+0", "e+")
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):  # a whole number of thousands of digits, or what JSON does not know
        text = f"a {type(value).__name__}"
    return shortened(one_line(text), LONGEST_VALUE)


def interval(low: float, high: float) -> str:
    """Return both ends of a range in brackets."""
    return f"[{figure(low)}, {figure(high)}]"


def one_line(text: str) -> str:
    """Return ``text`` without what would end a line, move a terminal's cursor or change its colours."""
    return "".join(letter if letter.isprintable() else "\ufffd" if letter >= "\ud800" else f"\\x{ord(letter):02x}" for letter in text)


def shortened(text: str, longest: int = LONGEST_LINE) -> str:
    """Return ``text`` with at most ``longest`` characters."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def place_of(data: Any, path: Sequence[str | int]) -> str:
    """Return the place that ``path`` (keys and positions) leads to in ``data``, as invariants, comparisons and explanations write it.

    Parts that ``data`` does not have are left out, unless they are the last: pydantic names the member of a union that it tried.
    """
    told = ""
    inside = bool(path) and path[0] == "modalities"
    for position, part in enumerate(path):
        deeper = _inner(data, part)
        if deeper is _NOWHERE and (position < len(path) - 1 or (isinstance(data, dict) and data.get("kind") == part)):
            continue
        name = deeper.get("name") if isinstance(deeper, dict) else None
        if isinstance(part, int):
            told += f".{name}" if inside and isinstance(name, str) else f"[{name if isinstance(name, str) else part}]"
        elif not (inside and part in UNNAMED and position < len(path) - 1):
            told += f".{part}"
        data = deeper
    return shortened(one_line(told.removeprefix("."))) or "the whole"


_NOWHERE: Any = object()


def _inner(data: Any, part: str | int) -> Any:
    if isinstance(data, dict):
        return data.get(part, _NOWHERE)
    if isinstance(data, list) and isinstance(part, int) and part < len(data):
        return data[part]
    return _NOWHERE

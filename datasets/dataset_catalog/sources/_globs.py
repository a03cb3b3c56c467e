"""Patterns of file names that anybody may have written, matched in time that no pattern can draw out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dataset_catalog._errors import CatalogError

_LONGEST = 500
_STEPS = re.compile(r"((?:\*\*/)+|\*\*+|\*|\?|\[[^\]]+\])")

Steps = Sequence[str | re.Pattern[str]]


def glob_steps(pattern: str, what: str) -> Steps:
    """Part a glob into steps: ``**`` crosses folders, ``*`` and ``?`` do not, ``[!…]`` is all but these; the rest is text.

    Raises :class:`CatalogError` naming ``what`` for sets of characters that are none, and for more than 500 characters.
    """
    if len(pattern) > _LONGEST:
        raise CatalogError(f"{what}: its README names files by a pattern of {len(pattern)} characters; {_LONGEST} are the most")
    try:
        return [_step(part) for part in _STEPS.split(pattern.removeprefix("./")) if part]
    except re.error:
        raise CatalogError(f"{what}: its README names files by {pattern!r}, which is no pattern of names") from None


def _step(part: str) -> str | re.Pattern[str]:
    if part.startswith("[") and part.endswith("]"):
        return re.compile(part.replace("[!", "[^", 1))
    return ("**/" if part.endswith("/") else "**") if part.startswith("**") else part


def glob_matches(steps: Steps, name: str) -> bool:
    """Return whether the whole of ``name`` is as ``steps`` say: all places that can be reached, step by step, with nothing tried twice."""
    places = {0}
    for step in steps:
        places = _reached(step, name, places)
        if not places:
            return False
    return len(name) in places


def _reached(step: str | re.Pattern[str], name: str, places: set[int]) -> set[int]:
    if isinstance(step, re.Pattern):
        return {place + 1 for place in places if step.match(name, place)}
    if step == "?":
        return {place + 1 for place in places if place < len(name) and name[place] != "/"}
    if step == "*":
        return _within_folders(name, places)
    if step in ("**", "**/"):
        onward = range(min(places), len(name) + 1)
        return set(onward) if step == "**" else places | {place for place in onward[1:] if name[place - 1] == "/"}
    return {place + len(step) for place in places if name.startswith(step, place)}


def _within_folders(name: str, places: set[int]) -> set[int]:
    """Return ``places`` and all after each of them up to the end of its folder's or file's name."""
    reached, inside = set(), False
    for place in range(len(name) + 1):
        inside = place in places or (inside and name[place - 1] != "/")
        if inside:
            reached.add(place)
    return reached

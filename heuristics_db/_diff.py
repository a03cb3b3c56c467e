"""Where two heuristics documents differ, by the names of their parts rather than by line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heuristics_db._document import HeuristicsDocument
from heuristics_db._records import Difference

ABSENT: Any = object()


def diff_documents(before: HeuristicsDocument, after: HeuristicsDocument) -> list[Difference]:
    """Return the differences, ordered by path; empty exactly when the documents have the same content.

    Hyperparameters and datasets are matched by name, seeds by their place in the portfolio. Lists of plain values are one value.
    """
    old, new = dict(_leaves("", before.model_dump(mode="json"))), dict(_leaves("", after.model_dump(mode="json")))
    return [
        _difference(path, old.get(path, ABSENT), new.get(path, ABSENT))
        for path in sorted(old.keys() | new.keys())
        if _differ(path, old, new)
    ]


def _differ(path: str, old: dict[str, Any], new: dict[str, Any]) -> bool:
    # 1, 1.0 and True are equal to Python, not to a document
    before, after = old.get(path, ABSENT), new.get(path, ABSENT)
    return repr(before) != repr(after)


def _difference(path: str, before: Any, after: Any) -> Difference:
    if before is ABSENT:
        return Difference(path=path, kind="added", after=after)
    if after is ABSENT:
        return Difference(path=path, kind="removed", before=before)
    return Difference(path=path, kind="changed", before=before, after=after)


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key in sorted(value):
            yield from _leaves(f"{path}.{key}" if path else str(key), value[key])
    elif isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
        names = [each.get("name") for each in value]
        named = all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
        if named:
            yield f"{path}.(order)", names
        for position, each in enumerate(value):
            yield from _leaves(f"{path}[{names[position] if named else position}]", each)
    else:
        yield path, value

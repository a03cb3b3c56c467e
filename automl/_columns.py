"""Column names that Ludwig can live with: safe ones stay as they are, the others get a safe name beside their own."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

RESERVED = frozenset({"split", "__split__", "checksum", "index", "level_0"})
"""Names that Ludwig or pandas use for themselves."""

_SAFE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LONGEST = 60


def safe_names(names: Iterable[str]) -> dict[str, str]:
    """Map each of ``names`` (all different) to a name of letters, digits and underscores, all different.

    The map depends on the set of names alone, not on their order, so that a table with its columns shuffled is the same table.
    """
    given = [str(name) for name in names]
    chosen = {name: name for name in given if _is_safe(name)}
    taken = {name.casefold() for name in chosen.values()}
    for name in sorted(set(given) - set(chosen)):
        safe = _spell(name)
        if safe.casefold() in taken:
            safe = f"{safe}_{_digest(name)}"
        chosen[name] = safe
        taken.add(safe.casefold())
    return {name: chosen[name] for name in given}


def _is_safe(name: str) -> bool:
    return _SAFE.fullmatch(name) is not None and name.casefold() not in RESERVED and len(name) <= _LONGEST


def _spell(name: str) -> str:
    letters = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")
    if not letters:
        return f"column_{_digest(name)}"
    if not letters[0].isalpha() or letters.casefold() in RESERVED:
        letters = f"column_{letters}"
    return letters if len(letters) <= _LONGEST else f"{letters[: _LONGEST - 9]}_{_digest(name)}"


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]

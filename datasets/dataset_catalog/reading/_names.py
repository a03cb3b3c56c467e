"""Names of columns: each its own, none empty."""

from __future__ import annotations


def distinct(names: list[str], notes: list[str]) -> list[str]:
    """Give each repeated name a number (``x``, ``x.1``) and each empty one a name, and note it."""
    taken: set[str] = set(names)
    seen: set[str] = set()
    answer = []
    for position, name in enumerate(names):
        empty = not name.strip()
        base = f"column_{position + 1}" if empty else name
        new, number = base, 0
        while new in seen or (new != name and new in taken):
            number += 1
            new = f"{base}.{number}"
        if new != name:
            why = "has no name" if empty else f"is named {name!r} as an earlier one"
            notes.append(f"column {position + 1} {why}: it is called {new!r} here")
        seen.add(new)
        answer.append(new)
    return answer

"""What changed in a portfolio: seeds that came in, went out, or moved."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

from heuristics_db._canonical import rewritten
from heuristics_db._changes import Change, same
from heuristics_db._spaces import SeedConfiguration
from heuristics_db._wording import seed_text


def portfolio_changes(place: str, before: Sequence[SeedConfiguration], after: Sequence[SeedConfiguration]) -> Iterator[Change]:
    """Yield the changes of one portfolio; at least one exactly when the two are not written alike.

    A seed is known by its model type and configuration. It moved when it passed another one that stayed; that seeds before it came or went
    moves nothing.
    """
    old, new = _keyed(before), _keyed(after)
    for key, position in old.items():
        if key not in new:
            seed = before[position]
            yield Change(place=f"{place}[{position}]", kind="seed out", before=_told(seed), evidence_before=seed.evidence)
    for key, position in new.items():
        if key not in old:
            seed = after[position]
            yield Change(place=f"{place}[{position}]", kind="seed in", after=_told(seed), evidence_after=seed.evidence)
    kept = [key for key in new if key in old]
    stayed = _longest_rising([old[key] for key in kept])
    for key in kept:
        one, other = before[old[key]], after[new[key]]
        evidence = {"evidence_before": one.evidence, "evidence_after": other.evidence}
        if old[key] not in stayed:
            moved = {"before": f"at {old[key]}: {_told(one)}", "after": f"at {new[key]}"}
            yield Change(place=f"{place}[{new[key]}]", kind="seed moved", **moved, **evidence)
        if not same(one, other):
            yield Change(place=f"{place}[{new[key]}]", kind="evidence changed", before=_best_on(one), after=_best_on(other), **evidence)


def _keyed(portfolio: Sequence[SeedConfiguration]) -> dict[tuple[str, int], int]:
    """Return each seed's position by what it is, and by how many of the same stand before it."""
    seen: Counter[str] = Counter()
    keyed = {}
    for position, seed in enumerate(portfolio):
        name = rewritten([seed.model_type, seed.configuration])
        keyed[name, seen[name]] = position
        seen[name] += 1
    return keyed


def _longest_rising(positions: Sequence[int]) -> set[int]:
    """Return a longest rising subsequence of different numbers: the seeds that kept their order."""
    ends: list[int] = []
    before: dict[int, int | None] = {}
    for position in positions:
        place = bisect_left(ends, position)
        before[position] = ends[place - 1] if place else None
        ends[place : place + 1] = [position]
    kept: set[int] = set()
    last = ends[-1] if ends else None
    while last is not None:
        kept.add(last)
        last = before[last]
    return kept


def _told(seed: SeedConfiguration) -> str:
    return f"{seed.model_type} {seed_text(seed)}"


def _best_on(seed: SeedConfiguration) -> str:
    return f"best on {', '.join(seed.best_on) or 'none'}"

"""The guard that keeps held-out data out of mining."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from mining._datasets import DatasetFacts
from mining._errors import LeakageError, MiningError

_SKETCH_VERSION, _KINDS, _PERMUTATIONS = 2, 4, 128
_SKETCH_SIZE = 1 + _KINDS * (1 + _PERMUTATIONS)
_FEW_SHINGLES, _FEW_EQUALS = 200, 3


@dataclass(frozen=True)
class HeldOut:
    """What the miner must never see: fingerprints, families and row sketches of the held-out datasets.

    ``near_duplicate`` is the share of the smaller table's rows at which two tables count as one; sketches need it.
    """

    fingerprints: frozenset[str] = frozenset()
    families: frozenset[str] = frozenset()
    sketches: tuple[tuple[int, ...], ...] = ()
    near_duplicate: float | None = None

    def __post_init__(self) -> None:
        """Refuse sketches without the share that they are compared by."""
        if self.sketches and self.near_duplicate is None:
            raise MiningError("held-out sketches need near_duplicate, the share of rows at which two tables count as one")


def check_leakage(trials: pd.DataFrame, datasets: Iterable[DatasetFacts], held_out: HeldOut) -> None:
    """Refuse trials and datasets that are held out by role, fingerprint, family or near-duplicate content.

    Raises:
        LeakageError: names each dataset, why it is held out, and its trials.
        MiningError: trials of a role that is neither training nor held out; or sketches that cannot be compared.

    """
    found: dict[str, list[str]] = {}
    for facts in datasets:
        reasons = _reasons(facts.role, facts.fingerprint, facts.family, held_out)
        try:
            nearest = max((similarity(facts.sketch, each) for each in held_out.sketches), default=0.0)
        except MiningError as error:
            raise MiningError(f"{facts.name}: {error}") from None
        if held_out.near_duplicate is not None and nearest >= held_out.near_duplicate:
            reasons.append(f"{nearest:.0%} of its content stands in a held-out dataset")
        if reasons:
            found.setdefault(facts.name, []).extend(reasons)
    for row in trials[["dataset", "role", "fingerprint", "family"]].drop_duplicates().itertuples(index=False):
        for reason in _reasons(str(row.role), str(row.fingerprint), str(row.family), held_out):
            if reason not in found.setdefault(str(row.dataset), []):
                found[str(row.dataset)].append(reason)
    found = {name: reasons for name, reasons in found.items() if reasons}
    if found:
        told = "; ".join(f"{name} ({', '.join(reasons)}; {_named(trials, name)})" for name, reasons in sorted(found.items()))
        raise LeakageError(f"held-out data reached the miner: {told}; mine from training datasets alone")
    strange = sorted({str(role) for role in trials["role"]} - {"training"})
    if strange:
        raise MiningError(f"trials of role {', '.join(strange)} cannot be mined; select those of role training")


def similarity(one: Sequence[int], other: Sequence[int]) -> float:
    """Estimate which share of the smaller table's content stands in the other, from two row sketches of the catalogue.

    A sketch holds its version, how many distinct shingles of each kind there are, and for each kind 128 MinHash values. The catalogue,
    which makes the sketches, compares them in the same way; mining stands below it and cannot ask it. Raises :class:`MiningError` for
    sketches of another version or size.
    """
    for each in (one, other):
        if len(each) != _SKETCH_SIZE or each[0] != _SKETCH_VERSION:
            told = f"of {len(each)} numbers" if each else "missing"
            raise MiningError(
                f"a row sketch is {told}, not of version {_SKETCH_VERSION} with {_SKETCH_SIZE} numbers; lock the dataset anew"
            )
    shares = []
    for kind in range(_KINDS):
        start = 1 + _KINDS + kind * _PERMUTATIONS
        pairs = zip(one[start : start + _PERMUTATIONS], other[start : start + _PERMUTATIONS], strict=True)
        shares.append(_share(sum(a == b for a, b in pairs) / _PERMUTATIONS, one[1 + kind], other[1 + kind]))
    return max(shares)


def _share(jaccard: float, size: int, other_size: int) -> float:
    smaller, larger = sorted((size, other_size))
    if smaller == 0 or jaccard * _PERMUTATIONS < _FEW_EQUALS:
        return 0.0
    if smaller < _FEW_SHINGLES:
        return 1.0 if jaccard == 1 and smaller == larger else 0.0
    return min(1.0, jaccard / (1 + jaccard) * (smaller + larger) / smaller)


def _reasons(role: str, fingerprint: str, family: str, held_out: HeldOut) -> list[str]:
    reasons = []
    if role == "held_out":
        reasons.append("its role is held_out")
    if fingerprint in held_out.fingerprints:
        reasons.append(f"its fingerprint {fingerprint[:12]} is held out")
    if family in held_out.families:
        reasons.append(f"its family {family} is held out")
    return reasons


def _named(trials: pd.DataFrame, dataset: str) -> str:
    ids = sorted(str(each) for each in trials.loc[trials["dataset"] == dataset, "trial_id"])
    if not ids:
        return "no trial"
    more = f" and {len(ids) - 3} more" if len(ids) > 3 else ""
    return f"{len(ids)} trials: {', '.join(ids[:3])}{more}"

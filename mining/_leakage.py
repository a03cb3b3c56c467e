"""The guard that keeps held-out data out of mining."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from mining._datasets import DatasetFacts
from mining._errors import LeakageError, MiningError


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
        MiningError: trials of a role that is neither training nor held out.

    """
    found: dict[str, list[str]] = {}
    for facts in datasets:
        reasons = _reasons(facts.role, facts.fingerprint, facts.family, held_out)
        nearest = max((similarity(facts.sketch, each) for each in held_out.sketches), default=0.0)
        if held_out.near_duplicate is not None and nearest >= held_out.near_duplicate:
            reasons.append(f"{nearest:.0%} of its rows stand in a held-out dataset")
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
    """Estimate which share of the rows of the smaller table stands in the other, from two MinHash sketches.

    The share of equal numbers estimates the shared part of all rows (Jaccard), the size of the numbers how many distinct rows a table
    has. The catalogue, which makes the sketches, compares them in the same way; mining stands below it and cannot ask it.
    """
    if not one or len(one) != len(other):
        return 0.0
    jaccard = sum(a == b for a, b in zip(one, other, strict=True)) / len(one)
    if jaccard in (0.0, 1.0):
        return jaccard
    smaller, larger = sorted(1 / max(sum(values), 1) for values in (one, other))
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

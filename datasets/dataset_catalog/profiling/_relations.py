"""How columns go together, and what they tell of the target: correlations and mutual information, on the sample."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from dataset_catalog.profiling._columns import ColumnFacts
from dataset_catalog.profiling._fields import Summary
from dataset_catalog.profiling._figures import Floats, Whole, entropy, ratio, rounded, summary
from dataset_catalog.profiling._rows import Target

MOST_COLUMNS = 500
_CORRELATED = 0.5
_NOTHING = 1e-9
_VAST = 1e300  # the difference of two such numbers may be too large for a double


def drawn_by_name(columns: Sequence[ColumnFacts], most: int = MOST_COLUMNS) -> list[ColumnFacts]:
    """Return at most ``most`` of ``columns``, chosen by the hash of their names, in the order in which they stand."""
    if len(columns) <= most:
        return list(columns)
    chosen = sorted(columns, key=lambda column: hashlib.blake2b(column.name.encode("utf-8", "surrogatepass")).digest())[:most]
    names = {column.name for column in chosen}
    return [column for column in columns if column.name in names]


def standardised(values: Floats) -> Floats | None:
    """Bring numbers to mean 0 and deviation 1 (n), missing ones at the mean; ``None`` when they are all alike."""
    present = ~np.isnan(values)
    if not present.any():
        return None
    reach = float(np.abs(values[present]).max()) or 1.0
    scaled = np.where(present, values, 0.0) / reach
    scaled = np.where(present, scaled - scaled[present].mean(), 0.0)
    spread = float(np.sqrt((scaled * scaled).mean()))
    return scaled / spread if spread > 1e-14 else None


def correlations(columns: Sequence[ColumnFacts]) -> dict[str, Any]:
    """Return ``cor`` and ``nr_cor_attr`` of a sample's columns of numbers."""
    numbers = [column for column in columns if column.kind == "number"]
    scaled = [standardised(column.numbers) for column in drawn_by_name(numbers) if column.numbers is not None]
    varied = [values for values in scaled if values is not None]
    if len(varied) < 2:
        return {"cor": Summary(), "nr_cor_attr": None}
    table = np.column_stack(varied)
    pairs = np.abs((table.T @ table)[np.tril_indices(len(varied), k=-1)]) / len(table)
    pairs = np.minimum(pairs, 1.0)
    return {"cor": summary(pairs), "nr_cor_attr": rounded(float((pairs >= _CORRELATED).mean()))}


def informations(columns: Sequence[ColumnFacts], target: Target) -> dict[str, Any]:
    """Return the entropies of a sample's columns, and what they tell of the target's (``target``: of the same sample)."""
    known = target.classes if target.numbers is None else binned(target.numbers)
    if known is None:
        known = np.zeros(0, dtype=np.int64)
    own = entropy(np.bincount(known))
    classes = int(known.max(initial=0)) + 1
    found = []
    for column in columns:
        if column.kind in ("text", "empty"):
            continue
        codes = binned(column.numbers) if column.numbers is not None else column.codes
        if codes is None:
            continue
        codes = codes - codes.min(initial=0)
        alone, together = entropy(np.bincount(codes)), entropy(_pair_counts(codes, known, classes))
        found.append((alone, together, max(0.0, alone + own - together)))
    table = np.array(found).reshape(-1, 3)
    told = float(table[:, 2].sum())
    told = told if told > _NOTHING else 0.0
    return {
        "attr_ent": summary(table[:, 0]),
        "joint_ent": summary(table[:, 1]),
        "mut_inf": summary(table[:, 2]),
        "eq_num_attr": ratio(own * len(found), told),
        "ns_ratio": ratio(float(table[:, 0].sum()) - told, told),
    }


def _pair_counts(codes: Whole, known: Whole, classes: int) -> Whole:
    counts: Whole = np.unique(codes * classes + known, return_counts=True)[1]
    return counts


def binned(values: Floats) -> Whole:
    """Put numbers into bins of equal frequency, as many as the cube root of their number; missing ones into one of their own."""
    present = values[~np.isnan(values)]
    if len(present) == 0:
        return np.zeros(len(values), dtype=np.int64)
    bins = max(int(len(values) ** (1 / 3)), 1)
    reach = float(np.abs(present).max())
    if reach > _VAST:
        values, present = values / reach, present / reach
    edges = np.unique(np.quantile(present, np.linspace(0, 1, bins + 1)[1:]))
    places: Whole = np.searchsorted(edges, values, side="left")
    return places

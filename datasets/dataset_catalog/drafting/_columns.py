"""Columns of no use, and columns that say the same twice."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np
import pandas as pd

from dataset_catalog.columns import ColumnKind, as_numbers, as_strings, names_an_id
from dataset_catalog.content import cell_hashes
from dataset_catalog.drafting._findings import Finding, drop

_NEARLY_UNIQUE = 0.95
_FEWEST = 20


def find_useless(features: pd.DataFrame, kinds: Mapping[str, ColumnKind]) -> list[Finding]:
    """Find identifiers, constants and what cannot be learnt from."""
    found = []
    for name, kind in kinds.items():
        if kind.kind == "identifier":
            whole = _distinct_share(features[name])
            found.append(
                Finding("id", f"{name!r} is {_an(kind.reason)}", f"{drop(name)} (no trial learns from it)", (name,), whole, serious=True)
            )
        elif kind.kind == "constant":
            found.append(Finding("constant", f"{name!r} says nothing: {kind.reason}", drop(name), (name,)))
        elif kind.kind == "unusable":
            found.append(Finding("unusable", f"{name!r} cannot be learnt from: {kind.reason}", drop(name), (name,)))
        elif names_an_id(name) and (share := _near_id(features[name])) is not None:
            text = f"{name!r} is named like an identifier, and {share:.1%} of its cells differ"
            found.append(Finding("id", text, drop(name), (name,), share, serious=True))
    return found


def find_duplicates(features: pd.DataFrame, kinds: Mapping[str, ColumnKind]) -> list[Finding]:
    """Find columns that say what an earlier one says: cell by cell, or under other names (each value of one with one of the other)."""
    first: dict[bytes, str] = {}
    found = []
    for name, kind in kinds.items():
        if kind.kind in ("constant", "unusable"):
            continue
        cells = features[name].reset_index(drop=True)
        exact = hashlib.blake2b(cell_hashes(cells).tobytes(), digest_size=16).digest()
        recoded = _partition(cells)
        twin = first.get(exact) or (first.get(recoded) if recoded else None)
        if twin is None:
            first[exact] = name
            if recoded:
                first[recoded] = name
            continue
        how = "holds the same cells as" if first.get(exact) else "says under other names what is said by"
        found.append(Finding("duplicate_column", f"{name!r} {how} {twin!r}", drop(name), (name, twin)))
    return found


def _partition(cells: pd.Series) -> bytes | None:
    """Name how the rows are parted by equal cells; ``None`` where nearly every row stands alone, which says nothing."""
    codes, levels = pd.factorize(as_strings(cells), use_na_sentinel=False)
    if len(levels) > len(cells) / 2:
        return None
    return hashlib.blake2b(b"parts" + codes.astype("<i8").tobytes(), digest_size=16).digest()


def _near_id(cells: pd.Series) -> float | None:
    share = _distinct_share(cells)
    numbers = as_numbers(cells).dropna()
    whole = bool((numbers == np.floor(numbers)).all())
    return share if share >= _NEARLY_UNIQUE and len(cells) >= _FEWEST and (whole or numbers.empty) else None


def _distinct_share(cells: pd.Series) -> float:
    texts = as_strings(cells).dropna()
    return float(texts.nunique() / max(len(texts), 1))


def _an(reason: str) -> str:
    return reason if reason.startswith("a") else f"an identifier: {reason}"

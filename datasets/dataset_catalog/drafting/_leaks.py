"""Leaks: columns that give the target away."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from dataset_catalog.columns import ColumnKind, as_numbers, as_strings
from dataset_catalog.drafting._findings import Finding, drop

NEAR_PERFECT = 0.98
"""Of what the constant prediction gets wrong, this share set right on held-out rows by one column alone counts as a leak."""
NEAR_COPY = 0.99
"""The share of a quantity's variance that one column alone must explain on held-out rows to count as a copy of it."""

Values = npt.NDArray[np.float64]
"""A quantity, or the numbers of classes."""

_SAMPLE = 20_000
_FEWEST = 40
_LEAVES = 64


def find_leaks(features: pd.DataFrame, kinds: dict[str, ColumnKind], truth: pd.Series, task: str) -> list[Finding]:
    """Find every column from which alone ``truth`` can be told nearly without fault on rows that were not looked at.

    A tree or a straight line (numbers) or the level's commonest class or mean (all else) is fitted on every other row, and scored on the
    rest; a missing cell is a level of its own, since that a cell is missing may give the target away. Identifiers are looked at, too: rows
    sorted by their target have a telling row number. At most 20,000 rows are looked at, in the order in which they stand.
    """
    features, truth = features.iloc[:_SAMPLE], truth.iloc[:_SAMPLE]
    if len(truth) < _FEWEST:
        return []
    wanted = truth.to_numpy(dtype=np.float64) if task == "regression" else pd.factorize(truth, sort=True)[0].astype(np.float64)
    found = []
    for name in features.columns:
        kind = kinds[str(name)]
        if kind.kind in ("constant", "unusable", "text"):
            continue
        score = _score(features[name], kind, wanted, task)
        if score >= (NEAR_COPY if task == "regression" else NEAR_PERFECT):
            found.append(_told(str(name), features[name], kind, truth, wanted, score, task))
    return found


def _score(cells: pd.Series, kind: ColumnKind, wanted: Values, task: str) -> float:
    """Return the share of what a constant gets wrong on the second half that the column, fitted on the first, sets right."""
    numbers = as_numbers(cells, decimal_comma=kind.decimal_comma)
    if numbers.notna().sum() < 0.9 * max(_count(cells), 1):
        return _improved(_by_level(pd.factorize(as_strings(cells), use_na_sentinel=False)[0], wanted, task), wanted, task)
    tree = _improved(_by_tree(numbers.to_numpy(), wanted, task), wanted, task)
    return tree if task != "regression" else max(tree, _improved(_by_line(numbers.to_numpy(), wanted), wanted, task))


def _improved(predicted: Values, wanted: Values, task: str) -> float:
    truth, known = wanted[1::2], wanted[::2]
    if task == "regression":
        constant = float(((truth - known.mean()) ** 2).sum())
        return 1 - float(((truth - predicted) ** 2).sum()) / constant if constant else 0.0
    constant = float((truth != np.bincount(known.astype(np.int64)).argmax()).sum())
    return 1 - float((truth != predicted).sum()) / constant if constant else 0.0


def _by_line(numbers: Values, wanted: Values) -> Values:
    """Predict by a straight line, which knows what lies beyond the values it was fitted to, as a tree does not."""
    there = np.isfinite(numbers[::2])
    if there.sum() < _FEWEST or np.ptp(numbers[::2][there]) == 0:
        return np.full(len(wanted[1::2]), wanted[::2].mean())
    slope, offset = np.polyfit(numbers[::2][there], wanted[::2][there], 1)
    return np.where(np.isfinite(numbers[1::2]), slope * np.nan_to_num(numbers[1::2]) + offset, wanted[::2].mean())


def _count(cells: pd.Series) -> int:
    return int((cells if pd.api.types.is_numeric_dtype(cells.dtype) else as_strings(cells)).notna().sum())


def _by_tree(numbers: npt.NDArray[np.float64], wanted: Values, task: str) -> Values:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor  # late: commands that draft nothing start without it

    inputs = np.column_stack([np.nan_to_num(numbers), np.isnan(numbers)])
    if task == "regression":
        tree = DecisionTreeRegressor(min_samples_leaf=2, random_state=0)
    else:
        tree = DecisionTreeClassifier(max_leaf_nodes=max(_LEAVES, 2 * len(np.unique(wanted))), random_state=0)
    predicted: Values = tree.fit(inputs[::2], wanted[::2]).predict(inputs[1::2])
    return predicted


def _by_level(codes: npt.NDArray[np.int64], wanted: Values, task: str) -> Values:
    half = pd.Series(wanted[::2])
    told = half.groupby(codes[::2]).agg("mean" if task == "regression" else lambda cells: cells.mode().iloc[0])
    otherwise = half.mean() if task == "regression" else half.mode().iloc[0]
    return pd.Series(codes[1::2]).map(told).fillna(otherwise).to_numpy(dtype=np.float64)


def _told(name: str, cells: pd.Series, kind: ColumnKind, truth: pd.Series, wanted: Values, score: float, task: str) -> Finding:
    if kind.kind == "identifier":
        text = f"{name!r} numbers the rows, and yet tells the target ({score:.1%} of errors set right): the rows are sorted by it"
    elif task == "regression":
        text = f"{name!r} {_likeness(cells, kind, wanted)} (explains {score:.2%} of its variance on held-out rows)"
    elif _same_partition(cells, truth):
        text = f"{name!r} is the target under other names: each of its {as_strings(cells).nunique()} values goes with one class"
    else:
        text = f"{name!r} alone tells the target: {score:.1%} of the constant's errors set right on held-out rows"
    return Finding("leak", text, f"{drop(name)} unless it is known before the target is", (name,), round(score, 4), serious=True)


def _likeness(cells: pd.Series, kind: ColumnKind, wanted: Values) -> str:
    numbers = as_numbers(cells, decimal_comma=kind.decimal_comma).to_numpy()
    there = np.isfinite(numbers)
    if there.sum() < _FEWEST or np.ptp(numbers[there]) == 0:
        return "tells the target"
    slope, offset = np.polyfit(numbers[there], wanted[there], 1)
    missed = wanted[there] - (slope * numbers[there] + offset)
    explained = 1 - float(np.var(missed) / np.var(wanted[there]))
    if explained > 1 - 1e-9:
        return "is a copy of the target" if abs(slope - 1) < 1e-6 else f"is the target in another scale (times {1 / slope:.4g})"
    return "is nearly a copy of the target, rounded or with noise" if explained > NEAR_COPY else "tells the target"


def _same_partition(cells: pd.Series, truth: pd.Series) -> bool:
    texts = as_strings(cells)
    pairs = pd.DataFrame({"value": texts.to_numpy(), "class": truth.to_numpy()}).dropna().drop_duplicates()
    return bool(pairs["value"].is_unique and pairs["class"].is_unique and texts.notna().all())

"""Two datasets side by side: whether they share columns, rows, a family, a side, and how unlike their profiles are."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from dataset_catalog import (
    NEAR_DUPLICATE,
    CatalogError,
    DatasetCard,
    Profile,
    fingerprint,
    load_address,
    load_card,
    profile,
    similarity,
    sketch,
)
from dataset_catalog.columns import infer_task
from dataset_catalog.content import row_hashes
from experiments._dataset_view import TargetView, view_target
from experiments._home import Home
from experiments._profiles import profile_of, profiles_kept
from experiments._typed_tables import catalogued, shown_address

if TYPE_CHECKING:
    from dataset_catalog import Progress

Verdict = Literal["same content", "near-duplicate", "related", "unrelated"]

_FEWEST_PROFILES = 8
_TELLING_ROWS = 0.5
"""Rows over shared columns tell something only where at least this share of them are distinct."""
_SHARED_COLUMNS = 0.5
_NAMED = 20
_ANYBODYS_NAME = re.compile(r"[a-z]{0,6}_?\d+|class|target|label|[xyz]|id|split|text", re.IGNORECASE)
"""Names that columns of unrelated tables have: they say nothing of a common origin."""


@dataclass(frozen=True, eq=False)
class Side:
    """One of two datasets that are compared: a catalogued one, or a file. Without a target it has no profile.

    ``content`` is the ``frame`` without the column that parts the rows of a catalogued one.
    """

    name: str
    frame: pd.DataFrame
    content: pd.DataFrame
    fingerprint: str
    card: DatasetCard | None = None
    target: str | None = None
    task: str | None = None
    profile: Profile | None = None
    balance: TargetView | None = None


@dataclass(frozen=True)
class Difference:
    """How far apart two profiles lie in one figure.

    ``distance`` is in standard deviations over the profiles kept here when there are eight or more, else as a share of the larger one.
    """

    figure: str
    a: float | None
    b: float | None
    distance: float


@dataclass(frozen=True, eq=False)
class Comparison:
    """What two datasets have in common. Shares are of the smaller one's distinct rows."""

    a: Side
    b: Side
    shared_columns: tuple[str, ...]
    similarity: float
    shared_rows: float | None
    differences: tuple[Difference, ...]
    verdict: Verdict
    words: str


def compare_datasets(
    a: str, b: str, home: Home, *, target: str | None = None, offline: bool = False, progress: Progress | None = None
) -> Comparison:
    """Compare two datasets, each a catalogued one's name or a file's path; ``target`` is what files are compared as to.

    A file without a target takes the other side's, where it has such a column. Raises ``CatalogError`` for what cannot be loaded, and for
    a ``target`` that neither has.
    """
    first = _side(a, home, target, offline, progress)
    second = _side(b, home, target or first.target, offline, progress)
    if first.target is None and second.target in first.frame.columns:
        first = _side(a, home, second.target, offline, progress)
    if target is not None and target not in (first.target, second.target):
        known = ", ".join(map(repr, dict.fromkeys(map(str, [*first.frame.columns, *second.frame.columns][:_NAMED]))))
        raise CatalogError(f"--target {target!r} is no column of either table, nor a catalogued one's target; there are {known}")
    shared = tuple(name for name in first.content.columns if name in set(second.content.columns))
    near = similarity(sketch(first.content), sketch(second.content))
    rows = _shared_rows(first.content, second.content, shared)
    verdict, words = _verdict(first, second, shared, near, rows)
    return Comparison(first, second, tuple(map(str, shared)), near, rows, _differences(first.profile, second.profile, home), verdict, words)


def _side(data: str, home: Home, target: str | None, offline: bool, progress: Progress | None) -> Side:
    card = catalogued(data, home.catalog)
    if card is not None:
        home.catalog.roles.check(card)
        dataset = load_card(card, cache=home.datasets, offline=offline, progress=progress)
        balance = view_target(dataset.frame[card.target], card.task)
        found = profile_of(dataset, home.datasets)
        return Side(data, dataset.frame, dataset.content, dataset.fingerprint, card, card.target, card.task, found, balance)
    frame = load_address(data, cache=home.datasets, offline=offline, progress=progress)
    side = Side(shown_address(data), frame, frame, fingerprint(frame))
    if target is None or target not in frame.columns:
        return side
    task = infer_task(frame, target)
    return replace(side, target=target, task=task, profile=profile(frame, target, task), balance=view_target(frame[target], task))


def _shared_rows(a: pd.DataFrame, b: pd.DataFrame, shared: Iterable[str]) -> float | None:
    """Return the share of the smaller one's distinct rows that stand in the other, over shared columns; ``None`` if that says nothing."""
    names = list(shared)
    if not names:
        return None
    left, right = (np.unique(row_hashes(each[names])[:, 0]) for each in (a, b))
    if min(len(left) / len(a), len(right) / len(b)) < _TELLING_ROWS:
        return None
    return float(len(np.intersect1d(left, right)) / min(len(left), len(right)))


def _verdict(a: Side, b: Side, shared: tuple[str, ...], near: float, rows: float | None) -> tuple[Verdict, str]:
    if a.fingerprint == b.fingerprint:
        return "same content", "the same content: their fingerprints are equal"
    most = max(near, rows or 0.0)
    if most >= NEAR_DUPLICATE:
        return "near-duplicate", f"near-duplicates: about {most:.0%} of the smaller one's rows stand in the other" + _sides(a, b)
    family = a.card.family if a.card and b.card and a.card.family == b.card.family else None
    telling = [name for name in shared if not _ANYBODYS_NAME.fullmatch(str(name))]
    overlap = len(telling) / max(min(a.content.shape[1], b.content.shape[1]), 1)
    if family is not None:
        return "related", f"related: one family, {family!r}, and hardly a row in common"
    if overlap >= _SHARED_COLUMNS and len(telling) > 1:
        return (
            "related",
            f"related, perhaps: {len(telling)} columns are named alike ({overlap:.0%} of the smaller one's), hardly a row is shared",
        )
    return "unrelated", "unrelated: neither rows nor telling names of columns in common"


def _sides(a: Side, b: Side) -> str:
    roles = {each.card.role for each in (a, b) if each.card}
    return "; they must not stand on both sides of the held-out line" if roles & {"training", "held_out"} else ""


def _differences(a: Profile | None, b: Profile | None, home: Home) -> tuple[Difference, ...]:
    if a is None or b is None:
        return ()
    left, right = _figures(a), _figures(b)
    spread = _spreads(home)
    found = []
    for name in left.keys() | right.keys():
        one, other = left.get(name), right.get(name)
        if one is None or other is None or one == other:
            continue
        by = spread.get(name) if spread else max(abs(one), abs(other))
        if by:
            found.append(Difference(name, one, other, abs(one - other) / by))
    return tuple(sorted(found, key=lambda each: (-each.distance, each.figure)))


def _figures(found: Profile) -> dict[str, float]:
    values = found.model_dump(mode="json", exclude={"version"})
    return {name: float(value) for name, value in values.items() if isinstance(value, int | float) and math.isfinite(value)}


def _spreads(home: Home) -> dict[str, float]:
    """Return each figure's standard deviation over the profiles that are kept here; nothing when they are few."""
    kept = list(map(_figures, profiles_kept(home.datasets)))
    if len(kept) < _FEWEST_PROFILES:
        return {}
    return {str(name): float(value) for name, value in pd.DataFrame(kept).std().items() if value > 0}

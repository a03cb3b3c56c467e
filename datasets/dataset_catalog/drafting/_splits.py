"""Which split a table asks for: an official one, by time, by group, or at random."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from dataset_catalog._cards import SplitRule
from dataset_catalog._errors import CatalogError
from dataset_catalog.columns import ColumnKind, as_dates, as_numbers, as_strings, check_target, names_an_id
from dataset_catalog.splitting import names_parts

_GROUP_NAME = re.compile(
    r"(^|[\W_])(patient|subject|user|customer|client|person|player|student|household|family|session|device|machine|sensor|store|shop|"
    r"site|hospital|school|author|speaker|group)s?([\W_]?(id|no|nr|number|name|key|code))?$",
    re.IGNORECASE,
)
_TIME_NAME = re.compile(r"(^|[\W_])(year|yr|timestamp|epoch|unixtime|datetime|date)$|(year|yr|timestamp|epoch)_?\w{0,4}$", re.IGNORECASE)
_YEARS = (1800, 2100)
_EPOCH = 1e8
_ROWS_A_GROUP = 2.0


@dataclass(frozen=True)
class SplitIdea:
    """A split that a column speaks for, and why."""

    kind: Literal["column", "group", "time"]
    column: str
    why: str

    @property
    def rule(self) -> SplitRule:
        """The rule that a card would hold."""
        return SplitRule(kind=self.kind, column=self.column)

    @property
    def option(self) -> str:
        """What is typed for it."""
        return f"--split {self.kind}:{self.column}"


def parse_split(text: str, columns: list[str], *, target: str, dropped: Sequence[str] = ()) -> SplitRule:
    """Read ``stratified``, ``group:COLUMN``, ``time:COLUMN`` or ``column:COLUMN`` of ``columns``, the features.

    Raises :class:`CatalogError` for anything else, and for the target or a dropped column, which cannot part the rows.
    """
    kind, colon, column = text.partition(":")
    if kind == "stratified" and not colon:
        return SplitRule()
    if kind not in ("group", "time", "column") or not column:
        raise CatalogError(f"{text!r} is no split: say stratified, group:COLUMN, time:COLUMN or column:COLUMN")
    if column == target or column in dropped:
        what = "the target" if column == target else "left out by --drop"
        raise CatalogError(f"{text!r}: {column!r} is {what}, and cannot part the rows; name another column")
    check_target(columns, column)
    return SplitRule.model_validate({"kind": kind, "column": column})


def split_ideas(features: pd.DataFrame, kinds: Mapping[str, ColumnKind]) -> list[SplitIdea]:
    """Return the splits that columns speak for, the most binding first: official parts, then time, then groups."""
    found = []
    for name, kind in kinds.items():
        cells = features[name]
        if names_parts(cells):
            counts = ", ".join(f"{count:,} {level}" for level, count in cells.value_counts().items())
            found.append(SplitIdea("column", name, f"{name!r} names each row's part ({counts})"))
        elif (span := _time_span(name, cells, kind)) is not None:
            found.append(SplitIdea("time", name, f"{name!r} says when ({span})"))
        elif (groups := _groups(name, cells, kind)) is not None:
            found.append(
                SplitIdea("group", name, f"{name!r} names what rows belong to ({groups:,} of them, {len(cells) / groups:.1f} rows each)")
            )
    return sorted(found, key=lambda idea: ("column", "time", "group").index(idea.kind))


def _time_span(name: str, cells: pd.Series, kind: ColumnKind) -> str | None:
    if kind.kind == "date":
        dates = as_dates(cells, day_first=kind.day_first).dropna()
        return f"{dates.min():%Y-%m-%d} to {dates.max():%Y-%m-%d}" if dates.nunique() > 2 else None
    if kind.kind not in ("number", "category") or not _TIME_NAME.search(name):
        return None
    numbers = as_numbers(cells).dropna()
    if numbers.nunique() < 3 or not (numbers == np.floor(numbers)).all():
        return None
    years = numbers.between(*_YEARS).all()
    return f"{numbers.min():.0f} to {numbers.max():.0f}" if years or numbers.min() > _EPOCH else None


def _groups(name: str, cells: pd.Series, kind: ColumnKind) -> int | None:
    if kind.kind not in ("number", "category") or not (_GROUP_NAME.search(name) or names_an_id(name)):
        return None
    groups = as_strings(cells).nunique()
    return groups if groups > 9 and len(cells) / groups >= _ROWS_A_GROUP else None

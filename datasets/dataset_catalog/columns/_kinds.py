"""What a column of a table is: a number, a category, text, a date, or of no use."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from dataset_catalog.columns._cells import as_dates, as_numbers, as_strings

Kind = Literal["number", "category", "text", "date", "identifier", "constant", "unusable"]

_FEWEST_ROWS_FOR_IDS = 20
_MOSTLY = 0.9
_NEARLY_ALL = 0.95
_TEXT_WORDS = 3.0
_TEXT_LEVELS = 20
_TEXT_SHARE = 0.2
_ID_NAME = re.compile(
    r"(^|[\W_])(id|ids|uid|uuid|guid|index|idx|row|rows|rownames|row_?(number|id)|nr|no|key|unnamed\W*\d*|#)\.?$|^\W*$", re.IGNORECASE
)
_CAMEL_ID = re.compile(r"[a-z](Id|ID)$")
_DATE = re.compile(
    r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T].*)?"
    r"|.*\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b.*\d{4}.*",
    re.IGNORECASE,
)
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = rf"[{_UNSPACED}]{{1,2}}|[^\s{_UNSPACED}]+"
"""A run without spaces or, in scripts written without any (Thai, Lao, Burmese, Khmer, Japanese, Chinese), two characters."""
_DECIMAL_COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+),\d+")


@dataclass(frozen=True)
class ColumnKind:
    """What a column is, and why. An identifier, a constant and what is unusable is nothing to learn from; nothing else is dropped.

    ``day_first`` counts for dates written in figures, ``decimal_comma`` for numbers written as text.
    """

    kind: Kind
    reason: str
    day_first: bool = False
    decimal_comma: bool = False

    @property
    def useful(self) -> bool:
        """Whether there is anything to learn from the column."""
        return self.kind in ("number", "category", "text", "date")


def column_kind(name: str, cells: pd.Series) -> ColumnKind:
    """Say what the column ``name`` with these ``cells`` is. Nothing is learnt from a target."""
    cells = cells.reset_index(drop=True)
    if cells.dtype == object and not _single_values(cells):
        return ColumnKind("unusable", "its cells hold lists, mappings or bytes, not single values")
    if pd.api.types.is_complex_dtype(cells.dtype):
        return ColumnKind("unusable", "its cells are complex numbers")
    texts = cells if pd.api.types.is_numeric_dtype(cells.dtype) else as_strings(cells)
    present = texts.dropna()
    if present.empty:
        return ColumnKind("constant", "every cell is missing")
    levels = present.nunique()
    if levels == 1 and len(present) == len(texts):
        return ColumnKind("constant", f"constant: every cell is {_quote(present.iloc[0])}")
    found = _of_cells(name, cells, present)
    if not found.useful:
        return found
    return ColumnKind(found.kind, found.reason + _missing(texts), found.day_first, found.decimal_comma)


def names_an_id(name: str) -> bool:
    """Whether a column's ``name`` says that it names its rows, or what they belong to: ``id``, ``customer_id``, ``userId``, ``index``."""
    return bool(_ID_NAME.search(name) or _CAMEL_ID.search(name))


def _single_values(cells: pd.Series) -> bool:
    if pd.api.types.infer_dtype(cells) == "string":
        return True
    return all(isinstance(cell, Hashable) and not isinstance(cell, bytes | tuple) for cell in cells)


def _of_cells(name: str, cells: pd.Series, present: pd.Series) -> ColumnKind:
    if pd.api.types.is_bool_dtype(cells.dtype):
        return ColumnKind("category", "true or false")
    if pd.api.types.is_datetime64_any_dtype(cells.dtype):
        return ColumnKind("date", "dates")
    if pd.api.types.is_timedelta64_dtype(cells.dtype):
        return ColumnKind("unusable", "its cells are durations; write them as numbers to use them")
    numeric = _of_numbers(name, cells, present)
    if numeric is not None:
        return numeric
    if pd.api.types.is_numeric_dtype(cells.dtype):
        return ColumnKind("unusable", "most of its numbers are infinite or too large for 32 bits")
    return _of_strings(present)


def _of_strings(present: pd.Series) -> ColumnKind:
    counts = present.value_counts()
    distinct = pd.Series(counts.index, dtype=object)
    if set(distinct.str.casefold()) <= {"true", "false"}:
        return ColumnKind("category", "true or false")
    dates = _of_dates(present)
    if dates is not None:
        return dates
    levels = len(counts)
    words = float((distinct.str.count(_WORD).to_numpy() * counts.to_numpy()).sum() / len(present))
    if words >= _TEXT_WORDS and levels > _TEXT_LEVELS and levels >= _TEXT_SHARE * len(present):
        return ColumnKind("text", f"free text: {words:.0f} words a cell on average, {levels} different")
    if len(present) >= _FEWEST_ROWS_FOR_IDS and levels >= _NEARLY_ALL * len(present):
        return ColumnKind("identifier", f"an identifier: {levels} different strings in {len(present)} rows")
    return ColumnKind("category", f"{levels} levels")


def _of_numbers(name: str, cells: pd.Series, present: pd.Series) -> ColumnKind | None:
    """Return what the column is when its cells are numbers, ``None`` when they are not."""
    commas = not pd.api.types.is_numeric_dtype(cells.dtype) and bool(present.drop_duplicates().str.fullmatch(_DECIMAL_COMMA).any())
    plain = as_numbers(cells)
    numbers, decimal_comma = plain, False
    if commas:
        with_commas = as_numbers(cells, decimal_comma=True)
        if with_commas.notna().sum() > plain.notna().sum():
            numbers, decimal_comma = with_commas, True
    found = numbers.dropna()
    enough = 1 - _MOSTLY if pd.api.types.is_numeric_dtype(cells.dtype) else _MOSTLY
    if found.empty or len(found) < enough * len(present):
        return None
    if found.min() == found.max() and len(found) == len(cells):
        return ColumnKind("constant", f"constant: every cell is {found.iloc[0]:g}")
    whole = bool((found == np.floor(found)).all())
    distinct = found.nunique()
    if whole and len(found) >= _FEWEST_ROWS_FOR_IDS and distinct == len(found):
        if found.max() - found.min() == len(found) - 1:
            counter = f"a row counter: the whole numbers from {found.min():.0f} to {found.max():.0f}, each once"
            return ColumnKind("identifier", counter)
        if names_an_id(name):
            return ColumnKind("identifier", f"an identifier: {distinct} different whole numbers in {len(found)} rows")
    stray = present[numbers.loc[present.index].isna()]
    reason = "numbers" + (" written with a decimal comma" if decimal_comma else "")
    if not stray.empty:
        shown = ", ".join(_quote(text) for text in stray.drop_duplicates().head(3))
        reason += f"; {len(stray)} stray cell{'s' if len(stray) > 1 else ''} ({shown}) count as missing"
    return ColumnKind("number", reason, decimal_comma=decimal_comma)


def _of_dates(present: pd.Series) -> ColumnKind | None:
    """Return what the column is when its strings are dates, the day first where one of them can't be read otherwise."""
    sample = present.drop_duplicates()
    if sample.str.fullmatch(_DATE).mean() < _NEARLY_ALL:
        return None
    parsed = {day_first: as_dates(present, day_first=day_first).notna().mean() for day_first in (False, True)}
    leading = sample.str.extract(r"^(\d{1,2})[-/.]\d{1,2}[-/.]\d{2,4}", expand=False).dropna().astype(int)
    day_first = bool((leading > 12).any()) and parsed[True] >= _NEARLY_ALL
    if max(parsed.values()) < _NEARLY_ALL:
        return None
    return ColumnKind("date", "dates, the day first" if day_first else "dates", day_first=day_first)


def _missing(texts: pd.Series) -> str:
    count = int(texts.isna().sum())
    return f", {count} missing" if count else ""


def _quote(text: object) -> str:
    shown = str(text)
    return "“" + (shown if len(shown) <= 30 else shown[:27] + "…") + "”"

"""What each column of a table is: a number, a category, text, a date, or of no use."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable

import numpy as np
import pandas as pd

from automl._cells import Column, DatePart, as_dates, as_numbers, as_strings, date_part
from automl._columns import safe_names
from automl._errors import AutoMLError
from automl._trial import Feature

FEWEST_ROWS_FOR_IDS = 20
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
_DECIMAL_COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+),\d+")


def infer_features(frame: pd.DataFrame, target: str) -> tuple[tuple[Feature, ...], dict[str, str]]:
    """Say what each column but ``target`` is.

    Returns the features, under the names that Ludwig sees, in the table's order, and the dropped columns with the reason, under the
    table's own names. Nothing is learnt from the target.
    """
    columns, dropped = infer_columns(frame, target)
    return tuple(Feature(column.feature, column.type, column.reason) for column in columns), dropped


def infer_columns(frame: pd.DataFrame, target: str) -> tuple[tuple[Column, ...], dict[str, str]]:
    """Do what ``infer_features`` does, with each column's recipe for reading its cells."""
    if not frame.columns.is_unique:
        raise AutoMLError(f"the table has two columns called {frame.columns[frame.columns.duplicated()][0]!r}; give each a name of its own")
    frame = frame.reset_index(drop=True)
    safe = safe_names([str(name) for name in frame.columns])
    columns: list[Column] = []
    dropped: dict[str, str] = {}
    for name in frame.columns:
        if name == target:
            continue
        verdict = _infer(str(name), safe[str(name)], frame[name])
        if isinstance(verdict, str):
            dropped[str(name)] = verdict
        elif verdict.type == "date":
            columns += _date_columns(verdict, frame[name], set(safe.values()))
        else:
            columns.append(verdict)
    return tuple(columns), dropped


def _infer(name: str, feature: str, cells: pd.Series) -> Column | str:
    """Return the column's recipe, or the reason to drop it."""
    if cells.dtype == object and not all(isinstance(cell, Hashable) and not isinstance(cell, bytes | tuple) for cell in cells):
        return "its cells hold lists, mappings or bytes, not single values"
    if pd.api.types.is_complex_dtype(cells.dtype):
        return "its cells are complex numbers"
    texts = cells if pd.api.types.is_numeric_dtype(cells.dtype) else as_strings(cells)
    present = texts.dropna()
    if present.empty:
        return "every cell is missing"
    levels = present.nunique()
    if levels == 1 and len(present) == len(texts):
        return f"constant: every cell is {_quote(present.iloc[0])}"

    def kept(kind: str, reason: str, **reading: bool) -> Column:
        return Column.model_validate({"name": name, "feature": feature, "type": kind, "reason": reason + _missing(texts)} | reading)

    if pd.api.types.is_bool_dtype(cells.dtype):
        return kept("category", "true or false")
    if pd.api.types.is_datetime64_any_dtype(cells.dtype):
        return kept("date", "dates")
    if pd.api.types.is_timedelta64_dtype(cells.dtype):
        return "its cells are durations; write them as numbers to use them"
    numeric = _infer_number(name, cells, present)
    if numeric is not None:
        reason, reading = numeric
        return reason if reading is None else kept("number", reason, **reading)
    if pd.api.types.is_numeric_dtype(cells.dtype):
        return "most of its numbers are infinite or too large for 32 bits"
    return _infer_strings(present, levels, kept)


def _infer_strings(present: pd.Series, levels: int, kept: Callable[..., Column]) -> Column | str:
    if set(present.str.casefold().unique()) <= {"true", "false"}:
        return kept("category", "true or false")
    dates = _infer_date(present)
    if dates is not None:
        return kept("date", dates[0], day_first=dates[1])
    words = float(present.str.count(r"\S+").mean())
    if words >= _TEXT_WORDS and levels > _TEXT_LEVELS and levels >= _TEXT_SHARE * len(present):
        return kept("text", f"free text: {words:.0f} words a cell on average, {levels} different")
    if len(present) >= FEWEST_ROWS_FOR_IDS and levels >= _NEARLY_ALL * len(present):
        return f"an identifier: {levels} different strings in {len(present)} rows"
    return kept("category", f"{levels} levels")


def _infer_number(name: str, cells: pd.Series, present: pd.Series) -> tuple[str, dict[str, bool] | None] | None:
    """Return the reason and how to read the numbers; a reason alone for an identifier; ``None`` for no numbers."""
    commas = not pd.api.types.is_numeric_dtype(cells.dtype) and bool(present.str.fullmatch(_DECIMAL_COMMA).any())
    plain = as_numbers(cells)
    numbers, reading = plain, {"decimal_comma": False}
    if commas:
        with_commas = as_numbers(cells, decimal_comma=True)
        if with_commas.notna().sum() > plain.notna().sum():
            numbers, reading = with_commas, {"decimal_comma": True}
    found = numbers.dropna()
    enough = 1 - _MOSTLY if pd.api.types.is_numeric_dtype(cells.dtype) else _MOSTLY
    if found.empty or len(found) < enough * len(present):
        return None
    if found.min() == found.max() and len(found) == len(cells):
        return f"constant: every cell is {found.iloc[0]:g}", None
    whole = bool((found == np.floor(found)).all())
    distinct = found.nunique()
    if whole and len(found) >= FEWEST_ROWS_FOR_IDS and distinct == len(found):
        if found.max() - found.min() == len(found) - 1:
            return f"a row counter: the whole numbers from {found.min():.0f} to {found.max():.0f}, each once", None
        if _ID_NAME.search(name) or _CAMEL_ID.search(name):
            return f"an identifier: {distinct} different whole numbers in {len(found)} rows", None
    stray = present[numbers.loc[present.index].isna()]
    reason = "numbers" + (" written with a decimal comma" if reading["decimal_comma"] else "")
    if not stray.empty:
        shown = ", ".join(_quote(text) for text in stray.drop_duplicates().head(3))
        reason += f"; {len(stray)} stray cell{'s' if len(stray) > 1 else ''} ({shown}) count as missing"
    return reason, reading


def _infer_date(present: pd.Series) -> tuple[str, bool] | None:
    """Return the reason and whether the day stands first, or ``None`` when the strings are no dates."""
    sample = present.drop_duplicates()
    if sample.str.fullmatch(_DATE).mean() < _NEARLY_ALL:
        return None
    parsed = {day_first: as_dates(present, day_first=day_first).notna().mean() for day_first in (False, True)}
    leading = sample.str.extract(r"^(\d{1,2})[-/.]\d{1,2}[-/.]\d{2,4}", expand=False).dropna().astype(int)
    day_first = bool((leading > 12).any()) and parsed[True] >= _NEARLY_ALL
    if max(parsed.values()) < _NEARLY_ALL:
        return None
    return ("dates, the day first" if day_first else "dates"), day_first


def _date_columns(whole: Column, cells: pd.Series, taken: set[str]) -> list[Column]:
    """Part a date: its days are a number; month, weekday and hour are categories where they differ from row to row."""
    stamps = as_dates(cells, day_first=whole.day_first)
    parts: dict[DatePart, str] = {"days": "days since 2000", "month": "the month", "weekday": "the weekday", "hour": "the hour"}
    found = []
    for part, said in parts.items():
        if part != "days" and date_part(stamps, part).nunique() < 2:
            continue
        feature = whole.feature if part == "days" else f"{whole.feature}_{part}"
        while part != "days" and feature in taken:
            feature += "_"
        taken.add(feature)
        changes = {
            "feature": feature,
            "part": part,
            "type": "number" if part == "days" else "category",
            "reason": f"{whole.reason}: {said}",
        }
        found.append(whole.model_copy(update=changes))
    return found


def _missing(texts: pd.Series) -> str:
    count = int(texts.isna().sum())
    return f", {count} missing" if count else ""


def _quote(text: object) -> str:
    shown = str(text)
    return "“" + (shown if len(shown) <= 30 else shown[:27] + "…") + "”"

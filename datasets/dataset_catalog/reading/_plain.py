"""One set of plain dtypes for every table, whatever file it came from."""

from __future__ import annotations

import datetime as dt
import decimal
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

_EXACT = 2**53


def plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Return ``frame`` with NumPy dtypes alone: numbers, ``bool``, ``datetime64`` and ``object``; missing values are ``nan`` or ``NaT``.

    Categories become what they stand for, nullable and Arrow columns become plain ones, a whole-number column with missing values
    becomes floats, or text when it has numbers beyond 2^53, decimals become floats, dates become times, nested values become JSON text.
    """
    columns = [plain_column(frame.iloc[:, position]) for position in range(frame.shape[1])]
    answer = pd.DataFrame(dict(enumerate(columns)), index=frame.index)
    answer.columns = frame.columns
    answer.attrs = dict(frame.attrs)
    return answer


def plain_column(column: pd.Series) -> pd.Series:
    """Return one column with a plain dtype; see :func:`plain`."""
    dtype: Any = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        column = column.astype(dtype.categories.dtype if not column.isna().any() else object)
        dtype = column.dtype
    if isinstance(dtype, pd.ArrowDtype) and getattr(dtype.pyarrow_dtype, "tz", None):
        column = column.astype(pd.DatetimeTZDtype(dtype.pyarrow_dtype.unit, "UTC"))
        dtype = column.dtype
    if pd.api.types.is_bool_dtype(dtype) and not pd.api.types.is_object_dtype(dtype):
        whole: pd.Series = column.astype(object).where(column.notna(), np.nan) if column.isna().any() else column.astype(bool)
        return whole
    if pd.api.types.is_integer_dtype(dtype):
        if column.isna().any():
            return _gapped(column.astype(object))
        return column.astype(np.dtype(str(dtype).lower().split("[")[0]))
    if pd.api.types.is_float_dtype(dtype):
        return pd.Series(column.to_numpy(dtype=np.float32 if "32" in str(dtype) else np.float64, na_value=np.nan), index=column.index)
    if isinstance(dtype, np.dtype) and dtype.kind in "Mm":
        return column
    if isinstance(dtype, pd.DatetimeTZDtype):
        utc: pd.Series = column.dt.tz_convert("UTC").dt.tz_localize(None)
        return utc
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return column.astype("datetime64[us]")
    return _plain_objects(column.astype(object))


def _plain_objects(column: pd.Series) -> pd.Series:
    column = column.where(column.notna(), np.nan) if column.isna().any() else column
    kind = pd.api.types.infer_dtype(column, skipna=True)
    if kind in ("string", "empty", "boolean"):
        return column.astype(np.float64) if kind == "empty" else column
    present = column.dropna()
    if kind == "integer":
        return _gapped(column) if column.isna().any() else _narrowed(column)
    if kind in ("floating", "mixed-integer-float", "decimal"):
        return pd.to_numeric(column.map(lambda value: float(value) if isinstance(value, decimal.Decimal) else value))
    if kind in ("date", "datetime", "datetime64") and not present.map(lambda value: bool(getattr(value, "tzinfo", None))).any():
        return pd.to_datetime(column, errors="coerce").astype("datetime64[us]")
    return _each(column, _as_cell)


def _narrowed(column: pd.Series) -> pd.Series:
    try:
        return column.astype(np.int64)
    except OverflowError:  # a number beyond 64 bits is an identity, not a quantity
        return _each(column, str)


def _gapped(column: pd.Series) -> pd.Series:
    """Whole numbers with gaps become doubles, unless those would lose digits of an identity."""
    if any(abs(value) > _EXACT for value in column.dropna()):
        return _each(column, lambda value: np.nan if pd.isna(value) else str(value))
    return pd.Series(column.to_numpy(dtype=np.float64, na_value=np.nan), index=column.index)


def _each(column: pd.Series, change: Callable[[Any], Any]) -> pd.Series:
    """Change every cell, and keep the column one of objects, whatever pandas would make of it."""
    return pd.Series([change(cell) for cell in column], index=column.index, dtype=object)


def _as_cell(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return str(value) if isinstance(value, dt.date | dt.time) else value

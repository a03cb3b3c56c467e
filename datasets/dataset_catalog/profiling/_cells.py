"""The cells of one column by what they mean: two columns of equal content are read alike, whatever their dtypes."""

from __future__ import annotations

import datetime as dt
import decimal
import math
import numbers
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from dataset_catalog.content import cell_hashes
from dataset_catalog.profiling._figures import Floats, Whole

Kind = Literal["number", "date", "string", "other", "empty"]


@dataclass(frozen=True, eq=False)
class Cells:
    """One column's cells, one a row.

    ``kind`` number or date: ``numbers`` holds them (dates in seconds), ``nan`` where they are missing. string or other (true and false,
    mixed types): ``codes`` holds each cell's position among the distinct values, -1 where missing, and ``strings`` the distinct values of a
    column of strings. Codes are numbered as they come, so only their equality means something.
    """

    kind: Kind
    numbers: Floats
    codes: Whole
    strings: npt.NDArray[np.object_]

    @property
    def missing(self) -> npt.NDArray[np.bool_]:
        """Which cells are missing."""
        return np.isnan(self.numbers) if self.kind in ("number", "date") else self.codes < 0


_NO_NUMBERS: Floats = np.empty(0)
_NO_CODES: Whole = np.empty(0, dtype=np.int64)
_NO_STRINGS: npt.NDArray[np.object_] = np.empty(0, dtype=object)


def read_cells(column: pd.Series) -> Cells:
    """Read ``column``; the answer depends on the values of its cells alone."""
    dtype: Any = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        levels = pd.Series(column.cat.categories)
        column = levels.reindex(column.cat.codes.to_numpy())
        dtype = column.dtype
    if bool(column.isna().all()):
        return Cells("empty", _NO_NUMBERS, np.full(len(column), -1, dtype=np.int64), _NO_STRINGS)
    if pd.api.types.is_bool_dtype(dtype) or pd.api.types.is_complex_dtype(dtype):
        return _others(column)
    if pd.api.types.is_numeric_dtype(dtype):
        return _numbers("number", _doubles(column))
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return _numbers("date", _seconds_since_1970(column))
    if pd.api.types.is_timedelta64_dtype(dtype):
        return _numbers("number", _seconds(column.to_numpy(dtype="timedelta64[us]")))
    if isinstance(dtype, pd.StringDtype):
        return _strings(column)
    return _objects(column)


def _objects(column: pd.Series) -> Cells:
    column = column.astype(object)
    if pd.api.types.infer_dtype(column, skipna=True) == "string":
        return _strings(column)
    missing = column.isna().to_numpy()
    present = column[~missing]
    if all(isinstance(cell, numbers.Real | decimal.Decimal) and not isinstance(cell, bool | np.bool_) for cell in present):
        doubles = [math.nan if gone else _as_double(cell) for cell, gone in zip(column, missing, strict=True)]
        return _numbers("number", np.array(doubles, dtype=np.float64))
    if all(isinstance(cell, dt.date | np.datetime64) for cell in present):
        return _numbers("date", np.array([math.nan if gone else _moment(cell) for cell, gone in zip(column, missing, strict=True)]))
    return _others(column)


def _numbers(kind: Literal["number", "date"], values: Floats) -> Cells:
    return Cells(kind, values + 0.0, _NO_CODES, _NO_STRINGS)  # -0.0 becomes 0.0


def _strings(column: pd.Series) -> Cells:
    codes, strings = pd.factorize(np.asarray(column, dtype=object))
    return Cells("string", _NO_NUMBERS, codes.astype(np.int64), np.asarray(strings, dtype=object))


def _others(column: pd.Series) -> Cells:
    """By their hashes: what the fingerprint takes for equal is equal here."""
    codes = np.unique(cell_hashes(column)[:, 0], return_inverse=True)[1].astype(np.int64)
    codes[column.isna().to_numpy()] = -1
    return Cells("other", _NO_NUMBERS, codes, _NO_STRINGS)


def _doubles(column: pd.Series) -> Floats:
    """Narrow floats are read as the shortest decimal that they stand for, as the fingerprint reads them."""
    values: Floats = column.to_numpy(dtype=np.float64, na_value=np.nan)
    name = column.dtype.name.lower()
    if "float16" in name or "halffloat" in name:
        distinct, codes = np.unique(values.astype(np.float16), return_inverse=True)
        return np.array([float(str(value)) for value in distinct], dtype=np.float64)[codes]
    if name in ("float32", "float[pyarrow]", "float32[pyarrow]"):
        spelled = pc.cast(pa.array(values.astype(np.float32)), pa.string())
        return np.array(pc.cast(spelled, pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)
    return values


def _as_double(cell: Any) -> float:
    try:
        return float(str(cell)) if isinstance(cell, np.floating) else float(cell)
    except OverflowError:  # a whole number beyond any double
        return math.inf if cell > 0 else -math.inf


def _moment(cell: Any) -> float:
    return float(_seconds_since_1970(pd.Series([pd.Timestamp(cell)]))[0])


def _seconds_since_1970(column: pd.Series) -> Floats:
    if isinstance(column.dtype, pd.ArrowDtype):
        return _seconds(pa.array(column).cast(pa.timestamp("us"), safe=False).to_numpy(zero_copy_only=False))
    if isinstance(column.dtype, pd.DatetimeTZDtype):
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    return _seconds(column.to_numpy(dtype="datetime64[us]"))


def _seconds(micros: npt.NDArray[Any]) -> Floats:
    seconds = micros.astype(np.int64) / 1e6
    seconds[np.isnat(micros)] = np.nan
    return seconds

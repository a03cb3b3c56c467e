"""Cells to numbers: a hash of every cell that depends on its value alone, not on a dtype, a file format or a library's version."""

from __future__ import annotations

import datetime as dt
import decimal
import hashlib
import json
import math
import numbers
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from dataset_catalog._errors import CatalogError

Hashes = npt.NDArray[np.uint64]

_MISSING = np.array([0x6D697373696E6700, 0x00676E697373696D], dtype=np.uint64)
_STEP = np.array([0x9E3779B97F4A7C15, 0xD1B54A32D192ED03], dtype=np.uint64)
_EXACT = 2**53


def mix(values: Hashes) -> Hashes:
    """Scatter 64-bit words so that each bit of the answer depends on every bit given (the finaliser of SplitMix64, Steele et al., 2014)."""
    with np.errstate(over="ignore"):
        values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def digest(tag: bytes, content: bytes) -> Hashes:
    """Return two 64-bit words for ``content``, of the kind that ``tag`` names."""
    return np.frombuffer(hashlib.blake2b(content, digest_size=16, person=tag).digest(), dtype="<u8").astype(np.uint64)


def row_hashes(frame: pd.DataFrame) -> Hashes:
    """Hash the rows of ``frame``: shape (rows, 2), equal where the cells of equally named columns are equal.

    Neither the order of the columns nor their dtypes matter: ``1``, ``1.0`` and a category ``1`` are one value, every missing value is
    alike, and ``"1"`` is another value than ``1``.
    """
    names = column_names(frame)
    total = np.zeros((len(frame), 2), dtype=np.uint64)
    for position, name in enumerate(names):
        salt = digest(b"column", name.encode("utf-8", "surrogatepass"))
        total += mix(cell_hashes(frame.iloc[:, position]) ^ salt)
    return mix(total + _STEP)


def column_names(frame: pd.DataFrame) -> list[str]:
    """Return the names of the columns as text; two alike are refused, since content could not be told apart."""
    names = [str(name) for name in frame.columns]
    if len(set(names)) != len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise CatalogError(f"column names repeat: {', '.join(twice)}; rename them so that each is named once")
    return names


def cell_hashes(column: pd.Series) -> Hashes:
    """Hash the cells of one column: shape (rows, 2)."""
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _of_codes(column.cat.codes.to_numpy(), cell_hashes(pd.Series(column.cat.categories)))
    missing = column.isna().to_numpy(dtype=bool)
    if pd.api.types.is_bool_dtype(dtype):
        hashes = _of_integers(column.fillna(value=False).to_numpy(dtype=np.int64), b"boolean")
    elif pd.api.types.is_integer_dtype(dtype):
        hashes = _of_whole_numbers(column.fillna(0) if missing.any() else column)
    elif pd.api.types.is_float_dtype(dtype):
        hashes = _of_floats(column)
    elif pd.api.types.is_datetime64_any_dtype(dtype):
        hashes = _of_times(column)
    elif pd.api.types.is_timedelta64_dtype(dtype):
        hashes = _of_integers(column.to_numpy(dtype="timedelta64[us]").astype(np.int64), b"duration")
    else:
        return _of_objects(column)
    hashes[missing] = _MISSING
    return hashes


def _of_codes(codes: npt.NDArray[Any], values: Hashes) -> Hashes:
    """Hashes of values that are given by position in ``values``; -1 is a missing one."""
    return cast("Hashes", np.vstack([values.reshape(-1, 2), _MISSING])[codes])


def _of_integers(values: npt.NDArray[np.int64], tag: bytes) -> Hashes:
    return mix(mix(values.view(np.uint64)[:, None] + _STEP) ^ digest(tag, b""))


def _of_doubles(values: npt.NDArray[np.float64]) -> Hashes:
    values = values + 0.0  # -0.0 becomes 0.0
    values[np.isnan(values)] = np.nan
    return _of_integers(values.view(np.int64), b"number")


def _of_whole_numbers(column: pd.Series) -> Hashes:
    """As doubles, with what a double cannot hold of a number beyond 2**53 mixed in."""
    values = column.to_numpy(dtype=np.uint64 if column.dtype.name.lower() == "uint64" else np.int64)
    hashes = _of_doubles(values.astype(np.float64))
    for row in np.flatnonzero((values > _EXACT) | (values.astype(np.int64) < -_EXACT)):
        hashes[row] = _of_whole_number(int(values[row]))
    return hashes


def _of_whole_number(value: int) -> Hashes:
    try:
        double = float(value)
    except OverflowError:
        return digest(b"integer", str(value).encode())
    remainder = value - int(double)
    hashes = cast("Hashes", _of_doubles(np.array([double]))[0])
    return hashes ^ digest(b"remainder", str(remainder).encode()) if remainder else hashes


def _of_floats(column: pd.Series) -> Hashes:
    """Narrow floats are read as the shortest decimal that they stand for, so that 0.1 is one value at every width."""
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    if column.dtype.name.lower() in ("float32", "float16"):
        narrow = np.float32 if column.dtype.name.lower() == "float32" else np.float16
        distinct, codes = np.unique(values.astype(narrow), return_inverse=True)
        values = np.array([float(str(value)) for value in distinct], dtype=np.float64)[codes]
    return _of_doubles(values)


def _of_times(column: pd.Series) -> Hashes:
    tag = b"time"
    if isinstance(column.dtype, pd.ArrowDtype):
        column = _without_arrow(column, column.dtype.pyarrow_dtype)
    if isinstance(column.dtype, pd.DatetimeTZDtype):
        column, tag = column.dt.tz_convert("UTC").dt.tz_localize(None), b"instant"
    micros = column.to_numpy(dtype="datetime64[us]")
    hashes = _of_integers(micros.astype(np.int64), tag)
    if np.datetime_data(column.to_numpy().dtype)[0] == "ns":
        rest = (column.to_numpy() - micros.astype("datetime64[ns]")).astype(np.int64)
        some = (rest != 0) & ~np.isnat(micros)
        hashes[some] ^= _of_integers(rest[some], b"nanoseconds")
    return hashes


def _without_arrow(column: pd.Series, kind: Any) -> pd.Series:
    """Return Arrow's dates, times and instants (of any time zone) as NumPy's or pandas' own; a date is the time at which it begins."""
    unit: Any = kind.unit if hasattr(kind, "tz") else "us"  # of timestamps alone: a date has days or milliseconds
    wanted: Any = pd.DatetimeTZDtype(unit, "UTC") if getattr(kind, "tz", None) else f"datetime64[{unit}]"
    return column.astype(wanted)


def _of_objects(column: pd.Series) -> Hashes:
    values = column.to_numpy(dtype=object)
    if pd.api.types.infer_dtype(values, skipna=True) in ("string", "empty"):
        codes, distinct = pd.factorize(values)
    else:  # True, 1 and 1.0 are equal to a hash table, and lists have no place in one: keys say the type
        codes, keys = pd.factorize(np.array([_key(value) for value in values], dtype=object))
        first = np.zeros(len(keys), dtype=np.int64)
        first[codes[::-1]] = np.arange(len(codes))[::-1]
        distinct = values[first]
    hashes = np.empty((len(distinct), 2), dtype=np.uint64)
    for position, value in enumerate(distinct):
        hashes[position] = _of_object(value)
    return _of_codes(codes, hashes)


def _key(value: object) -> str:
    return f"{type(value).__name__}:{value!r}"


def _of_object(value: object) -> Hashes:
    if isinstance(value, str):
        return digest(b"text", value.encode("utf-8", "surrogatepass"))
    if isinstance(value, bytes):
        return digest(b"bytes", value)
    if isinstance(value, list | tuple | set | dict | np.ndarray):
        return digest(b"nested", json.dumps(value, sort_keys=True, default=_listed).encode())
    if value is None or value is pd.NaT or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return _MISSING
    if isinstance(value, bool | np.bool_):
        return cast("Hashes", _of_integers(np.array([int(value)]), b"boolean")[0])
    if isinstance(value, numbers.Integral):
        return _of_whole_number(int(value))
    if isinstance(value, numbers.Real | decimal.Decimal):
        return cast("Hashes", cell_hashes(pd.Series([float(value)]))[0])
    if isinstance(value, dt.date | np.datetime64):
        return cast("Hashes", _of_times(pd.Series([pd.Timestamp(value)]))[0])
    return digest(b"other", f"{type(value).__name__}:{value}".encode("utf-8", "surrogatepass"))


def _listed(value: Any) -> Any:
    return (
        value.tolist() if isinstance(value, np.ndarray | np.generic) else sorted(value, key=str) if isinstance(value, set) else str(value)
    )

"""The split by time: the latest rows are the test part, those before them the validation part."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from dataset_catalog._errors import CatalogError
from dataset_catalog.columns import as_dates, as_numbers, as_strings, column_kind
from dataset_catalog.splitting._strata import TEST, TRAINING, VALIDATION, Parts, check_shares

Moments = npt.NDArray[np.float64]


def time_parts(column: pd.Series, *, validation_share: float = 0.1, test_share: float = 0.2) -> Parts:
    """Part rows by the times in ``column``, which are read by :func:`moments`.

    The test part is the latest ``test_share`` of all rows, the validation part the ``validation_share`` before them. Rows of one moment
    stay together, so that a part may be a little larger or smaller than its share. A row without a time goes to the training part.

    Raises :class:`CatalogError` for a cell that is no time, and for fewer different moments than parts.
    """
    check_shares(validation_share, test_share)
    times = moments(column)
    distinct, counts = np.unique(times[~np.isnan(times)], return_counts=True)
    shares = [(part, share) for part, share in ((TEST, test_share), (VALIDATION, validation_share)) if share > 0]
    if len(distinct) <= len(shares):
        raise CatalogError(f"{column.name!r} holds {len(distinct)} different times; a part each needs at least {len(shares) + 1}")
    parts = np.full(len(column), TRAINING, dtype=np.int8)
    last = len(distinct)
    for position, (part, share) in enumerate(shares):
        still = len(shares) - position - 1  # each part to come, and the training part, must keep a moment
        first = _first(counts[:last], share * len(column), least=still + 1)
        parts[(times >= distinct[first]) & (parts == TRAINING)] = part
        last = first
    return parts


def moments(column: pd.Series) -> Moments:
    """Return the cells as numbers that rise with time, ``nan`` where there is none.

    Times, numbers (years, seconds), and text that spells either; dates written in figures have the month first unless one of them can't.
    Raises :class:`CatalogError` that names the first cell which is no time.
    """
    if pd.api.types.is_bool_dtype(column.dtype):
        raise CatalogError(f"{column.name!r} holds truth values, which no rows can be put in order of time by")
    if pd.api.types.is_timedelta64_dtype(column.dtype):
        return _float(column.to_numpy(dtype="timedelta64[us]"))
    texts = column if pd.api.types.is_numeric_dtype(column.dtype) or column.dtype.kind == "M" else as_strings(column)
    numbers = as_numbers(column) if column.dtype.kind != "M" else pd.Series(np.nan, index=column.index)
    if texts.notna().any() and numbers.notna().sum() == texts.notna().sum():
        return np.asarray(numbers, dtype=np.float64)
    dates = as_dates(column, day_first=column_kind(str(column.name), column).day_first)
    stray = texts[dates.isna() & texts.notna()]
    if len(stray) or pd.api.types.is_numeric_dtype(column.dtype):
        told = repr(str(stray.iloc[0])) if len(stray) else "no time"
        raise CatalogError(
            f"{column.name!r} holds {told} in {max(len(stray), 1)} rows, which is no time; mend those cells, or leave the rows out"
        )
    return _float(dates.to_numpy(dtype="datetime64[us]"))


def _first(counts: npt.NDArray[np.int64], wanted: float, *, least: int) -> int:
    """Return the moment from which on the rows come nearest to ``wanted``, with at least ``least`` moments before it."""
    latest = np.cumsum(counts[::-1])[::-1]
    candidates = np.arange(least, len(counts))
    return int(candidates[np.argmin(np.abs(latest[candidates] - wanted))])


def _float(values: npt.NDArray[np.datetime64] | npt.NDArray[np.timedelta64]) -> Moments:
    return np.where(np.isnat(values), np.nan, values.astype(np.int64).astype(np.float64))

"""What people do to a table before somebody else meets it: the disguises that a row sketch is measured by."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd


def renamed(frame: pd.DataFrame) -> pd.DataFrame:
    """Give other names and another order of rows."""
    shuffled = frame.sample(frac=1, random_state=3)
    return shuffled.set_axis([f"v{number}" for number in range(frame.shape[1])], axis=1).reset_index(drop=True)


def reordered(frame: pd.DataFrame) -> pd.DataFrame:
    """Columns in another order."""
    return frame[list(np.random.default_rng(1).permutation(frame.columns))]


def rounded(frame: pd.DataFrame, digits: int = 3) -> pd.DataFrame:
    """Numbers to so many significant digits."""
    numbers = frame.select_dtypes("number").columns
    return frame.assign(**{name: frame[name].map(lambda value: float(f"{value:.{digits - 1}e}")) for name in numbers})


def thinned(frame: pd.DataFrame, share: float) -> pd.DataFrame:
    """Keep a share of the rows."""
    return frame.sample(frac=share, random_state=2)


def cut(frame: pd.DataFrame, share: float) -> pd.DataFrame:
    """Drop a share of the columns, one at least."""
    gone = np.random.default_rng(4).choice(frame.columns, max(1, round(share * frame.shape[1])), replace=False)
    return frame.drop(columns=list(gone))


def widened(frame: pd.DataFrame) -> pd.DataFrame:
    """Add a quarter more columns."""
    rng = np.random.default_rng(5)
    more = {f"new{number}": rng.normal(size=len(frame)) for number in range(max(1, frame.shape[1] // 4))}
    return frame.assign(**more)


def one_hot(frame: pd.DataFrame) -> pd.DataFrame:
    """Categories as columns of 0 and 1."""
    return pd.get_dummies(frame, dtype=int)


def coded(frame: pd.DataFrame) -> pd.DataFrame:
    """Categories as numbers."""
    texts = frame.select_dtypes(exclude="number").columns
    return frame.assign(**{name: pd.factorize(frame[name], sort=True)[0] for name in texts})


def standardised(frame: pd.DataFrame) -> pd.DataFrame:
    """Numbers less their mean, by their deviation."""
    numbers = frame.select_dtypes("number").columns
    return frame.assign(**{name: (frame[name] - frame[name].mean()) / frame[name].std() for name in numbers})


CHANGES: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "renamed, rows shuffled": renamed,
    "columns reordered": reordered,
    "three digits": rounded,
    "half the rows": lambda frame: thinned(frame, 0.5),
    "20% of the rows": lambda frame: thinned(frame, 0.2),
    "5% of the rows": lambda frame: thinned(frame, 0.05),
    "one column dropped": lambda frame: cut(frame, 0),
    "25% of the columns dropped": lambda frame: cut(frame, 0.25),
    "50% of the columns dropped": lambda frame: cut(frame, 0.5),
    "columns added": widened,
    "one-hot": one_hot,
    "categories coded": coded,
    "another target": lambda frame: frame.iloc[:, :-1].assign(other=np.arange(len(frame)) % 3),
    "half the rows, 25% dropped, renamed": lambda frame: renamed(cut(thinned(frame, 0.5), 0.25)),
    "half the rows, three digits, reordered": lambda frame: reordered(rounded(thinned(frame, 0.5))),
    "standardised": standardised,
}

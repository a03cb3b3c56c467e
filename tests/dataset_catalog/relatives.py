"""Tables of several styles, and relatives built from them: what a row sketch must see through."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

WORDS = [
    "red",
    "blue",
    "green",
    "amber",
    "teal",
    "ochre",
    "umber",
    "ivory",
    "coral",
    "slate",
    "olive",
    "rust",
    "sand",
    "moss",
    "plum",
    "rose",
]


def figures(rows: int = 1500, seed: int = 0) -> pd.DataFrame:
    """Real numbers, as physics has them."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame({f"x{number}": rng.lognormal(number % 3, 1, rows).round(5) for number in range(8)}).assign(
        y=rng.integers(0, 2, rows)
    )


def people(rows: int = 1500, seed: int = 0) -> pd.DataFrame:
    """Ages, sums and categories, some missing."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": rng.integers(17, 91, rows),
            "income": rng.lognormal(10, 1, rows).round(0),
            "debt": np.where(rng.random(rows) < 0.5, 0, rng.lognormal(8, 1, rows).round(2)),
            "weight": rng.integers(20_000, 900_000, rows),
            "trade": rng.choice([f"{one} {other}" for one in WORDS for other in ("maker", "seller")], rows),
            "state": rng.choice(WORDS, rows),
            "owns": rng.choice(["yes", "no"], rows),
            "hours": rng.integers(1, 99, rows),
            "y": rng.choice(["low", "high"], rows),
        }
    )
    return table.mask(rng.random(table.shape) < 0.03)


def letters(rows: int = 1500, seed: int = 0) -> pd.DataFrame:
    """Long rows of four letters, as genes are written."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame({f"p{number}": rng.choice(list("ACGT"), rows) for number in range(60)}).assign(y=rng.choice(["N", "IE"], rows))


def pixels(rows: int = 1500, seed: int = 0) -> pd.DataFrame:
    """Small whole numbers."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame({f"p{number}": rng.binomial(15, 0.2 + number / 40, rows) for number in range(20)}).assign(y=rng.choice(WORDS, rows))


def reviews(rows: int = 800, seed: int = 0) -> pd.DataFrame:
    """Text with a label."""
    rng = np.random.default_rng(seed)
    words = [f"{one}{other}" for one in WORDS for other in ("", "ish", "ly", "er", "est")]
    texts = [" ".join(rng.choice(words, rng.integers(6, 40))) for _ in range(rows)]
    return pd.DataFrame({"text": texts, "y": rng.choice(["good", "bad"], rows)})


STYLES: dict[str, Callable[..., pd.DataFrame]] = {
    "figures": figures,
    "people": people,
    "letters": letters,
    "pixels": pixels,
    "reviews": reviews,
}


def renamed(frame: pd.DataFrame) -> pd.DataFrame:
    """Other names, other dtypes, other order of rows."""
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
    """A share of the rows."""
    return frame.sample(frac=share, random_state=2)


def cut(frame: pd.DataFrame, share: float) -> pd.DataFrame:
    """A share of the columns dropped, one at least."""
    gone = np.random.default_rng(4).choice(frame.columns, max(1, round(share * frame.shape[1])), replace=False)
    return frame.drop(columns=list(gone))


def widened(frame: pd.DataFrame) -> pd.DataFrame:
    """A quarter more columns."""
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

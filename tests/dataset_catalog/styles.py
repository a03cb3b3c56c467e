"""Tables of several styles, from which relatives are built: what a row sketch must see through."""

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

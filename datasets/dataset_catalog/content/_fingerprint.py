"""The fingerprint of a table's content, and the order of rows that follows from content alone."""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt
import pandas as pd

from dataset_catalog.content._encoding import Hashes, column_names, row_hashes

FINGERPRINT_VERSION = 1


def fingerprint(frame: pd.DataFrame) -> str:
    """Name the content of ``frame``: its column names, its cells and their types, in 128 bits.

    Independent of file format, row order, column order and the width of dtypes; repeated rows count. The answer starts with the
    version of the encoding, ``f1-``, and is safe as a file name. Raises :class:`CatalogError` when two columns share a name.
    """
    hashes = row_hashes(frame)
    return _name(frame, hashes[order_of(hashes)])


def canonical_order(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of ``frame`` in an order that depends on their content alone, with a fresh index.

    Rows stand in the order of their hashes, so the order says nothing about the values: its first rows are a fair sample.
    """
    return frame.iloc[canonical_positions(frame)].reset_index(drop=True)


def canonical_positions(frame: pd.DataFrame) -> npt.NDArray[np.int64]:
    """Return the positions of the rows of ``frame`` in canonical order; equal rows keep the order in which they stand."""
    return order_of(row_hashes(frame))


def ordered_and_named(frame: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return ``frame`` in canonical order with its fingerprint, hashing the cells once."""
    hashes = row_hashes(frame)
    order = order_of(hashes)
    return frame.iloc[order].reset_index(drop=True), _name(frame, hashes[order])


def _name(frame: pd.DataFrame, ordered: Hashes) -> str:
    hasher = hashlib.blake2b(digest_size=16, person=b"fingerprint")
    for name in sorted(column_names(frame)):
        encoded = name.encode("utf-8", "surrogatepass")
        hasher.update(len(encoded).to_bytes(8, "little") + encoded)
    hasher.update(len(frame).to_bytes(8, "little"))
    hasher.update(ordered.astype("<u8").tobytes())
    return f"f{FINGERPRINT_VERSION}-{hasher.hexdigest()}"


def order_of(hashes: Hashes) -> npt.NDArray[np.int64]:
    """Return the positions of rows with these hashes in canonical order."""
    return np.lexsort((hashes[:, 1], hashes[:, 0])).astype(np.int64)

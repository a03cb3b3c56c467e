"""The split by group: rows that share a value stay together, and each part gets its share of every class as far as groups allow."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from dataset_catalog._errors import CatalogError
from dataset_catalog.content import Hashes, cell_hashes
from dataset_catalog.splitting._strata import TEST, TRAINING, VALIDATION, Numbers, Parts, check_shares

Matrix = npt.NDArray[np.float64]


def group_parts(
    column: pd.Series, strata: Numbers, row_hashes: Hashes, *, seed: int = 0, validation_share: float = 0.1, test_share: float = 0.2
) -> Parts:
    """Part rows so that those alike in ``column`` stay together.

    Groups go, the largest first, to the part that is furthest behind its share of rows and of every one of the ``strata`` (classes, or
    tenths of a quantity), as in scikit-learn's ``StratifiedGroupKFold``, which knows folds of equal size alone; of groups of the very same
    make-up, most are dealt out by share first. Each part gets a group. A row without a group is a group of its own, together with its
    repetitions (``row_hashes``). The order of rows does not matter; ``seed`` decides between groups that are alike.

    Raises :class:`CatalogError` when there are fewer groups than parts.
    """
    check_shares(validation_share, test_share)
    shares = {TRAINING: 1 - validation_share - test_share, VALIDATION: validation_share, TEST: test_share}
    wanted = np.array([shares[part] for part in sorted(shares)])
    groups = _numbered(column, row_hashes)
    needed, count = int((wanted > 0).sum()), int(groups.max()) + 1 if len(groups) else 0
    if count < needed:
        raise CatalogError(f"{column.name!r} holds {count} groups; a part each needs at least {needed}: split by another column")
    makeup = np.zeros((count, int(strata.max()) + 1), dtype=np.float64)
    np.add.at(makeup, (groups, strata), 1)
    return _allocated(makeup, wanted, np.random.default_rng(seed).permutation(count))[groups]


def _numbered(column: pd.Series, row_hashes: Hashes) -> Numbers:
    """Return the group of each row, numbered in the order of their values' hashes: by content, whatever the order of rows."""
    keys = cell_hashes(column.reset_index(drop=True)).copy()
    alone = column.isna().to_numpy()
    keys[alone] = ~row_hashes[alone]
    return np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _allocated(makeup: Matrix, wanted: Matrix, shuffled: Numbers) -> Parts:
    """Deal out groups that are alike by share, all but three of each make-up, and then the others one by one."""
    parts = np.full(len(makeup), -1, dtype=np.int8)
    weighed = _weighed(makeup)
    behind = np.outer(wanted, weighed.sum(axis=0))  # what each part still lacks of each stratum and of rows, weighed
    for alike in _alike(makeup, shuffled):
        given = 0
        for part, share in enumerate(wanted):
            few = max(int(share * (len(alike) - 3)), 0)
            parts[alike[given : given + few]] = part
            behind[part] -= few * weighed[alike[0]]
            given += few
    left = shuffled[parts[shuffled] < 0]
    left = left[np.argsort(-makeup[left].sum(axis=1), kind="stable")]
    empty = {part for part, share in enumerate(wanted) if share > 0 and not (parts == part).any()}
    for done, group in enumerate(left):
        choices = sorted(empty) if len(left) - done <= len(empty) else list(np.flatnonzero(wanted > 0))
        gains = [float(weighed[group] @ (2 * behind[part] - weighed[group])) for part in choices]
        part = int(choices[int(np.argmax(gains))])
        parts[group] = part
        behind[part] -= weighed[group]
        empty.discard(part)
    return parts


def _weighed(makeup: Matrix) -> Matrix:
    """Shares of each stratum's rows, all strata together weighing as much as the share of all rows, which is added as one more."""
    totals = np.maximum(makeup.sum(axis=0), 1)
    of_rows = makeup.sum(axis=1, keepdims=True) / max(makeup.sum(), 1)
    return np.hstack([makeup / totals / np.sqrt(makeup.shape[1]), of_rows])


def _alike(makeup: Matrix, shuffled: Numbers) -> list[Numbers]:
    """Return groups of the same make-up, in the order of the shuffle."""
    kinds = np.unique(makeup[shuffled], axis=0, return_inverse=True)[1].reshape(-1)
    order = np.argsort(kinds, kind="stable")
    return list(np.split(shuffled[order], np.flatnonzero(np.diff(kinds[order])) + 1))

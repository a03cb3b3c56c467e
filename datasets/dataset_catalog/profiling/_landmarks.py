"""Landmarkers: how well the simplest models do on a sample (Pfahringer, Bensusan and Giraud-Carrier, 2000)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dataset_catalog.profiling._columns import ColumnFacts
from dataset_catalog.profiling._design import design
from dataset_catalog.profiling._fields import Summary
from dataset_catalog.profiling._figures import Floats, Whole, summary
from dataset_catalog.profiling._rows import Target

MOST_ROWS = 2000
_FOLDS = 5
_FEWEST_ROWS = 10
_RARE = 20
_WORST = -1.0
LANDMARKERS = ("one_nn", "best_node", "linear_discr", "naive_bayes")


def landmarks(columns: Sequence[ColumnFacts], target: Target) -> dict[str, Any]:
    """Score each landmarker by five-fold cross-validation on at most 2,000 rows of a sample, ``target`` being of the same sample.

    Classification: balanced accuracy, all classes weighted alike, scaled so that 0 is a constant answer and 1 faultless; classes of fewer
    than five rows are left out, rare ones drawn first. Regression: R², 0 being the mean of the training rows, and at least -1.
    """
    nothing: dict[str, Any] = {"landmark_rows": None} | dict.fromkeys(LANDMARKERS, Summary())
    rows = _rows_of_classes(target.classes) if target.classes is not None else _rows_of_numbers(target.numbers)
    if rows is None:
        return nothing
    matrix = design(columns, rows)
    if matrix is None:
        return nothing
    dense = isinstance(matrix, np.ndarray)
    if target.classes is not None:
        known = np.unique(target.classes[rows], return_inverse=True)[1].astype(np.int64)
        models = _classifiers(int(known.max()) + 1, dense=dense)
        found = {name: _cross_validated(model, matrix, known, _stratified(known), _balanced) for name, model in models.items()}
    else:
        scaled, folds = _scaled(target, rows), np.arange(len(rows)) % _FOLDS
        found = {name: _cross_validated(model, matrix, scaled, folds, _explained) for name, model in _regressors().items()}
    return nothing | {"landmark_rows": len(rows)} | {name: summary(scores) for name, scores in found.items()}


def _rows_of_classes(classes: Whole) -> Whole | None:
    """Return the first rows, but up to twenty of each class before any other; ``None`` when fewer than two classes have enough."""
    ranks = _ranks(classes)
    few = min(_RARE, max(MOST_ROWS // (2 * (int(classes.max(initial=0)) + 1)), _FOLDS))
    first = np.lexsort((np.arange(len(classes)), ranks >= few))[:MOST_ROWS]
    rows = np.sort(first)
    sizes = np.bincount(classes[rows])
    rows = rows[sizes[classes[rows]] >= _FOLDS]
    return rows.astype(np.int64) if len(np.unique(classes[rows])) > 1 else None


def _rows_of_numbers(numbers: Floats | None) -> Whole | None:
    if numbers is None or len(numbers) < _FEWEST_ROWS or numbers[:MOST_ROWS].min() == numbers[:MOST_ROWS].max():
        return None
    return np.arange(min(len(numbers), MOST_ROWS))


def _ranks(classes: Whole) -> Whole:
    """Count the rows of each class from 0."""
    order = np.argsort(classes, kind="stable")
    sizes = np.bincount(classes)
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return ranks.astype(np.int64)


def _stratified(classes: Whole) -> Whole:
    """Deal each class's rows out to the folds, going on where the class before it ended."""
    sizes = np.bincount(classes)
    return (_ranks(classes) + (np.cumsum(sizes) - sizes)[classes]) % _FOLDS


def _scaled(target: Target, rows: Whole) -> Floats:
    numbers = np.asarray(target.numbers, dtype=np.float64)[rows]
    scaled = numbers / np.abs(numbers).max()
    spread = float(scaled.std())
    return np.asarray((scaled - scaled.mean()) / (spread or 1.0))


def _classifiers(classes: int, *, dense: bool) -> dict[str, Any]:
    from sklearn.linear_model import RidgeClassifier
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    models = {
        "one_nn": KNeighborsClassifier(1, algorithm="brute"),
        "best_node": DecisionTreeClassifier(max_depth=1, class_weight="balanced", random_state=0),
        "linear_discr": RidgeClassifier(alpha=1.0, class_weight="balanced"),
    }
    return models | ({"naive_bayes": GaussianNB(priors=np.full(classes, 1 / classes), var_smoothing=1e-2)} if dense else {})


def _regressors() -> dict[str, Any]:
    from sklearn.linear_model import Ridge
    from sklearn.neighbors import KNeighborsRegressor
    from sklearn.tree import DecisionTreeRegressor

    return {
        "one_nn": KNeighborsRegressor(1, algorithm="brute"),
        "best_node": DecisionTreeRegressor(max_depth=1, random_state=0),
        "linear_discr": Ridge(alpha=1.0),
    }


def _cross_validated(model: Any, matrix: Any, known: Any, folds: Whole, score: Callable[[Any, Any, Any], float]) -> list[float]:
    scores = []
    for fold in range(_FOLDS):
        train, test = folds != fold, folds == fold
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of columns that are alike in the training rows: the answer is a constant then
            told = model.fit(matrix[train], known[train]).predict(matrix[test])
        scores.append(score(known[train], known[test], told))
    return scores


def _balanced(_: Whole, truth: Whole, told: Whole) -> float:
    classes = np.unique(truth)
    recalls = np.bincount(truth[truth == told], minlength=int(classes[-1]) + 1)[classes] / np.bincount(truth)[classes]
    chance = 1 / len(classes)
    return float((recalls.mean() - chance) / (1 - chance))


def _explained(train: Floats, truth: Floats, told: Floats) -> float:
    constant = float(((truth - train.mean()) ** 2).sum())
    if constant == 0:
        return float("nan")
    return max(_WORST, 1 - float(((truth - told) ** 2).sum()) / constant)

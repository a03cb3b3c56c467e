"""The reference arms: scikit-learn estimators on the same split, the same rows and the same scorer as every Ludwig trial."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from automl import AutoMLError, TaskTable, score, scorer_for
from experiments.validating._encoding import Encoded, encode

TRAINING, VALIDATION, TEST = 0, 1, 2
HGB = "HistGradientBoosting"


@dataclass(frozen=True)
class ReferenceScore:
    """What one estimator reached on the part that was asked for, in the table's metric, and how long it took."""

    name: str
    score: float
    seconds: float


def hgb_reference(table: TaskTable, *, seed: int = 0) -> ReferenceScore:
    """Score an untuned HistGradientBoosting with native categories, fitted on the training rows of ``table``.

    It never sees the validation rows, as no Ludwig trial learns from them. Free text is left out.
    """
    encoded = encode(table)
    return _run(HGB, _hgb(table, encoded, seed), table, encoded)


def constant_reference(table: TaskTable, *, part: int = TEST) -> ReferenceScore:
    """Score the constant predictor: the classes' shares (AUC .5), or the mean, of the training rows."""
    from sklearn.dummy import DummyClassifier, DummyRegressor

    encoded = encode(table)
    estimator = DummyRegressor(strategy="mean") if table.task == "regression" else DummyClassifier(strategy="prior")
    return _run("constant predictor", estimator, table, encoded, part)


def baselines(table: TaskTable, *, seed: int = 0, part: int = TEST) -> Iterator[ReferenceScore]:
    """Yield the scores, on ``part``, of the fixed list of baselines that each ``best`` is frozen from, one after another.

    The list: a linear model on one-hot categories; random forest and extra trees (300 trees); HistGradientBoosting as it comes, and
    with learning rates .03 and .1, 7, 15 and 31 leaves, stopped early within the training rows.
    """
    encoded = encode(table)
    for name, estimator in _estimators(table, encoded, seed):
        yield _run(name, estimator, table, encoded, part)


def direction(table: TaskTable) -> str:
    """Return ``maximize`` or ``minimize``: which way the table's metric is better."""
    return scorer_for(table.task).direction


def _run(name: str, estimator: Any, table: TaskTable, encoded: Encoded, scored: int = TEST) -> ReferenceScore:
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    started = time.perf_counter()
    training, part = table.split == TRAINING, table.split == scored
    target = _target(table)
    regression = table.task == "regression"
    with threadpool_limits(1):  # beside busy trial workers, OpenMP's waiting threads cost more than they give
        estimator.fit(encoded.frame[training], target[training])
        predicted = estimator.predict(encoded.frame[part]) if regression else estimator.predict_proba(encoded.frame[part])
    classes = () if regression else tuple(str(each) for each in estimator.classes_)
    found = score(table.task, target[part], predicted, classes=classes, positive=table.positive).score
    if found is None:
        raise AutoMLError(f"{table.name}: {name} has no finite {scorer_for(table.task).metric} on the part that it is scored on")
    return ReferenceScore(name, found, time.perf_counter() - started)


def _target(table: TaskTable) -> npt.NDArray[Any]:
    values = table.frame[table.target]
    return values.to_numpy(dtype="float64") if table.task == "regression" else values.astype(str).to_numpy(dtype=object)


def _hgb(table: TaskTable, encoded: Encoded, seed: int, **settings: Any) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    kind = HistGradientBoostingRegressor if table.task == "regression" else HistGradientBoostingClassifier
    return kind(categorical_features=list(encoded.categories) or None, random_state=seed, **settings)


def _estimators(table: TaskTable, encoded: Encoded, seed: int) -> Iterator[tuple[str, Any]]:
    from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor
    from sklearn.linear_model import LogisticRegression, RidgeCV
    from sklearn.pipeline import make_pipeline

    regression = table.task == "regression"
    linear = RidgeCV(alphas=np.logspace(-2, 3, 11)) if regression else LogisticRegression(C=1.0, max_iter=2000)
    yield "linear model", make_pipeline(_dense(encoded, scale=True), linear)
    forests = (RandomForestRegressor, ExtraTreesRegressor) if regression else (RandomForestClassifier, ExtraTreesClassifier)
    for name, kind in zip(("random forest", "extra trees"), forests, strict=True):
        yield name, make_pipeline(_dense(encoded, scale=False), kind(n_estimators=300, min_samples_leaf=2, random_state=seed, n_jobs=1))
    yield HGB, _hgb(table, encoded, seed)
    for rate in (0.03, 0.1):
        for leaves in (7, 15, 31):
            settings = {"learning_rate": rate, "max_leaf_nodes": leaves, "max_iter": 500, "early_stopping": True, "n_iter_no_change": 20}
            yield f"{HGB} (rate {rate}, {leaves} leaves, stopped early)", _hgb(table, encoded, seed, **settings)


def _dense(encoded: Encoded, *, scale: bool) -> Any:
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler() if scale else "passthrough")
    levels = OneHotEncoder(handle_unknown="ignore", min_frequency=5, sparse_output=False)
    return ColumnTransformer([("numbers", numbers, list(encoded.numbers)), ("levels", levels, list(encoded.categories))])

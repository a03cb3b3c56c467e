from __future__ import annotations

import numpy as np
import pytest

from automl import AutoMLError, score, scorer_for


def test_each_task_has_one_metric_and_its_direction():
    assert (scorer_for("binary").metric, scorer_for("binary").direction) == ("auc", "maximize")
    assert (scorer_for("multiclass").metric, scorer_for("text_classification").metric) == ("log_loss", "log_loss")
    assert (scorer_for("regression").metric, scorer_for("regression").direction) == ("rmse", "minimize")
    with pytest.raises(AutoMLError, match="no such task"):
        scorer_for("clustering")


def test_auc_follows_the_positive_class_whatever_the_order_of_columns():
    truth, shares = ["b", "a", "b", "a"], np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.7, 0.3]])
    assert score("binary", truth, shares, classes=("b", "a"), positive="b").score == pytest.approx(0.75)
    assert score("binary", truth, shares[:, ::-1], classes=("a", "b"), positive="b").score == pytest.approx(0.75)
    assert score("binary", truth, shares, classes=("a", "b"), positive="b").score == pytest.approx(0.25)


def test_auc_of_one_class_is_not_defined():
    assert score("binary", ["a", "a"], np.array([[0.5, 0.5], [0.1, 0.9]]), classes=("a", "b"), positive="b").score is None


def test_log_loss_copes_with_a_class_that_the_model_never_saw():
    shares = np.array([[0.5, 0.5], [1.0, 0.0]])
    plain = score("multiclass", ["a", "a"], shares, classes=("a", "b"))
    unseen = score("multiclass", ["a", "new"], shares, classes=("a", "b"))
    assert plain.score == pytest.approx(-np.log(0.5) / 2, abs=1e-4)
    assert plain.score < unseen.score < 10
    assert unseen.extra["accuracy"] == 0.5


def test_labels_are_compared_as_strings():
    assert score("multiclass", [1, 2], np.eye(2), classes=("1", "2")).extra["accuracy"] == 1.0


def test_predictions_that_are_not_finite_have_no_score():
    assert score("regression", [1.0, 2.0], [np.nan, 1.0]).score is None


def test_shapes_that_do_not_fit_are_told():
    with pytest.raises(AutoMLError, match="3 predictions for 2 rows"):
        score("regression", [1.0, 2.0], [1.0, 2.0, 3.0])
    with pytest.raises(AutoMLError, match="one column a class"):
        score("binary", ["a", "b"], np.eye(2), classes=("a", "b", "c"))


def test_rmse_is_on_the_target_scale():
    assert score("regression", [0.0, 0.0], [3.0, 4.0]).score == pytest.approx(np.sqrt(12.5))

"""Figures under pymfe's names are what pymfe's own code gives."""

import warnings

import numpy as np
import pandas as pd
import pytest
from pymfe.general import MFEGeneral
from pymfe.info_theory import MFEInfoTheory
from pymfe.landmarking import MFELandmarking
from pymfe.statistical import MFEStatistical
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.metrics import balanced_accuracy_score

from dataset_catalog import profile

LOADERS = {"breast_cancer": load_breast_cancer, "wine": load_wine, "digits": load_digits}


@pytest.fixture(scope="module", params=LOADERS)
def table(request):
    values, classes = LOADERS[request.param](return_X_y=True)
    values = values[:, values.std(axis=0) > 0]
    frame = pd.DataFrame(values, columns=[f"c{position:02}" for position in range(values.shape[1])]).assign(y=classes)
    return values, classes, profile(frame, "y", "multiclass")


def binned(values):
    """What pymfe's fit does with numbers before it takes their entropy: quantiles as edges, those within 1e-8 of another dropped."""
    edges = np.quantile(values, np.linspace(0, 1, int(len(values) ** (1 / 3)) + 1)[1:])
    return np.digitize(values, np.unique(edges[np.append(True, np.diff(edges) > 1e-8)]), right=True)


def same(value):
    return pytest.approx(value, rel=2e-5, abs=2e-6)


def summarised(values):
    return {"mean": same(np.mean(values)), "sd": same(np.std(values, ddof=1)), "min": same(np.min(values)), "max": same(np.max(values))}


def test_general(table):
    values, classes, found = table
    for name in ("nr_inst", "nr_attr", "attr_to_inst", "inst_to_attr", "nr_bin"):
        assert getattr(found, name) == same(getattr(MFEGeneral, f"ft_{name}")(values)), name
    assert found.nr_num == MFEGeneral.ft_nr_num(values, cat_cols=[])
    assert found.nr_cat == MFEGeneral.ft_nr_cat(cat_cols=[])
    assert found.cat_to_num == MFEGeneral.ft_cat_to_num(values, cat_cols=[])
    assert found.num_to_cat is None
    assert np.isnan(MFEGeneral.ft_num_to_cat(values, cat_cols=[]))
    assert found.nr_class == MFEGeneral.ft_nr_class(classes)
    assert found.freq_class.model_dump() == summarised(MFEGeneral.ft_freq_class(classes))


def test_statistical(table):
    values, _, found = table
    assert found.skewness.model_dump() == summarised(MFEStatistical.ft_skewness(values))
    assert found.kurtosis.model_dump() == summarised(MFEStatistical.ft_kurtosis(values))
    assert found.cor.model_dump() == summarised(MFEStatistical.ft_cor(values))
    assert found.nr_cor_attr == same(MFEStatistical.ft_nr_cor_attr(values))
    assert found.nr_outliers == MFEStatistical.ft_nr_outliers(values)


def test_information(table):
    values, classes, found = table
    codes = np.apply_along_axis(binned, 0, values)
    loose = {"rel": 1e-4, "abs": 2e-5}  # pymfe adds 1e-8 to each cell of a table of counts
    assert found.class_ent == same(MFEInfoTheory.ft_class_ent(classes))
    assert found.attr_ent.model_dump() == summarised(MFEInfoTheory.ft_attr_ent(codes))
    for name in ("joint_ent", "mut_inf"):
        theirs = getattr(MFEInfoTheory, f"ft_{name}")(codes, classes)
        assert getattr(found, name).mean == pytest.approx(theirs.mean(), **loose)
        assert getattr(found, name).sd == pytest.approx(theirs.std(ddof=1), **loose)
    assert found.ns_ratio == pytest.approx(MFEInfoTheory.ft_ns_ratio(codes, classes), **loose)
    assert found.eq_num_attr == pytest.approx(MFEInfoTheory.ft_eq_num_attr(codes, classes), **loose)


def test_landmarkers_are_near(table):
    """Ours see standardised columns, weigh all classes alike and have five folds: near, not equal. Our naive Bayes is smoother."""
    values, classes, found = table
    scaled = (values - values.mean(axis=0)) / values.std(axis=0)

    def adjusted(truth, told):
        return balanced_accuracy_score(truth, told, adjusted=True)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, margin in (("one_nn", 0.06), ("linear_discr", 0.06), ("naive_bayes", 0.2), ("best_node", 0.15)):
            theirs = getattr(MFELandmarking, f"ft_{name}")(scaled, classes, adjusted).mean()
            assert getattr(found, name).mean == pytest.approx(theirs, abs=margin), name

"""What is told of the target alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataset_catalog.profiling._fields import Summary
from dataset_catalog.profiling._figures import Whole, entropy, moments, ratio, rounded, share, summary
from dataset_catalog.profiling._rows import Target


def target_figures(target: Target) -> dict[str, Any]:
    """Return the figures on classes, or on a regression's numbers."""
    if target.classes is not None:
        return _of_classes(np.bincount(target.classes))
    ordered = np.sort(np.asarray(target.numbers, dtype=np.float64))
    skewness, kurtosis = moments(ordered) or (None, None)
    return {
        "nr_class": None,
        "freq_class": Summary(),
        "class_ent": None,
        "class_entropy": None,
        "imbalance": None,
        "target_skewness": None if skewness is None else rounded(skewness),
        "target_kurtosis": None if kurtosis is None else rounded(kurtosis),
        "target_distinct_share": share(1 + int((ordered[1:] != ordered[:-1]).sum()), len(ordered)),
    }


def _of_classes(counts: Whole) -> dict[str, Any]:
    bits = entropy(counts)
    return {
        "nr_class": len(counts),
        "freq_class": summary(counts / counts.sum()),
        "class_ent": rounded(bits),
        "class_entropy": rounded(bits / np.log2(len(counts))) if len(counts) > 1 else 0.0,
        "imbalance": ratio(float(counts.max()), float(counts.min())),
        "target_skewness": None,
        "target_kurtosis": None,
        "target_distinct_share": None,
    }

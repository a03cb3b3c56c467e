"""One thread for all numerical libraries, so that sums are taken in one order."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

_LIBRARIES = ("sklearn.feature_extraction.text", "sklearn.linear_model", "sklearn.naive_bayes", "sklearn.neighbors", "sklearn.tree")


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold what profiles compute with to one thread. It is loaded first: only loaded libraries can be limited."""
    for name in _LIBRARIES:
        importlib.import_module(name)
    with threadpool_limits(limits=1):
        yield

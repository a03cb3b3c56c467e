"""One Ray, one warm worker and one way of calling the command for all tests of AutoML's user side."""

from __future__ import annotations

import contextlib
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest


@pytest.fixture(scope="session")
def warm_pool(tmp_path_factory, ray_here):
    from automl import WorkerPool
    from experiments.journaling import JournalRecorder

    home = tmp_path_factory.mktemp("automl-state")
    with WorkerPool(home / "prepared", JournalRecorder(home / "journal"), workers=1) as pool:
        yield pool


@pytest.fixture
def lode(capsys):
    """Call ``lode`` in this process: (exit code, stdout, stderr)."""
    from experiments.commands import run

    def call(*arguments):
        capsys.readouterr()
        code = run([str(each) for each in arguments])
        told = capsys.readouterr()
        return code, told.out, told.err

    return call


@pytest.fixture
def warm_lode(lode, warm_pool, monkeypatch):
    """``lode``, whose searches borrow the session's worker instead of starting one each."""
    monkeypatch.setattr("automl.WorkerPool", lambda *_, **__: contextlib.nullcontext(warm_pool))
    return lode

"""Trials that want more memory than they are given: recorded with what they reached, and nobody else is the worse for it."""

from __future__ import annotations

import pickle
import sys
from dataclasses import replace

import psutil
import pytest
from ray import cloudpickle

from automl import TrialEngine, TrialResult, WorkerPool
from automl._memory import MemoryGuard

AT_ONCE = {"combiner.num_fc_layers": 2, "combiner.output_size": 20_000}  # one tensor of 1.6 GB, which the system refuses
BY_AND_BY = {"combiner.num_fc_layers": 3, "combiner.output_size": 9000}  # weights, gradients and moments of 325 MB each


class Archive:
    """Keeps each result as a file, and finds it again."""

    def __init__(self, folder):
        self.folder = folder

    def record(self, request, result):
        (self.folder / f"{request.seed}-{request.model_type}-{request.epochs}").write_bytes(pickle.dumps(result))

    def lookup(self, request) -> tuple[TrialResult, ...]:
        path = self.folder / f"{request.seed}-{request.model_type}-{request.epochs}"
        return (pickle.loads(path.read_bytes()),) if path.exists() else ()


def test_a_trial_over_its_limit_ends_after_its_batch(prepared_root, make_request, make_table):
    engine = TrialEngine(prepared_root, device="cpu")
    held = psutil.Process().memory_info().rss
    result = engine.run(replace(make_request(make_table(), epochs=300), memory_limit=held // 2))
    assert result.status == "out_of_memory"
    assert "over its limit" in (result.error or "")
    assert result.peak_memory_bytes > held // 2
    assert len(result.curve) < 300
    assert engine.run(make_request(make_table())).status == "completed"


def test_the_last_resort_is_called_when_memory_goes_on_growing():
    told = []
    with MemoryGuard(psutil.Process().memory_info().rss // 2, told.append) as guard:
        guard._thread.join(10)
    assert guard.over
    assert told == [guard.reached]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_process_that_takes_all_memory_is_ended_though_its_record_cannot_be_written(prepared_root, make_request, make_table, monkeypatch):
    class FullDisk:
        def record(self, request, result):
            raise OSError("no space left on device")

    ended = []

    def leave(code):
        ended.append(code)
        raise SystemExit(code)  # the guard's thread alone, here

    monkeypatch.setattr("automl._engine.os._exit", leave)
    engine = TrialEngine(prepared_root, FullDisk(), device="cpu", disposable=True)
    limit = psutil.Process().memory_info().rss // 2
    with pytest.raises(OSError, match="no space left"):
        engine.run(replace(make_request(make_table(), epochs=300), memory_limit=limit))
    assert ended == [70]


def test_nothing_is_watched_without_a_limit():
    with MemoryGuard(None) as guard:
        assert not guard.over
    assert not guard._thread.is_alive()


@pytest.mark.timeout(280)
@pytest.mark.usefixtures("ray_here")
@pytest.mark.parametrize("greedy", [AT_ONCE, pytest.param(BY_AND_BY, marks=pytest.mark.slow)])
def test_a_greedy_trial_takes_no_neighbour_down(tmp_path, prepared_root, make_request, make_table, greedy):
    cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import tests
    archive = Archive(tmp_path)
    with WorkerPool(prepared_root, archive, workers=2, device="cpu") as pool:
        limit = int(1.5 * max(psutil.Process(pid).memory_info().rss for pid in pool.wait_ready()))
        asked = [replace(make_request(make_table(), seed=1, epochs=4, **greedy), memory_limit=limit)]
        asked += [replace(make_request(make_table(), seed=seed, epochs=2), memory_limit=limit) for seed in (2, 3, 4, 5)]
        results = [future.result() for future in [pool.submit(each) for each in asked]]
        assert [each.status for each in results] == ["out_of_memory"] + ["completed"] * 4
        assert all(each.peak_memory_bytes > 0 for each in results)
        assert [archive.lookup(each)[0].status for each in asked] == [each.status for each in results]

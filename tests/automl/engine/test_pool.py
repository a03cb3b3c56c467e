from __future__ import annotations

import os
import pickle
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from automl import AutoMLError, WorkerPool


class FileRecorder:
    """Leaves one file a record, and a mark of the process that wrote it."""

    def __init__(self, folder):
        self.folder = str(folder)

    def record(self, request, result):
        from pathlib import Path

        Path(self.folder, f"{request.model_type}-{request.seed}-{result.status}").write_text(str(os.getpid()))


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    return tmp_path_factory.mktemp("records")


@pytest.fixture(scope="module")
def pool(prepared_root, records, ray_here):
    from ray import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import tests
    with WorkerPool(prepared_root, FileRecorder(records), workers=2, device="cpu") as pool:
        yield pool


def test_trials_run_on_warm_workers_and_are_recorded_by_them(pool, records, engine, make_request, make_table):
    table = make_table()
    requests = [make_request(table, seed=seed) for seed in range(5)]
    results = {result.curve: result for result in pool.run(requests)}
    pids = set(pool.wait_ready())
    assert len(pids) == 2
    assert os.getpid() not in pids
    assert len(results) == 5
    assert all(result.status == "completed" for result in results.values())
    wrote = {int(path.read_text()) for path in records.glob("concat-*-completed")}
    assert wrote <= pids
    alone = engine.run(requests[3])
    assert any(result.test_score == alone.test_score and result.validation_score == alone.validation_score for result in results.values())


def test_submit_answers_with_a_future(pool, make_request, make_table):
    futures = [pool.submit(make_request(make_table(), seed=seed)) for seed in (11, 12)]
    assert [future.result(timeout=120).status for future in futures] == ["completed", "completed"]


def test_a_lease_streams_epochs_and_stops(pool, records, engine, make_request, make_table):
    table = make_table()
    with pool.lease() as worker:
        worker.start(make_request(table, seed=21, epochs=4))
        reports = [worker.next_report() for _ in range(5)]
        assert reports[-1] is None
        whole = worker.finish()
        assert whole.status == "completed"
        assert [(r.epoch, r.score) for r in reports[:4]] == [(r.epoch, r.score) for r in whole.curve]

        worker.start(make_request(table, seed=22, epochs=4))
        worker.next_report()
        stopped = worker.finish(stop=True)
        assert (stopped.status, len(stopped.curve)) == ("stopped_early", 1)
        assert (records / "concat-22-stopped_early").exists()

        worker.start(make_request(table, seed=23, epochs=4))
        assert worker.finish(stop=False).status == "completed"

        worker.start(make_request(table, seed=24, **{"combiner.dropout": 7}))
        assert worker.next_report() is None
        assert worker.finish().status == "failed"
    assert whole.test_score == engine.run(make_request(table, seed=21, epochs=4)).test_score


def test_an_abandoned_trial_leaves_a_free_worker_and_no_record(pool, records, make_request, make_table):
    with pool.lease() as worker:
        worker.start(make_request(make_table(), seed=31, epochs=50))
        worker.next_report()
    assert len(list(pool.run([make_request(make_table(), seed=seed) for seed in (32, 33)]))) == 2
    assert not list(records.glob("concat-31-*"))


def test_many_holders_share_the_workers(pool, make_request, make_table):
    copy = pickle.loads(pickle.dumps(pool))

    def search(seed):
        with copy.lease() as worker:
            worker.start(make_request(make_table(), seed=seed, epochs=2))
            while worker.next_report() is not None:
                time.sleep(0.01)
            return worker.finish().status

    with ThreadPoolExecutor(6) as threads:
        assert set(threads.map(search, range(41, 47))) == {"completed"}


def test_a_lease_that_cannot_be_had_in_time_is_told(pool):
    with pool.lease(), pool.lease(), pytest.raises(AutoMLError, match="no trial worker was free"):
        pool.lease(timeout=0.2)


def test_a_killed_worker_is_replaced_and_its_trial_carried_on(pool, engine, make_request, make_table):
    import ray

    request = make_request(make_table(), seed=51, epochs=4)
    with pool.lease() as worker:
        worker.start(request)
        first = [worker.next_report(), worker.next_report()]
        os.kill(ray.get(worker._worker.ready.remote()), signal.SIGKILL)
        rest = [worker.next_report(), worker.next_report(), worker.next_report()]
        result = worker.finish()
    assert result.status == "completed"
    assert [r.score for r in first + rest[:2]] == [r.score for r in result.curve]
    assert rest[2] is None
    assert result.test_score == engine.run(request).test_score


@pytest.mark.slow
def test_a_trial_whose_workers_keep_dying_is_preempted_and_not_recorded(pool, records, make_request, make_table):
    import ray

    with pool.lease() as worker:
        worker.start(make_request(make_table(), seed=61, epochs=4))
        worker.next_report()
        for _ in range(2):
            os.kill(ray.get(worker._worker.ready.remote()), signal.SIGKILL)
            report = worker.next_report()
        assert report is None
        assert worker.finish().status == "preempted"
    assert not list(records.glob("concat-61-*"))
    assert len(pool.wait_ready(timeout=200)) == 2


def test_a_pool_that_is_not_open_says_so(tmp_path, make_request, make_table):
    with pytest.raises(AutoMLError, match="not open"):
        WorkerPool(tmp_path, workers=1).submit(make_request(make_table()))


@pytest.mark.timeout(120)
def test_work_begins_with_the_first_worker_that_the_cluster_has_room_for(pool, tmp_path, make_request, make_table):
    import ray
    from ray.util import placement_group, remove_placement_group

    others = placement_group([{"CPU": ray.available_resources()["CPU"] - 1}])
    ray.get(others.ready())
    try:
        with WorkerPool(tmp_path / "prepared", workers=2, device="cpu") as small:
            assert len(small.wait_ready(at_least=1)) == 1
            assert small.submit(make_request(make_table(), seed=21)).result().status == "completed"
    finally:
        remove_placement_group(others)

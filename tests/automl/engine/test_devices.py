from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from importlib.util import find_spec
from pathlib import Path

import pytest

from automl import AutoMLError
from automl._devices import Placement, place_workers

TWO_GPUS = {"CPU": 16.0, "GPU": 2.0}


@pytest.mark.parametrize(
    ("device", "asked", "placed"),
    [
        ("cpu", {}, Placement(16, 0.0)),
        ("cpu", {"workers": 3}, Placement(3, 0.0)),
        ("cuda", {}, Placement(2, 1.0)),
        ("cuda", {"gpus_per_trial": 0.5}, Placement(4, 0.5)),
        ("cuda", {"gpus_per_trial": 0.3}, Placement(6, 0.3)),
        ("cuda", {"gpus_per_trial": 2}, Placement(1, 2)),
        ("cuda", {"gpus_per_trial": 0.01}, Placement(16, 0.01)),
        ("cuda", {"workers": 2}, Placement(2, 1.0)),
        ("cuda", {"workers": 1}, Placement(1, 1.0)),
        ("cuda", {"workers": 3}, Placement(3, 0.5)),
        ("cuda", {"workers": 4, "gpus_per_trial": 0.25}, Placement(4, 0.25)),
    ],
)
def test_workers_are_laid_out_over_processors_and_gpus(device, asked, placed):
    assert place_workers(TWO_GPUS, device, **asked) == placed


def test_gpus_a_trial_from_the_environment(monkeypatch):
    monkeypatch.setenv("LODE_GPUS_PER_TRIAL", "0.5")
    assert place_workers(TWO_GPUS, "cuda") == Placement(4, 0.5)
    assert place_workers(TWO_GPUS, "cpu") == Placement(16, 0.0)
    monkeypatch.setenv("LODE_GPUS_PER_TRIAL", "half")
    with pytest.raises(AutoMLError, match="LODE_GPUS_PER_TRIAL is 'half'"):
        place_workers(TWO_GPUS, "cuda")


@pytest.mark.parametrize("gpus", [0, -1, 1.5])
def test_gpus_that_cannot_be_placed_are_refused(gpus):
    with pytest.raises(AutoMLError, match="cannot be placed"):
        place_workers(TWO_GPUS, "cuda", gpus_per_trial=gpus)


def test_gpus_that_are_not_there_are_told():
    with pytest.raises(AutoMLError, match="Ray has 0: set LODE_DEVICE=cpu"):
        place_workers({"CPU": 4.0}, "cuda")
    with pytest.raises(AutoMLError, match="3 GPUs a trial are asked for, and Ray has 2"):
        place_workers(TWO_GPUS, "cuda", gpus_per_trial=3)


def test_mixed_precision_is_refused_where_ludwig_would_drop_it(engine, make_request, make_table):
    result = engine.run(make_request(make_table(), **{"trainer.use_mixed_precision": True}))
    assert result.status == "failed"
    assert result.error == "trainer.use_mixed_precision needs an NVIDIA GPU, and this trial runs on cpu"


def test_a_batch_size_that_ludwig_finds_is_told_in_the_record(engine, make_request, make_table):
    result = engine.run(make_request(make_table(), batch="auto", epochs=2))
    assert result.status == "completed", result.error
    found = json.loads(result.config)["trainer"]["batch_size"]
    assert isinstance(found, int)
    assert found >= 2
    assert result.hyperparameters["trainer.batch_size"] == "auto"
    assert result.curve[-1].step == 2 * -(-144 // found)


@pytest.mark.slow
def test_workers_share_the_gpus_that_ray_hands_out(tmp_path):
    """Ray's GPUs are pretended here: four workers of half a GPU each end up two by two."""
    code = textwrap.dedent(f"""
        import json
        from collections import Counter
        from pathlib import Path
        import ray
        from automl import WorkerPool, start_ray, stop_ray
        start_ray(4, gpus=2)
        with WorkerPool(Path({str(tmp_path)!r}), device="cpu", gpus_per_trial=0.5) as pool:
            pool.wait_ready()
            leases = [pool.lease() for _ in range(pool.workers)]
            print(json.dumps(Counter(str(lease.apply(ray.get_gpu_ids)) for lease in leases)))
            for lease in leases:
                lease.close()
        stop_ray()
    """)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=280, env=os.environ | {"OMP_NUM_THREADS": "1"}
    )
    assert done.returncode == 0, done.stderr
    assert sorted(json.loads(done.stdout.splitlines()[-1]).values()) == [2, 2]


@pytest.mark.slow
def test_workers_stand_on_several_nodes(tmp_path):
    """Two nodes of one processor each, on this machine: the pool joins them by their address, and a worker stands on each."""
    code = textwrap.dedent(f"""
        import os
        from pathlib import Path
        from ray.cluster_utils import Cluster
        from automl import WorkerPool, start_ray, stop_ray, trials_at_a_time
        cluster = Cluster(initialize_head=True, head_node_args={{"num_cpus": 1, "include_dashboard": False}})
        cluster.add_node(num_cpus=1)
        cluster.wait_for_nodes()
        os.environ["RAY_ADDRESS"] = cluster.address
        start_ray()
        with WorkerPool(Path({str(tmp_path)!r}), device="cpu") as pool:
            pool.wait_ready()
            leases = [pool.lease() for _ in range(pool.workers)]
            print(trials_at_a_time(), *sorted(lease.apply(os.getenv, "RAY_RAYLET_PID") for lease in leases))
            for lease in leases:
                lease.close()
        stop_ray()
        cluster.shutdown()
    """)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=280, env=os.environ | {"OMP_NUM_THREADS": "1"}
    )
    assert done.returncode == 0, done.stderr
    count, first, second = done.stdout.splitlines()[-1].split()
    assert count == "2"
    assert first != second


def test_ludwigs_ray_backend_still_trains_each_worker_alone():
    """Why a trial on several workers is not offered (docs/upstream.md). When this fails, Ludwig has changed: try it again."""
    source = Path(find_spec("ludwig").origin).with_name("backend") / "ray.py"
    body = source.read_text(encoding="utf-8").partition("def train_fn(")[2].partition("\ndef ")[0]
    assert 'init_dist_strategy("local")' in body
    assert "distributed=" not in body

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap

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

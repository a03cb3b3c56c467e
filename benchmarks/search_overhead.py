"""What Ray Tune costs a search: seconds before its first trial, between trials, and after the last one, beside the trials themselves.

Run: ``python -m benchmarks.search_overhead [TRIALS]``. The baseline of the printed ratio is the trials' own time on the warm worker.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

import numpy as np
import pandas as pd

from automl import Budget, WorkerPool, make_task_table, run_search, search_plan, start_ray, stop_ray


def main() -> None:
    """Search the same drawn table twice and print where the time went."""
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    rng = np.random.default_rng(0)
    x, level = rng.normal(size=1000), rng.choice(list("abc"), 1000)
    table = make_task_table(pd.DataFrame({"x": x, "level": level, "y": x + (level == "a") > 0.3}), "y", name="toy")
    plan = search_plan(None).restricted(("concat",), "the quickest model type shows the overhead best")
    started_ray = start_ray(2)
    with tempfile.TemporaryDirectory() as scratch, WorkerPool(Path(scratch, "prepared"), workers=1) as pool:
        pool.wait_ready()
        for name in ("first search of the process", "second search"):
            began = time.time()
            found = run_search(table, plan, Budget(trials, None, 3), seed=1, pool=pool, storage=Path(scratch, "search"))
            ended = time.time()
            gaps = [
                (after.started_at - before.started_at - timedelta(seconds=before.wall_seconds)).total_seconds()
                for before, after in zip(found.trials, found.trials[1:], strict=False)
            ]
            own = sum(each.wall_seconds for each in found.trials)
            before_first = found.trials[0].started_at.timestamp() - began
            after_last = ended - found.trials[-1].started_at.timestamp() - found.trials[-1].wall_seconds
            print(
                f"{name}: {before_first:.2f} s before the first trial, {statistics.median(gaps):.3f} s (median) between trials, "
                f"{after_last:.2f} s after the last; {trials} trials took {own:.2f} s of {ended - began:.2f} s "
                f"(ratio {(ended - began) / own:.2f})"
            )
    if started_ray:
        stop_ray()


if __name__ == "__main__":
    main()

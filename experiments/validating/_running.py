"""Runs the searches of a validation, several at a time, on one warm pool."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from automl import run_search
from experiments.validating._arms import SearchJob, SearchOutcome

if TYPE_CHECKING:
    from automl import WorkerPool


class RayRunner:
    """Each search is a Ray task that needs no processor of its own: it asks, decides and waits, the pool's workers train.

    Trials of one search run one after another, so that what it decides does not depend on what else runs. ``at_a_time`` searches share
    the pool; by default one more than it has workers, so that none of them waits for a decision.
    """

    def __init__(self, pool: WorkerPool, *, at_a_time: int | None = None) -> None:
        self._pool = pool
        self._at_a_time = at_a_time or pool.workers + 1

    def __call__(self, jobs: Sequence[SearchJob]) -> Iterator[tuple[SearchJob, SearchOutcome]]:
        """Run ``jobs`` and yield each with its outcome, in the order in which they end."""
        import ray

        search = ray.remote(_search).options(num_cpus=0, max_retries=0)
        pool, pending = ray.put(self._pool), list(reversed(jobs))
        running: dict[Any, SearchJob] = {}
        try:
            while pending or running:
                while pending and len(running) < self._at_a_time:
                    job = pending.pop()
                    running[search.remote(job, pool)] = job
                for reference in ray.wait(list(running), num_returns=1)[0]:
                    yield running.pop(reference), _outcome(reference)
        finally:
            for reference in running:
                ray.cancel(reference)


def _outcome(reference: Any) -> SearchOutcome:
    import ray
    from ray.exceptions import RayError

    try:
        outcome: SearchOutcome = ray.get(reference)
    except RayError as fault:  # the task's process died: the search has no result, and says so
        lines = [line.strip() for line in str(fault).splitlines() if line.strip()]
        return SearchOutcome(None, 0.0, f"{type(fault).__name__}: {lines[-1] if lines else 'no more is known'}")
    return outcome


def _search(job: SearchJob, pool: WorkerPool) -> SearchOutcome:
    started = time.monotonic()
    try:
        result = run_search(
            job.table, job.plan, job.budget, seed=job.seed, pool=pool, parallel=1, storage=job.storage, labels=dict(job.labels)
        )
    except Exception as fault:
        return SearchOutcome(None, time.monotonic() - started, f"{type(fault).__name__}: {' '.join(str(fault).split())[:300]}")
    return SearchOutcome(result, time.monotonic() - started)

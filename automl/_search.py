"""A search on Ray Tune: seeds first, then the sampler; trials run on warm workers, epoch by epoch, and the scheduler stops them."""

from __future__ import annotations

import logging
import os
import shutil
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from automl._devices import device_class
from automl._errors import AutoMLError
from automl._plan import Budget, SearchPlan
from automl._pool import WorkerPool
from automl._scoring import scorer_for
from automl._trial import TaskTable, TrialResult
from heuristics_db import HeuristicsError

_QUIET = {
    "TUNE_DISABLE_AUTO_CALLBACK_LOGGERS": "1",  # no CSV, JSON and TensorBoard files a trial
    "TUNE_DISABLE_STRICT_METRIC_CHECKING": "1",  # an epoch without a finite score reports none
    "TUNE_DISABLE_SIGINT_HANDLER": "1",
    "TUNE_WARN_EXCESSIVE_EXPERIMENT_CHECKPOINT_SYNC_THRESHOLD_S": "0",
    "RAY_AIR_NEW_OUTPUT": "0",
}


@dataclass(frozen=True)
class SearchResult:
    """What a search came to. ``best`` has the best validation score (the first of equals); ``None`` when no trial reached one.

    ``origins`` says for each of ``trials`` (in the order in which they ended) whether it was a ``seed``, ``adaptive`` or the ``sampler``'s.
    ``seconds`` is the whole search's wall time.
    """

    best: TrialResult | None
    trials: tuple[TrialResult, ...]
    origins: tuple[str, ...]
    seconds: float


def run_search(
    table: TaskTable,
    plan: SearchPlan,
    budget: Budget,
    *,
    seed: int,
    pool: WorkerPool,
    parallel: int = 1,
    storage: Path,
    labels: Mapping[str, str] | None = None,
    keep_models: bool = False,
    progress: Callable[[TrialResult], None] | None = None,
) -> SearchResult:
    """Search ``table`` as ``plan`` says, within ``budget``, on ``pool``'s workers, ``parallel`` trials at a time.

    Ray must be running. Several searches may run at the same time, from threads, processes or Ray tasks that share one pool. With
    ``parallel`` of 1 and a budget in trials, a search is decided by ``table``, ``plan``, ``budget`` and ``seed`` alone. ``seed`` is the
    sampler's and each trial's. A trial that the pool's recorder remembers is not run again (unless models are kept): the search hears its
    epochs and its result as if it were, so that a search that was killed goes on where it stood.

    Args:
        table: what to learn; only its validation part steers the search.
        plan: see ``search_plan``.
        budget: trials, seconds, epochs; with seconds alone, as many trials as there is time for, at least one.
        seed: of sampler and trials.
        pool: warm workers, open.
        parallel: trials at a time.
        storage: an existing or new folder; Tune's own state is removed from it at the end.
        labels: handed to the pool's recorder with each trial.
        keep_models: save the best trial's model under ``storage/models``; its ``model_path`` says where.
        progress: told of each trial that has ended.

    Raises:
        AutoMLError: the plan does not fit itself (a seed outside its space), or trials cannot be run or recorded.

    """
    from ray import put, tune
    from ray.tune import CheckpointConfig, RunConfig, TuneConfig

    started = time.time()
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    from automl._searcher import PolicySearcher
    from automl._trainable import NAME, Common, register, scheduler
    from mining.policies import SearchPolicy

    logging.getLogger("ray.tune").setLevel(logging.CRITICAL)
    direction = scorer_for(table.task).direction
    deadline = None if budget.seconds is None else started + budget.seconds
    storage = storage.expanduser().resolve()
    keeper = _ModelKeeper(direction)

    def on_result(result: TrialResult) -> None:
        keeper.take(result)
        if progress is not None:
            progress(result)

    try:
        policy = SearchPolicy(plan.spaces, plan.portfolio, seed, plan.model_order, direction=direction, adaptive=plan.adaptive)
    except HeuristicsError as fault:
        raise AutoMLError(f"{plan.label}: {fault}") from fault
    models = storage / "models" if keep_models else None
    common = Common(table, pool, seed, budget.epochs, device_class(), dict(labels or {}), models, deadline)
    searcher = PolicySearcher(policy, budget, deadline, put(common), on_result)
    register()
    state = storage / "tune" / uuid.uuid4().hex[:12]
    try:
        tune.Tuner(
            NAME,
            tune_config=TuneConfig(
                search_alg=searcher,
                scheduler=scheduler(plan.early_stopping, budget.epochs, direction[:3], deadline),
                num_samples=-1,
                max_concurrent_trials=parallel,
                reuse_actors=True,
            ),
            run_config=RunConfig(
                storage_path=str(state),
                name="search",
                verbose=0,
                checkpoint_config=CheckpointConfig(checkpoint_frequency=0, checkpoint_at_end=False),
            ),
        ).fit()
    finally:
        shutil.rmtree(state, ignore_errors=True)
        with suppress(OSError):
            state.parent.rmdir()
    if isinstance(searcher.fault, AutoMLError):
        raise searcher.fault
    if searcher.fault is not None:
        raise AutoMLError(f"the search could not go on: {type(searcher.fault).__name__}: {searcher.fault}") from searcher.fault
    return SearchResult(keeper.best, tuple(searcher.ended), tuple(searcher.origins), time.time() - started)


class _ModelKeeper:
    """Knows the best trial so far and keeps its model alone."""

    def __init__(self, direction: str) -> None:
        self._maximise = direction == "maximize"
        self.best: TrialResult | None = None

    def take(self, result: TrialResult) -> None:
        """Compare ``result`` with the best, and remove the model of the worse."""
        if self._better(result):
            result, self.best = self.best or result, result
        if result is not self.best and result.model_path is not None and (self.best is None or result.model_path != self.best.model_path):
            shutil.rmtree(result.model_path, ignore_errors=True)

    def _better(self, result: TrialResult) -> bool:
        if result.validation_score is None:
            return False
        if self.best is None or self.best.validation_score is None:
            return True
        if self._maximise:
            return result.validation_score > self.best.validation_score
        return result.validation_score < self.best.validation_score

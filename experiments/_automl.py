"""AutoML with the database's heuristics, on a pool of its own, its trials journaled."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from automl import AutoMLOutcome, Budget, SearchPlan, TrialResult, UserTable, run_automl, search_plan, start_ray, stop_ray
from experiments._home import Home
from experiments._store import open_store
from experiments.journaling import JournalRecorder

if TYPE_CHECKING:
    from automl import WorkerPool

UNTUNED = "untuned"
_CHANNELS = ("production", "staging")


@dataclass(frozen=True)
class ChosenPlan:
    """The plan of a search, and which version it comes from and why."""

    plan: SearchPlan
    version: str
    why: str


def choose_plan(home: Home, version: str | None, task: str | None = None) -> ChosenPlan:
    """Return the plan of ``version`` (hash, prefix or channel; ``untuned``: no heuristics) for ``task``.

    Without a version: what ``production`` points at, else ``staging``, else the untuned search. Raises ``heuristics_db.HeuristicsError``
    for a version that is not there, or that breaks an invariant, such as one mined from a held-out dataset.
    """
    if version == UNTUNED:
        return ChosenPlan(search_plan(None), UNTUNED, "asked for")
    if version is None and not _has_database(home):
        return ChosenPlan(search_plan(None), UNTUNED, "no heuristics version has been promoted yet")
    with open_store(home) as store:
        if version is not None:
            found, why = store.version(version).id, f"asked for as {version}"
        else:
            heads = store.channels()
            channel = next((each for each in _CHANNELS if heads.get(each)), None)
            if channel is None:
                return ChosenPlan(search_plan(None), UNTUNED, "no heuristics version has been promoted yet")
            found, why = str(heads[channel]), f"{channel} points at it"
        return ChosenPlan(search_plan(store.get(found), task=task, label=found[:12]), found, why)


def run_here(
    home: Home,
    table: UserTable,
    plan: SearchPlan,
    budget: Budget,
    *,
    out: Path,
    seed: int,
    parallel: int | None,
    workers: int | None,
    started: float,
    progress: Callable[[TrialResult], None],
    pool: WorkerPool | None = None,
) -> AutoMLOutcome:
    """Run AutoML on ``pool``, or on a Ray and workers of its own that end with it; each trial is journaled first, under the role ``user``.

    ``parallel`` of ``None``: one trial at a time when the budget is in trials alone (the search then repeats under its seed), else as many
    as there are workers.
    """
    at_a_time = parallel or (1 if budget.seconds is None else workers or os.cpu_count() or 1)
    name = table.ready.table.name
    labels = {"sweep_id": f"automl-{datetime.now(UTC):%Y%m%d-%H%M%S}-{os.getpid()}", "dataset": name, "family": name, "role": "user"}

    def go(warm: WorkerPool) -> AutoMLOutcome:
        return run_automl(
            table, plan, budget, out=out, pool=warm, seed=seed, parallel=at_a_time, labels=labels, started=started, progress=progress
        )

    if pool is not None:
        return go(pool)
    from automl import WorkerPool as Pool

    mine = start_ray()
    try:
        with Pool(home.prepared, JournalRecorder(home.journal), workers=min(workers or at_a_time, at_a_time)) as warm:
            return go(warm)
    finally:
        if mine:
            stop_ray()


def default_out(home: Home, name: str) -> Path:
    """Return a new folder's path for a run on the table ``name``."""
    return home.runs / f"automl-{name}-{datetime.now(UTC):%Y%m%d-%H%M%S}"


def _has_database(home: Home) -> bool:
    url = home.database_url
    return not url.startswith("sqlite:///") or Path(url.removeprefix("sqlite:///")).is_file()

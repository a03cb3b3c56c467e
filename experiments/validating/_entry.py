"""How the commands run a validation: the pool, the display, and what has been validated already."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from statistics import fmean
from threading import Event, Thread
from typing import TYPE_CHECKING

from automl import WorkerPool, start_ray, stop_ray
from experiments._home import Home
from experiments.journaling import Journal, JournalRecorder
from experiments.validating._running import RayRunner
from experiments.validating._suite import SuiteSpec
from experiments.validating._validate import ValidationPlan, ValidationProgress, run_validation
from heuristics_db import Arm, HeuristicsStore, ValidationSummary

if TYPE_CHECKING:
    from rich.progress import Progress

Told = Callable[[ValidationProgress], None]
_LOOK_EVERY = 0.5


def recorded(store: HeuristicsStore, version: str, suite: SuiteSpec) -> ValidationSummary | None:
    """Return the newest recorded validation of ``version`` on this very suite, or ``None``: a look need not be spent twice."""
    found = [each for each in store.validations(version) if each.suite_hash == suite.suite_hash]
    return found[-1] if found else None


def run_counted(plan: ValidationPlan, store: HeuristicsStore, run: Callable[[], ValidationSummary], *, by: str = "") -> ValidationSummary:
    """Carry out ``plan`` by ``run`` and record what it found; the look is counted before the first search, so that one broken off counts.

    What a validation shows while it runs has been seen, whether or not its summary is recorded at the end.
    """
    look = store.begin_look(
        plan.version,
        suite=plan.suite.name,
        suite_hash=plan.suite.suite_hash,
        fingerprints=[held_out.table.fingerprint for held_out in plan.tables.values()],
        by=by,
    )
    summary = run()
    store.record_validation(plan.version, summary, look=look, by=by)
    return summary


def run_on_warm_pool(plan: ValidationPlan, home: Home, *, workers: int | None = None, progress: Told = lambda _: None) -> ValidationSummary:
    """Start Ray and a warm pool, run ``plan`` on it, and end both."""
    started = start_ray(workers)
    try:
        with WorkerPool(home.prepared, JournalRecorder(home.journal), workers=workers) as pool:
            return run_validation(plan, RayRunner(pool), progress=progress)
    finally:
        if started:
            stop_ray()


def regret_rows(summary: ValidationSummary) -> list[tuple[str, str, float | None, float | None, float | None]]:
    """Return per dataset its name, metric, and the mean regret of candidate, untuned search and reference; the last row is the mean."""
    rows = []
    for each in summary.datasets:
        candidate, untuned = _mean(summary, "candidate", each.name), _mean(summary, "untuned", each.name)
        rows.append((each.name, each.metric, candidate, untuned, _reference(summary, each.name)))
    means = [[row[column] for row in rows] for column in (2, 3, 4)]
    whole = [fmean(found) if (found := [value for value in column if isinstance(value, float)]) else None for column in means]
    return [*rows, ("mean", "", whole[0], whole[1], whole[2])]


def rounded(rows: Iterable[Iterable[object]]) -> list[list[object]]:
    """Return rows for people: numbers to three decimals."""
    return [[f"{value:.3f}" if isinstance(value, float) else value for value in row] for row in rows]


@contextmanager
def counted(plan: ValidationPlan, home: Home, told: Callable[[int, float], None]) -> Iterator[None]:
    """While the body runs, tell twice a second how many trials are journaled, and for how many seconds that number has stood still."""
    journal, ended = Journal(home.journal), Event()

    def count() -> None:
        known, since = -1, time.monotonic()
        while not ended.wait(_LOOK_EVERY):
            summary = journal.summary(plan.validation_id)
            found = summary.trials + summary.references
            if found != known:
                known, since = found, time.monotonic()
            told(found, time.monotonic() - since)

    counter = Thread(target=count, daemon=True)
    counter.start()
    try:
        yield
    finally:
        ended.set()
        counter.join()


@contextmanager
def watch(plan: ValidationPlan, home: Home, bars: Progress) -> Iterator[Told]:
    """Show two bars while a validation runs: searches ended, and trials journaled (a trial that both arms run is journaled once)."""
    with bars:
        searches = bars.add_task("searches", total=len(plan.jobs))
        trials = bars.add_task("trials", total=plan.trials)

        def told(progress: ValidationProgress) -> None:
            last = progress.last
            found = "" if last is None or last.regret is None else f"  {last.dataset} {last.arm} seed {last.seed}: regret {last.regret:.3f}"
            bars.update(searches, completed=progress.done, description=f"searches{found}")

        with counted(plan, home, lambda found, _: bars.update(trials, completed=found)):
            yield told


def _mean(summary: ValidationSummary, arm: Arm, dataset: str) -> float | None:
    regrets = [regret for (name, _), regret in summary.regrets(arm).items() if name == dataset]
    return fmean(regrets) if regrets else None


def _reference(summary: ValidationSummary, dataset: str) -> float | None:
    return next((each.regret for each in summary.references if each.dataset == dataset), None)

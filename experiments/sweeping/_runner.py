"""Carries out a plan: what the journal holds is taken from it, the rest runs on warm workers."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import automl
from experiments._claims import Claims
from experiments._errors import ExperimentError
from experiments._home import Home
from experiments.journaling import Journal, JournalRecorder, Packer, compact
from experiments.sweeping._driving import Driver, Ended, TrialPool
from experiments.sweeping._halving import Halving
from experiments.sweeping._manifests import alone, begin_manifest, describe, read_manifest
from experiments.sweeping._plan import KeepModels, PlannedTrial, SweepPlan, plan
from experiments.sweeping._settings import Limits, SweepBudget
from experiments.sweeping._spec import SweepSpec
from experiments.sweeping._spending import Spending, Spent
from experiments.sweeping._tally import SweepTally
from experiments.sweeping._watching import ProgressFile, seconds_before
from experiments.tracking import BackgroundTracker, TrackingReport
from mining import TrialRecord

_PATIENCE = 180.0
_PATIENCE_WHEN_KILLED = 5.0
_RAY_DEATHS = 3
_RAY_PAUSE_SECONDS = 5.0

Progress = Callable[[SweepTally], None]
"""Told once before the first trial, after each, and about once a second while they run."""


class InterruptedSweepError(ExperimentError):
    """The sweep could not go on (its Ray died, a disk is full); what is journaled stands, and ``lode sweep resume`` goes on from there."""


@dataclass(frozen=True)
class SweepOutcome:
    """What came of a sweep. ``overhead_seconds`` is the mean, over trials run now, of the time in the worker that was not training.

    ``idle_seconds`` is the mean time a trial that workers waited, or that Ray and the journal took: workers × wall, less the trials' own
    wall; ``startup_seconds``, until the first worker was warm, is not in it. ``ended`` says why it ended before its last trial;
    ``spent`` is what it spent over all its passes.
    """

    sweep_id: str
    name: str
    planned: int
    ran: int
    reused: int
    failed: int
    statuses: dict[str, int]
    seconds: float
    train_seconds: float
    overhead_seconds: float | None
    idle_seconds: float | None
    startup_seconds: float
    tracking: TrackingReport | None
    tally: SweepTally
    spent: Spent
    ended: Ended | None = None


def run_sweep(
    spec: SweepSpec,
    home: Home,
    *,
    pool: TrialPool | None = None,
    workers: int | None = None,
    track: bool = True,
    progress: Progress | None = None,
    keep_models: KeepModels = "best",
) -> SweepOutcome:
    """Plan ``spec`` and run it; a sweep that was begun before goes on where it stood.

    ``pool`` is a warm pool whose recorder is ``JournalRecorder(home.journal)``; without one, a pool of ``workers`` is started and ended.
    """
    return run_plan(plan(spec, home), home, pool=pool, workers=workers, track=track, progress=progress, keep_models=keep_models)


def resume_sweep(
    sweep_id: str,
    home: Home,
    *,
    pool: TrialPool | None = None,
    workers: int | None = None,
    track: bool = True,
    progress: Progress | None = None,
    keep_models: KeepModels = "best",
    budget: SweepBudget | None = None,
    limits: Limits | None = None,
    offline: bool = False,
) -> SweepOutcome:
    """Finish the sweep ``sweep_id`` from its manifest and the journal, under another ``budget`` or other ``limits`` when they are given.

    ``offline``: from dataset archives alone that are here already.

    Raises :class:`ExperimentError` when there is no such sweep, or when the trials of its plan would have other ids today (another version
    of Ludwig or of the engine, changed data): what is left would not belong to what stands.
    """
    manifest = read_manifest(Journal(home.journal), sweep_id)
    given = {"budget": budget, "limits": limits}
    spec = manifest.spec.model_copy(update={name: each for name, each in given.items() if each is not None})
    today = plan(spec, home, offline=offline)
    if today.sweep_id != sweep_id:
        now = today.manifest.versions
        changed = [f"{name} {old} → {now.get(name)}" for name, old in manifest.versions.items() if now.get(name) != old]
        why = ", ".join(changed) or "data, search spaces or device"
        raise ExperimentError(f"sweep {sweep_id} cannot go on: its trials would not be the same today ({why}); run its file as a new sweep")
    return run_plan(today, home, pool=pool, workers=workers, track=track, progress=progress, keep_models=keep_models)


def run_plan(
    plan: SweepPlan,
    home: Home,
    *,
    pool: TrialPool | None = None,
    workers: int | None = None,
    track: bool = True,
    progress: Progress | None = None,
    keep_models: KeepModels = "best",
) -> SweepOutcome:
    """Run what the journal lacks of ``plan``. Killed at any moment, the same call goes on; no trial is run or logged twice.

    Another sweep or search that wants the same trials at the same time shares them: each is run by one of the two.
    ``keep_models`` says whose models are kept under ``home.models`` and logged as artifacts when the sweep has ended: each dataset's best
    trial's, everybody's or nobody's. A trial that is taken from the journal has none.

    Raises:
        InterruptedSweepError: it cannot go on now, and can be resumed.
        ExperimentError: another process runs it.

    """
    plan = replace(plan, keep_models=keep_models, models=home.models)
    with alone(home, plan.sweep_id), Claims(home.root / "claims") as claims:
        sweep = _Sweep(plan, home, claims, track, progress)
        try:
            sweep.run(pool, workers or plan.manifest.spec.limits.parallel)
        except BaseException:
            sweep.end(killed=True)
            raise
        return sweep.end()


class _Sweep:
    """One pass over a plan."""

    def __init__(self, plan: SweepPlan, home: Home, claims: Claims, track: bool, progress: Progress | None) -> None:
        self._home, self._claims, self._progress = home, claims, progress
        self._journal = Journal(home.journal)
        self._plan = plan = replace(plan, manifest=begin_manifest(self._journal, plan.manifest))
        self._packer = Packer(home.journal, plan.sweep_id)
        self._tally = SweepTally.of(plan.manifest)
        self._ran: list[TrialRecord] = []
        self._workers = 0
        self._startup_seconds = self._working_seconds = 0.0
        self._started = self._began = time.monotonic()
        self._spending = Spending(plan.manifest.spec.budget, 0, seconds_before(home, plan.sweep_id))
        self._file = ProgressFile(home, plan.sweep_id)
        self._driver: Driver | None = None
        self._tracker = BackgroundTracker(home, describe(plan.manifest)) if track else None
        if self._tracker is not None:
            self._tracker.start()

    def run(self, pool: TrialPool | None, workers: int | None) -> None:
        """Take what the journal holds, run the rest, and lay all of it out as a table. A disk that is full or gone interrupts it."""
        try:
            self._run(pool, workers)
            compact(self._journal, self._home.trials, self._plan.sweep_id)
        except OSError as error:
            told = f"{error.filename or self._home.root}: {(error.strerror or str(error)).lower()}"
            raise InterruptedSweepError(f"{told}; mend that, then: {self._resume}") from error

    def _run(self, pool: TrialPool | None, workers: int | None) -> None:
        todo = self._take_from_journal()
        stopping, epochs = self._plan.manifest.spec.stopping, self._plan.manifest.spec.epochs
        self._driver = Driver(
            self._plan,
            todo,
            journal=self._journal,
            claims=self._claims,
            spending=self._spending,
            halving=None if stopping is None else Halving(stopping, epochs, self._journal.records(self._plan.sweep_id)),
            listener=self,
        )
        self._file.write(self._tally, self._spending.spent, "starting")
        self._tell()
        if pool is not None and todo:
            self._work(self._driver, pool)
        elif todo:
            self._work_on_own_again_and_again(self._driver, workers)

    def ran(self, record: TrialRecord) -> None:
        """Count a trial that was run now."""
        self._packer.note()
        self._ran.append(record)
        self._working_seconds = time.monotonic() - self._began
        self._take(record)
        self._tell()

    def found(self, record: TrialRecord) -> None:
        """Count a trial that another ran in the meantime."""
        self._take(record)
        self._tell()

    def tick(self) -> None:
        """Show what is running."""
        self._file.write(self._tally, self._spending.spent, "running")
        self._tell()

    def end(self, *, killed: bool = False) -> SweepOutcome:
        """Let the tracker finish, for as long as there is patience, and sum up."""
        patience = _PATIENCE_WHEN_KILLED if killed else _PATIENCE
        seconds = time.monotonic() - self._started
        self._packer.close(patience)
        tally = self._tally
        tally.now_running((), 0)
        ended = self._driver.ended if self._driver is not None else None
        train_seconds = sum(each.train_seconds for each in self._ran)
        wall_seconds = sum(each.wall_seconds for each in self._ran)
        report = None
        if self._tracker is not None:
            status = "FINISHED" if tally.done == tally.planned and not killed else "KILLED"
            report = self._tracker.close(patience=patience, status=status, models=not killed)
        self._file.write(tally, self._spending.spent, "ended", ended.text if ended is not None else None)
        count = len(self._ran)
        return SweepOutcome(
            sweep_id=tally.sweep_id,
            name=tally.name,
            planned=tally.planned,
            ran=count,
            reused=tally.done - count,
            failed=tally.failed,
            statuses=dict(tally.statuses),
            seconds=seconds,
            train_seconds=train_seconds,
            overhead_seconds=(wall_seconds - train_seconds) / count if count else None,
            startup_seconds=self._startup_seconds,
            idle_seconds=max(self._workers * self._working_seconds - wall_seconds, 0.0) / count if count else None,
            tracking=report,
            tally=tally,
            spent=self._spending.spent,
            ended=ended,
        )

    @property
    def _resume(self) -> str:
        return f"lode sweep resume {self._plan.sweep_id}"

    def _take_from_journal(self) -> list[PlannedTrial]:
        manifest = self._plan.manifest
        found = manifest.answered(self._journal)
        for trial in manifest.trials:
            if (records := found.get(trial.trial_id)) is not None:
                record = self._plan.take(self._journal, trial, records)
                if record.sweep_id == manifest.sweep_id:
                    self._spending.ran()
                self._take(record)
        return [trial for trial in manifest.trials if trial.trial_id not in found]

    def _work_on_own_again_and_again(self, driver: Driver, workers: int | None) -> None:
        """Begin anew when Ray dies under the sweep, but not when it did so a few times in a row with no trial between."""
        deaths = ran = 0
        while True:
            try:
                return self._work_on_own(driver, workers)
            except automl.PoolLostError as lost:
                deaths, ran = 1 if len(self._ran) > ran else deaths + 1, len(self._ran)
                if deaths == _RAY_DEATHS:
                    raise InterruptedSweepError(f"sweep {self._plan.sweep_id} stands still: {lost}; go on with: {self._resume}") from lost
                time.sleep(_RAY_PAUSE_SECONDS)

    def _work_on_own(self, driver: Driver, workers: int | None) -> None:
        """Work on a Ray and a pool that end with it."""
        ours = automl.start_ray(workers)
        try:
            count = min(workers or automl.trials_at_a_time(), driver.open)
            with automl.WorkerPool(self._home.prepared, JournalRecorder(self._home.journal), workers=count) as own:
                self._work(driver, own)
        finally:
            if ours:
                automl.stop_ray()

    def _work(self, driver: Driver, pool: TrialPool) -> None:
        pool.wait_ready(at_least=1)
        if not self._workers:
            self._began = time.monotonic()
            self._startup_seconds = self._began - self._started
        self._workers = pool.workers
        try:
            driver.work(pool)
        except Exception as error:
            cause = getattr(error, "cause", None)  # Ray wraps what a worker raised in an error whose text is a traceback
            fault = cause if isinstance(cause, ExperimentError) else error
            if isinstance(fault, ExperimentError | automl.MachineError):
                raise InterruptedSweepError(f"{fault}; mend that, then: {self._resume}") from None
            raise

    def _take(self, record: TrialRecord) -> None:
        self._tally.add(record)
        if self._tracker is not None:
            self._tracker.put(record)

    def _tell(self) -> None:
        driver = self._driver
        self._tally.now_running(driver.running if driver is not None else (), self._workers)
        if self._progress is not None:
            self._progress(self._tally)

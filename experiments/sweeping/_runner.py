"""Carries out a plan: what the journal holds is taken from it, the rest runs on warm workers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import automl
from automl import TrialRequest, TrialResult
from experiments._errors import ExperimentError
from experiments._home import Home
from experiments.journaling import Journal, JournalRecorder, Packer, build_record, compact, settles
from experiments.sweeping._manifests import alone, describe, read_manifest
from experiments.sweeping._plan import PlannedTrial, SweepPlan, plan
from experiments.sweeping._spec import SweepSpec
from experiments.sweeping._tally import SweepTally
from experiments.tracking import BackgroundTracker, TrackingReport
from mining import TrialRecord

_PATIENCE = 180.0
_PATIENCE_WHEN_KILLED = 5.0

Progress = Callable[[SweepTally], None]
"""Told after each trial, and once before the first."""


class TrialPool(Protocol):
    """What a sweep asks of ``automl.WorkerPool``."""

    @property
    def workers(self) -> int:
        """How many trials run at a time."""

    def wait_ready(self, *, at_least: int | None = None) -> list[int]:
        """Wait until ``at_least`` workers are warm (by default all); return the process ids of those that are."""

    def run(self, requests: Iterable[TrialRequest]) -> Iterator[TrialResult]:
        """Run ``requests``, each journaled by the worker that ran it, and give back each result when it is there."""


@dataclass(frozen=True)
class SweepOutcome:
    """What came of a sweep. ``overhead_seconds`` is the mean, over trials run now, of the time in the worker that was not training.

    ``idle_seconds`` is the mean time a trial that workers waited, or that Ray and the journal took: workers × wall, less the trials' own
    wall; ``startup_seconds``, until the first worker was warm, is not in it.
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


def run_sweep(
    spec: SweepSpec,
    home: Home,
    *,
    pool: TrialPool | None = None,
    workers: int | None = None,
    track: bool = True,
    progress: Progress | None = None,
) -> SweepOutcome:
    """Plan ``spec`` and run it; a sweep that was begun before goes on where it stood.

    ``pool`` is a warm pool whose recorder is ``JournalRecorder(home.journal)``; without one, a pool of ``workers`` is started and ended.
    """
    return run_plan(plan(spec, home), home, pool=pool, workers=workers, track=track, progress=progress)


def resume_sweep(
    sweep_id: str,
    home: Home,
    *,
    pool: TrialPool | None = None,
    workers: int | None = None,
    track: bool = True,
    progress: Progress | None = None,
) -> SweepOutcome:
    """Finish the sweep ``sweep_id`` from its manifest and the journal.

    Raises :class:`ExperimentError` when there is no such sweep, or when the trials of its plan would have other ids today (another version
    of Ludwig or of the engine, changed data): what is left would not belong to what stands.
    """
    manifest = read_manifest(Journal(home.journal), sweep_id)
    today = plan(manifest.spec, home)
    if today.sweep_id != sweep_id:
        now = today.manifest.versions
        changed = [f"{name} {old} → {now.get(name)}" for name, old in manifest.versions.items() if now.get(name) != old]
        why = ", ".join(changed) or "data, search spaces or device"
        raise ExperimentError(f"sweep {sweep_id} cannot go on: its trials would not be the same today ({why}); run its file as a new sweep")
    return run_plan(today, home, pool=pool, workers=workers, track=track, progress=progress)


def run_plan(
    plan: SweepPlan,
    home: Home,
    *,
    pool: TrialPool | None = None,
    workers: int | None = None,
    track: bool = True,
    progress: Progress | None = None,
) -> SweepOutcome:
    """Run what the journal lacks of ``plan``. Killed at any moment, the same call goes on; no trial is run or logged twice."""
    with alone(home, plan.sweep_id):
        sweep = _Sweep(plan, home, track, progress)
        try:
            sweep.run(pool, workers or plan.manifest.spec.workers)
        except BaseException:
            sweep.end(patience=_PATIENCE_WHEN_KILLED, status="KILLED")
            raise
        compact(Journal(home.journal), home.trials, plan.sweep_id)
        return sweep.end(patience=_PATIENCE, status="FINISHED")


class _Sweep:
    """One pass over a plan."""

    def __init__(self, plan: SweepPlan, home: Home, track: bool, progress: Progress | None) -> None:
        self._plan, self._home, self._progress = plan, home, progress
        self._journal = Journal(home.journal)
        self._journal.write_manifest(plan.sweep_id, plan.manifest.model_dump(mode="json"))
        self._packer = Packer(home.journal, plan.sweep_id)
        self._tally = SweepTally.of(plan.manifest)
        self._ran: list[TrialRecord] = []
        self._workers = 0
        self._startup_seconds = self._working_seconds = 0.0
        self._started = time.monotonic()
        self._tracker = BackgroundTracker(home, describe(plan.manifest)) if track else None
        if self._tracker is not None:
            self._tracker.start()

    def run(self, pool: TrialPool | None, workers: int | None) -> None:
        """Take what the journal holds, run the rest."""
        todo = self._take_from_journal()
        self._tell()
        if not todo:
            return
        if pool is not None:
            self._work(pool, todo)
            return
        ours = automl.start_ray(workers)
        try:
            count = min(workers or _processors(), len(todo))
            with automl.WorkerPool(self._home.prepared, JournalRecorder(self._home.journal), workers=count) as own:
                self._work(own, todo)
        finally:
            if ours:
                automl.stop_ray()

    def end(self, *, patience: float, status: str) -> SweepOutcome:
        """Give the tracker ``patience`` seconds to finish, and sum up."""
        seconds = time.monotonic() - self._started
        self._packer.close(patience)
        tally = self._tally
        train_seconds = sum(each.train_seconds for each in self._ran)
        wall_seconds = sum(each.wall_seconds for each in self._ran)
        report = None
        if self._tracker is not None:
            summary = {"trials": float(tally.done), "failed": float(tally.failed), "reused": float(tally.reused), "seconds": seconds}
            report = self._tracker.close(patience=patience, summary=summary, status=status)
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
        )

    def _take_from_journal(self) -> list[PlannedTrial]:
        planned = self._plan.manifest.trials
        found = self._journal.answers({trial.trial_id for trial in planned}, self._plan.manifest.spec.time_limit)
        datasets = {each.name: each for each in self._plan.manifest.datasets}
        for trial in planned:
            if (records := found.get(trial.trial_id)) is None:
                continue
            dataset = datasets[trial.dataset]
            record = min(records, key=lambda each: (each.sweep_id != self._plan.sweep_id, each.role != "training"))
            self._take(
                self._journal.adopt(record, sweep_id=self._plan.sweep_id, dataset=dataset.name, family=dataset.family, role=dataset.role)
            )
        return [trial for trial in planned if trial.trial_id not in found]

    def _work(self, pool: TrialPool, todo: Sequence[PlannedTrial]) -> None:
        pool.wait_ready(at_least=1)
        began = time.monotonic()
        self._startup_seconds = began - self._started
        self._workers = pool.workers
        requests = {trial.trial_id: self._plan.request(trial) for trial in todo}
        try:
            for result in pool.run(requests.values()):
                self._working_seconds = time.monotonic() - began
                self._keep(build_record(requests[result.trial_id], result))
        except Exception as error:
            cause = getattr(error, "cause", None)  # Ray wraps what a worker raised in an error whose text is a traceback
            if isinstance(cause, ExperimentError):
                raise cause from None
            raise

    def _keep(self, record: TrialRecord) -> None:
        if not settles(record, self._plan.manifest.spec.time_limit):
            return  # a trial whose workers died under it stays open for a resume
        self._journal.append(record)  # the worker wrote it; one that died before it could is made good here
        self._packer.note()
        self._ran.append(record)
        self._take(record)
        self._tell()

    def _take(self, record: TrialRecord) -> None:
        self._tally.add(record)
        if self._tracker is not None:
            self._tracker.put(record)

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(self._tally)


def _processors() -> int:
    """How many processors the Ray that this process is connected to has."""
    import ray

    return max(1, int(ray.cluster_resources().get("CPU", 1)))

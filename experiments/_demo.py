"""The whole loop on real data: sweep, mine, validate, ask the gate, report; each stage the same code as its own command."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from automl import WorkerPool, start_ray, stop_ray
from experiments._home import Home
from experiments._mine import mine_sweeps
from experiments._store import open_store
from experiments.journaling import Journal, JournalRecorder
from experiments.reporting import Overhead, Stage, gather, overhead, report_path, write_report
from experiments.sweeping import SweepOutcome, SweepPlan, SweepTally, find_sweep, load_sweep, plan, run_plan
from experiments.validating import (
    RayRunner,
    SuiteSpec,
    ValidationProgress,
    counted,
    find_suite,
    load_suite,
    plan_validation,
    recorded,
    regret_rows,
    run_counted,
    run_validation,
)
from heuristics_db import GateVerdict, HeuristicsStore, ValidationSummary, Version
from mining import TrialRecord

CHANNEL = "staging"
BY = "lode demo"
PATIENCE = 180.0
"""Seconds without a finished trial after which it is said."""


class Watcher(Protocol):
    """Hears how the demo goes; what it does with that is the command's concern."""

    def begin(self, number: int, of: int, title: str) -> None:
        """Stage ``number`` of ``of`` begins."""

    def step(self, done: int, of: int, text: str) -> None:
        """Within the stage, ``done`` of ``of`` steps are behind; ``text`` says what is known so far."""

    def say(self, text: str) -> None:
        """Hear a remark."""

    def end(self, stage: Stage) -> None:
        """Hear that the stage is over."""


@dataclass(frozen=True)
class DemoOutcome:
    """What a demo came to. ``reused`` says whether the validation was recorded before and not run again."""

    sweep: SweepOutcome
    overhead: Overhead
    version: Version
    validation: ValidationSummary
    reused: bool
    gate: GateVerdict
    report: Path
    stages: tuple[Stage, ...]

    @property
    def seconds(self) -> float:
        """Wall time of all stages."""
        return sum(stage.seconds for stage in self.stages)


@dataclass
class _Stages:
    """Times the stages, one after another."""

    watcher: Watcher
    of: int
    done: list[Stage] = field(default_factory=list)

    @contextmanager
    def run(self, title: str) -> Iterator[Callable[[str], None]]:
        """Time a stage; call what is yielded with a few words on what it did."""
        self.watcher.begin(len(self.done) + 1, self.of, title)
        started, detail = time.monotonic(), [""]
        yield lambda words: detail.__setitem__(0, words)
        stage = Stage(title, time.monotonic() - started, detail[0])
        self.done.append(stage)
        self.watcher.end(stage)


def run_demo(home: Home, watcher: Watcher, *, short: bool = False, workers: int | None = None) -> DemoOutcome:
    """Run the loop on the shipped sweep and suite (``demo``, or ``demo-short``), one warm pool for everything.

    What the journal and the database hold already is taken from there: a second run is quick and comes to the same.

    Raises:
        CatalogError: an archive cannot be fetched or verified.
        ExperimentError: the suite does not fit the version, or another process runs the same sweep.

    """
    name = "demo-short" if short else "demo"
    spec, suite = load_sweep(find_sweep(name)), load_suite(find_suite(name))
    stages = _Stages(watcher, of=6)
    started = start_ray(workers)
    try:
        # the workers import Ludwig while the datasets are fetched
        with (
            WorkerPool(home.prepared, JournalRecorder(home.journal), workers=workers) as pool,
            open_store(home) as store,
        ):
            with stages.run("datasets") as did:
                planned = plan(spec, home, progress=watcher.say)
                did(_datasets_words(planned))
            with stages.run("sweep") as did:
                sweep = run_plan(planned, home, pool=pool, progress=_sweep_steps(watcher))
                did(_sweep_words(sweep))
            with stages.run("mine") as did:
                document = mine_sweeps(home, [planned.sweep_id])
                version = store.add(document, note=f"mined from {planned.sweep_id}", by=BY)
                did(f"version {version.short}, {document.provenance.trials} trials")
            with stages.run("validate") as did:
                validation, reused = _validate(home, store, version, suite, pool, watcher)
                did(_validation_words(validation, reused))
            with stages.run("gate") as did:
                gate = store.promote(version.id, CHANNEL, by=BY, note=f"validated on {suite.name}")
                did(gate_words(gate))
            with stages.run("report") as did:
                data = gather(home, store, version.id, title="The Motherlode demo", stages=stages.done, notes=_notes(short))
                path = write_report(data, report_path(home, data))
                did(str(path))
            return DemoOutcome(
                sweep, overhead(_trials(home, planned)), store.version(version.id), validation, reused, gate, path, tuple(stages.done)
            )
    finally:
        if started:
            stop_ray()


def gate_words(gate: GateVerdict) -> str:
    """Say in a sentence what the gate decided, and why when it refused."""
    if gate.passed:
        return f"the gate of {gate.channel} let the version through; {gate.channel} points at it now"
    return f"the gate of {gate.channel} did not let the version through ({'; '.join(gate.reasons)}); nothing was promoted"


def _validate(
    home: Home, store: HeuristicsStore, version: Version, suite: SuiteSpec, pool: WorkerPool, watcher: Watcher
) -> tuple[ValidationSummary, bool]:
    known = recorded(store, version.id, suite)
    if known is not None:
        return known, True
    planned = plan_validation(suite, store.get(version.id), home, version=version.id)
    watcher.say(f"{len(planned.jobs)} searches of at most {suite.budget.trials} trials on {', '.join(planned.tables)}")
    steps = _ValidationSteps(watcher, planned.trials)
    with counted(planned, home, steps.counted):
        summary = run_counted(planned, store, lambda: run_validation(planned, RayRunner(pool), progress=steps.ended), by=BY)
    return summary, False


def _sweep_steps(watcher: Watcher) -> Callable[[SweepTally], None]:
    def told(tally: SweepTally) -> None:
        last = tally.last
        text = "" if last is None else f"{last.dataset} · {last.model_type} · {last.status}"
        watcher.step(tally.done, tally.planned, text)

    return told


class _ValidationSteps:
    """Tells a watcher how many trials are journaled, which search ended last, and when nothing has moved for long."""

    def __init__(self, watcher: Watcher, planned: int) -> None:
        self._watcher, self._planned = watcher, planned
        self._last = ""
        self._warned = False

    def ended(self, progress: ValidationProgress) -> None:
        """Remember the search that ended."""
        last = progress.last
        if last is not None:
            self._last = f"{last.dataset} · {last.arm} · seed {last.seed} · regret {_figure(last.regret)}"

    def counted(self, trials: int, still: float) -> None:
        """Tell the number of trials."""
        self._watcher.step(trials, self._planned, self._last)
        if still > PATIENCE and not self._warned:
            self._watcher.say(f"no trial has ended for {PATIENCE / 60:.0f} minutes; Ray's own logs may say why")
        self._warned = still > PATIENCE


def _trials(home: Home, planned: SweepPlan) -> list[TrialRecord]:
    return Journal(home.journal).records(planned.sweep_id)


def _datasets_words(planned: SweepPlan) -> str:
    datasets, cap = planned.manifest.datasets, planned.manifest.spec.row_cap
    capped = "" if cap is None else f", at most {cap} rows of each"
    return f"{len(datasets)} training datasets ({', '.join(each.name for each in datasets)}){capped}"


def _sweep_words(sweep: SweepOutcome) -> str:
    failed = f", {sweep.failed} of them failed" if sweep.failed else ""
    reused = f", {sweep.reused} taken from the journal" if sweep.reused else ""
    return f"{sweep.planned} trials{failed}{reused}"


def _validation_words(summary: ValidationSummary, reused: bool) -> str:
    trials = sum(each.trials for each in summary.results)
    candidate, untuned = regret_rows(summary)[-1][2:4]
    again = " (recorded before; not run again)" if reused else ""
    return f"{len(summary.results)} searches, {trials} trials; regret {_figure(candidate)} against {_figure(untuned)} untuned{again}"


def _notes(short: bool) -> tuple[str, ...]:
    return ("A short run, to show that every stage works: its figures say little about the heuristics.",) if short else ()


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"

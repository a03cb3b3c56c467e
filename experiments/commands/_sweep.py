"""``lode sweep``: run, resume, look at, and replay sweeps."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from experiments._home import Home
from experiments.commands import _output, _sweep_cache, _sweep_show

if TYPE_CHECKING:
    from experiments.sweeping import SweepBudget, SweepOutcome
    from experiments.tracking import SweepRun, TrackingReport

app = typer.Typer(no_args_is_help=True, help="Train many configurations over the training datasets; every trial is journaled first.")
app.add_typer(_sweep_cache.app, name="cache")

WorkersOption = Annotated[
    int | None, typer.Option("--workers", min=1, max=10_000, help="Trials at a time (default: the file's, else one a core).")
]
TrackOption = Annotated[bool, typer.Option("--track/--no-track", help="Log trials to MLflow while the sweep runs.")]
KeepOption = Annotated[
    Literal["none", "best", "all"],
    typer.Option("--keep-models", help="Whose models are kept and logged: each dataset's best trial's, everybody's, or nobody's."),
]
OfflineOption = Annotated[bool, typer.Option("--offline", help="Use only dataset archives that are here already.")]
SweepArgument = Annotated[str | None, typer.Argument(metavar="SWEEP_ID", show_default=False, help="As lode sweep status lists it.")]


@app.command()
def run(
    sweep: Annotated[str, typer.Argument(metavar="SWEEP.yaml", help="A sweep's file, or the name of one that is shipped (demo).")],
    workers: WorkersOption = None,
    track: TrackOption = True,
    keep_models: KeepOption = "best",
    offline: OfflineOption = False,
    dry_run: _output.DryRunOption = False,
    as_json: _output.JsonOption = False,
) -> None:
    """Run a sweep. What the journal holds already is not run again; an interrupted sweep goes on where it stood."""
    from experiments.sweeping import find_sweep, load_sweep, plan, run_plan

    spec = load_sweep(find_sweep(sweep))
    home = Home.find()
    with _step() as told:
        planned = plan(spec, home, offline=offline, progress=told)
    if dry_run:
        _sweep_show.show_plan(home, planned.manifest, as_json, workers)
        return
    with _sweep_show.live() as progress, _resumable():
        outcome = run_plan(planned, home, workers=workers, track=track, progress=progress, keep_models=keep_models)
    _end(home, outcome, as_json)


@app.command()
def resume(
    sweep_id: SweepArgument = None,
    workers: WorkersOption = None,
    track: TrackOption = True,
    keep_models: KeepOption = "best",
    trials: Annotated[int | None, typer.Option("--trials", min=1, help="Budget: trials of the sweep, all passes.")] = None,
    hours: Annotated[float | None, typer.Option("--hours", min=0, help="Budget: hours of the sweep, all passes.")] = None,
    dollars: Annotated[float | None, typer.Option("--dollars", min=0, help="Budget: dollars of the sweep, all passes.")] = None,
    offline: OfflineOption = False,
    dry_run: _output.DryRunOption = False,
    as_json: _output.JsonOption = False,
) -> None:
    """Finish a sweep that was interrupted: the one named, or else the latest that is not complete."""
    from experiments.journaling import Journal
    from experiments.sweeping import read_manifest, resume_sweep, unfinished_sweep

    home = Home.find()
    chosen = sweep_id or unfinished_sweep(home)
    manifest = read_manifest(Journal(home.journal), chosen)
    if dry_run:
        _sweep_show.show_plan(home, manifest, as_json, workers)
        return
    given = {"trials": trials, "hours": hours, "dollars": dollars}
    with _sweep_show.live() as progress, _resumable():
        outcome = resume_sweep(
            chosen,
            home,
            workers=workers,
            track=track,
            progress=progress,
            keep_models=keep_models,
            budget=_budget(manifest.spec.budget, given),
            offline=offline,
        )
    _end(home, outcome, as_json)


@app.command()
def status(
    sweep_id: SweepArgument = None,
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Look again and again until nobody works on the sweep any more.")] = False,
    every: Annotated[float, typer.Option("--every", min=0.2, max=86400, help="Seconds between two looks of --watch.")] = 2.0,
    as_json: _output.JsonOption = False,
) -> None:
    """Show how far a sweep is, or list all sweeps; with --watch from another terminal, while it runs (--json: one document a line)."""
    from experiments.journaling import Journal
    from experiments.sweeping import planned_sweeps, sweep_status

    if math.isnan(every):
        raise typer.BadParameter("nan is no number of seconds", param_hint="'--every'")
    home = Home.find()
    if watch:
        _sweep_show.watch(home, sweep_id or _sweep_show.to_watch(home), every, as_json)
        return
    chosen = [sweep_id] if sweep_id else planned_sweeps(Journal(home.journal))
    _sweep_show.show_status(home, [sweep_status(home, each) for each in chosen], as_json)


@app.command()
def sync(sweep_id: SweepArgument = None, dry_run: _output.DryRunOption = False, as_json: _output.JsonOption = False) -> None:
    """Log to MLflow what the journal holds and MLflow lacks: for one sweep, or for all. Nothing is logged twice."""
    from experiments.journaling import Journal
    from experiments.sweeping import sweep_run
    from experiments.tracking import LoggedElsewhereError, shown, ui_command

    home = Home.find()
    journal = Journal(home.journal)
    runs = [sweep_run(home, sweep_id)] if sweep_id else _readable(home, journal.sweeps())
    if dry_run:
        counts = {run.sweep_id: len(journal.records(run.sweep_id)) for run in runs}
        if as_json:
            _output.print_json({"tracking_uri": shown(home.tracking_uri), "trials": counts})
        else:
            _output.print_table(f"would be checked against {shown(home.tracking_uri)}", ["sweep", "trials in the journal"], counts.items())
        return
    reports = _replay(home, runs, spare=() if sweep_id else (LoggedElsewhereError,))
    if as_json:
        _output.print_json({"tracking_uri": shown(home.tracking_uri), "sweeps": reports, "view": ui_command(home)})
        return
    _output.print_table("", ["sweep", "logged now", "there already"], [(each.sweep_id, each.logged, each.already) for each in reports])
    _output.say(f"to look at them: {ui_command(home)}")


def _replay(home: Home, runs: Iterable[SweepRun], spare: tuple[type[Exception], ...]) -> list[TrackingReport]:
    """Log sweeps one after another; one that meets a fault out of ``spare`` is told of, and keeps no other waiting."""
    from experiments.tracking import sync as replay

    reports = []
    with _output.progress() as bars:
        for run in runs:
            task = bars.add_task(run.sweep_id, total=None)
            try:
                reports.append(replay(home, run, progress=_teller(bars, task)))
            except spare as error:
                _output.warn(f"left out: {error}")
    return reports


def _teller(bars: Any, task: Any) -> Callable[[int, int], None]:
    return lambda done, total: bars.update(task, completed=done, total=total)


@contextmanager
def _step() -> Iterator[Callable[[str], None]]:
    with _output.progress() as bars:
        task = bars.add_task("planning", total=None)
        yield lambda text: bars.update(task, description=text)


@contextmanager
def _resumable() -> Iterator[None]:
    """End with 3 when a sweep could not go on but can be resumed."""
    from experiments.sweeping import InterruptedSweepError

    try:
        yield
    except InterruptedSweepError as error:
        _output.complain(str(error))
        raise typer.Exit(3) from error


def _budget(now: SweepBudget, given: dict[str, Any]) -> SweepBudget | None:
    """Return the budget with what was given on the command line; ``None`` when nothing was."""
    from experiments._yaml import validated
    from experiments.sweeping import SweepBudget

    changed = {name: each for name, each in given.items() if each is not None}
    return validated(now.model_dump() | changed, SweepBudget, "budget") if changed else None


def _readable(home: Home, sweeps: Iterable[str]) -> list[SweepRun]:
    """Return the sweeps as MLflow wants them described; one whose plan cannot be read is told of, and keeps no other waiting."""
    from experiments import ExperimentError
    from experiments.sweeping import sweep_run

    found = []
    for each in sweeps:
        try:
            found.append(sweep_run(home, each))
        except (ExperimentError, OSError) as error:
            _output.warn(f"left out: {error}")
    return found


def _end(home: Home, outcome: SweepOutcome, as_json: bool) -> None:
    """Show what came of a sweep; exit 1 when too many trials failed, 3 when trials are open."""
    _sweep_show.show_outcome(home, outcome, as_json)
    left = outcome.planned - outcome.ran - outcome.reused
    resume = f"lode sweep resume {outcome.sweep_id}"
    if outcome.ended is not None and outcome.ended.why == "failures":
        _output.complain(f"the sweep was ended: {outcome.ended.text}; {left} trials are open, to go on: {resume}")
        raise typer.Exit(1)
    if outcome.ended is not None:
        more = f"for more of it (--trials, --hours, --dollars): {resume}"
        _output.complain(f"the sweep stands still: {outcome.ended.text}; {left} trials are open; {more}")
        raise typer.Exit(3)
    if left:
        _output.warn(f"{left} trials lost their workers again and again and are open: {resume}")
        raise typer.Exit(3)

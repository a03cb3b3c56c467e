"""``lode sweep``: run, resume, look at, and replay sweeps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from experiments._home import Home
from experiments.commands import _output, _sweep_cache

if TYPE_CHECKING:
    from experiments.sweeping import SweepManifest, SweepOutcome, SweepStatus, SweepTally
    from experiments.tracking import TrackingReport

app = typer.Typer(no_args_is_help=True, help="Train many configurations over the training datasets; every trial is journaled first.")
app.add_typer(_sweep_cache.app, name="cache")

WorkersOption = Annotated[int | None, typer.Option("--workers", min=1, help="Trials at a time (default: the file's, else one a core).")]
TrackOption = Annotated[bool, typer.Option("--track/--no-track", help="Log trials to MLflow while the sweep runs.")]
SweepArgument = Annotated[str | None, typer.Argument(metavar="[SWEEP_ID]", show_default=False)]


@app.command()
def run(
    sweep: Annotated[str, typer.Argument(metavar="SWEEP.yaml", help="A sweep's file, or the name of one that is shipped (demo).")],
    workers: WorkersOption = None,
    track: TrackOption = True,
    offline: Annotated[bool, typer.Option("--offline", help="Use only dataset archives that are here already.")] = False,
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
        _show_plan(home, planned.manifest, as_json)
        return
    with _live() as progress:
        outcome = run_plan(planned, home, workers=workers, track=track, progress=progress)
    _show_outcome(home, outcome, as_json)


@app.command()
def resume(
    sweep_id: SweepArgument = None,
    workers: WorkersOption = None,
    track: TrackOption = True,
    dry_run: _output.DryRunOption = False,
    as_json: _output.JsonOption = False,
) -> None:
    """Finish a sweep that was interrupted: the one named, or else the latest that is not complete."""
    from experiments.sweeping import resume_sweep, sweep_status, unfinished_sweep

    home = Home.find()
    chosen = sweep_id or unfinished_sweep(home)
    if dry_run:
        _show_status(home, [sweep_status(home, chosen)], as_json)
        return
    with _live() as progress:
        outcome = resume_sweep(chosen, home, workers=workers, track=track, progress=progress)
    _show_outcome(home, outcome, as_json)


@app.command()
def status(sweep_id: SweepArgument = None, as_json: _output.JsonOption = False) -> None:
    """Show how far a sweep is, or list all sweeps."""
    from experiments.journaling import Journal
    from experiments.sweeping import planned_sweeps, sweep_status

    home = Home.find()
    chosen = [sweep_id] if sweep_id else planned_sweeps(Journal(home.journal))
    _show_status(home, [sweep_status(home, each) for each in chosen], as_json)


@app.command()
def sync(sweep_id: SweepArgument = None, dry_run: _output.DryRunOption = False, as_json: _output.JsonOption = False) -> None:
    """Log to MLflow what the journal holds and MLflow lacks: for one sweep, or for all. Nothing is logged twice."""
    from experiments.journaling import Journal
    from experiments.sweeping import sweep_run
    from experiments.tracking import shown, ui_command
    from experiments.tracking import sync as replay

    home = Home.find()
    journal = Journal(home.journal)
    runs = [sweep_run(home, each) for each in ([sweep_id] if sweep_id else journal.sweeps())]
    if dry_run:
        counts = {run.sweep_id: len(journal.records(run.sweep_id)) for run in runs}
        if as_json:
            _output.print_json({"tracking_uri": shown(home.tracking_uri), "trials": counts})
        else:
            _output.print_table(f"would be checked against {shown(home.tracking_uri)}", ["sweep", "trials in the journal"], counts.items())
        return
    reports: list[TrackingReport] = []
    with _output.progress() as bars:
        for run in runs:
            task = bars.add_task(run.sweep_id, total=None)
            reports.append(replay(home, run, progress=_teller(bars, task)))
    if as_json:
        _output.print_json({"tracking_uri": shown(home.tracking_uri), "sweeps": reports, "view": ui_command(home)})
        return
    _output.print_table("", ["sweep", "logged now", "there already"], [(each.sweep_id, each.logged, each.already) for each in reports])
    _output.say(f"to look at them: {ui_command(home)}")


def _teller(bars: Any, task: Any) -> Callable[[int, int], None]:
    return lambda done, total: bars.update(task, completed=done, total=total)


@contextmanager
def _step() -> Iterator[Callable[[str], None]]:
    with _output.progress() as bars:
        task = bars.add_task("planning", total=None)
        yield lambda text: bars.update(task, description=text)


@contextmanager
def _live() -> Iterator[Callable[[SweepTally], None]]:
    """One bar a dataset and one for all, with the best validation score so far."""
    with _output.progress() as bars:
        tasks: dict[str, Any] = {}

        def show(tally: SweepTally) -> None:
            if not tasks:
                tasks[""] = bars.add_task(f"sweep {tally.sweep_id}", total=tally.planned)
                for name, each in tally.datasets.items():
                    tasks[name] = bars.add_task(name, total=each.planned)
            state = "" if tally.last is not None else "  starting workers"
            bars.update(tasks[""], completed=tally.done, description=f"sweep {tally.sweep_id}{state}")
            for name, each in tally.datasets.items():
                best = f"  best {each.metric} {each.best:.4g}" if each.best is not None else ""
                failed = f"  {each.failed} failed" if each.failed else ""
                bars.update(tasks[name], completed=each.done, description=f"  {name}{best}{failed}")

        yield show


def _show_plan(home: Home, manifest: SweepManifest, as_json: bool) -> None:
    from experiments.journaling import Journal

    journaled = Journal(home.journal).answers({each.trial_id for each in manifest.trials}, manifest.spec.limits.trial_seconds)
    if as_json:
        _output.print_json({"home": home.root, "journaled": sorted(journaled), **manifest.model_dump(mode="json")})
        return
    rows = []
    for dataset in manifest.datasets:
        trials = [each for each in manifest.trials if each.dataset == dataset.name]
        there = sum(each.trial_id in journaled for each in trials)
        rows.append((dataset.name, dataset.task, dataset.metric, dataset.rows, dataset.columns, len(trials), there))
    title = f"{manifest.sweep_id}: {len(manifest.trials)} trials of {manifest.spec.epochs} epochs, {len(journaled)} journaled already"
    _output.print_table(title, ["dataset", "task", "metric", "rows", "columns", "trials", "journaled"], rows)


def _show_outcome(home: Home, outcome: SweepOutcome, as_json: bool) -> None:
    from experiments.tracking import ui_command

    tracking = outcome.tracking
    if tracking is not None and tracking.error is not None:
        _output.warn(f"{tracking.waiting} trials wait to be logged ({tracking.error}); later: lode sweep sync {outcome.sweep_id}")
    if as_json:
        _output.print_json({**_flat(outcome), "journal": home.journal / outcome.sweep_id, "view": ui_command(home)})
    else:
        _show_tally(outcome.tally)
        overhead = f", {outcome.overhead_seconds:.2f} s of overhead a trial" if outcome.overhead_seconds is not None else ""
        states = ", ".join(f"{count} {status}" for status, count in sorted(outcome.statuses.items()))
        _output.say(f"{outcome.ran} trials run, {outcome.reused} taken from the journal ({states}) in {outcome.seconds:.1f} s{overhead}")
        _output.say(f"journal: {home.journal / outcome.sweep_id}")
        if tracking is not None:
            _output.say(f"to look at them: {ui_command(home)}")
    missing = outcome.planned - outcome.ran - outcome.reused
    if missing:
        _output.warn(f"{missing} trials lost their workers and are open: lode sweep resume {outcome.sweep_id}")
        raise typer.Exit(3)


def _flat(outcome: SweepOutcome) -> dict[str, Any]:
    content = {name: getattr(outcome, name) for name in outcome.__dataclass_fields__ if name != "tally"}
    return content | {"datasets": list(outcome.tally.datasets.values())}


def _show_status(home: Home, found: list[SweepStatus], as_json: bool) -> None:
    if as_json:
        _output.print_json(
            {
                "journal": home.journal,
                "sweeps": [
                    {
                        "sweep_id": each.sweep_id,
                        "created_at": each.created_at,
                        "state": _state(each),
                        "planned": each.tally.planned,
                        "done": each.tally.done,
                        "failed": each.tally.failed,
                        "reused": each.tally.reused,
                        "statuses": dict(each.tally.statuses),
                        "datasets": list(each.tally.datasets.values()),
                    }
                    for each in found
                ],
            }
        )
        return
    rows = [
        (each.sweep_id, _state(each), each.tally.planned, each.tally.done, each.tally.failed, f"{each.created_at:%Y-%m-%d %H:%M}")
        for each in found
    ]
    _output.print_table("" if found else "no sweep was begun here", ["sweep", "state", "planned", "done", "failed", "begun (UTC)"], rows)
    if len(found) == 1:
        _show_tally(found[0].tally)


def _state(status: SweepStatus) -> str:
    return "running" if status.running else "complete" if status.complete else "interrupted"


def _show_tally(tally: SweepTally) -> None:
    rows = [
        (each.dataset, each.planned, each.done, each.failed, each.metric, each.best, each.best_model_type, round(each.train_seconds, 1))
        for each in tally.datasets.values()
    ]
    columns = ["dataset", "trials", "done", "failed", "metric", "best", "by", "train s"]
    _output.print_table(f"{tally.sweep_id} (best: validation score)", columns, rows)

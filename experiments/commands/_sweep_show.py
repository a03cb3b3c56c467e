"""What ``lode sweep`` shows: plans with their forecast, the live table, how far sweeps are, and what came of one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from experiments._home import Home
from experiments.commands import _output

if TYPE_CHECKING:
    from experiments.sweeping import DatasetTally, Forecast, SweepManifest, SweepOutcome, SweepProgress, SweepStatus, SweepTally

_REDRAW_SECONDS = 0.25


def show_plan(home: Home, manifest: SweepManifest, as_json: bool, workers: int | None = None) -> None:
    """Show the trials of a plan, what the journal holds of them, and what the others will take."""
    from experiments.journaling import Journal
    from experiments.sweeping import forecast

    journal = Journal(home.journal)
    journaled = manifest.answered(journal)
    expected = forecast(manifest, journal.records(), journaled, parallel=workers)
    if as_json:
        _output.print_json({"home": home.root, "journaled": sorted(journaled), "forecast": expected, **manifest.model_dump(mode="json")})
        return
    facts = {each.name: each for each in manifest.datasets}
    rows = [
        (
            each.dataset,
            facts[each.dataset].task,
            facts[each.dataset].metric,
            facts[each.dataset].rows,
            facts[each.dataset].columns,
            each.model_type,
            each.trials,
            each.done,
            _span(each.seconds_left),
            each.source,
        )
        for each in expected.rows
    ]
    title = f"{manifest.sweep_id}: {len(manifest.trials)} trials of {manifest.spec.epochs} epochs, {len(journaled)} journaled already"
    columns = ["dataset", "task", "metric", "rows", "columns", "model type", "trials", "journaled", "work left", "judged by"]
    _output.print_table(title, columns, rows)
    _output.say(_told(expected))


def _told(expected: Forecast) -> str:
    cost = f", {expected.dollars:.2f} dollars" if expected.dollars is not None else ""
    memory = f"{expected.peak_bytes / 2**30:.1f} GiB of memory"
    return f"about {_span(expected.hours * 3600)} with {expected.parallel} trials at a time{cost}, {memory}; nothing was run"


@contextmanager
def live() -> Iterator[Callable[[SweepTally], None]]:
    """Show a table on stderr that follows a sweep, where stderr is a terminal."""
    if not _output.err.is_terminal:
        yield lambda _: None
        return
    with Live(console=_output.err, transient=True, auto_refresh=False) as screen:
        drawn = [0.0]

        def show(tally: SweepTally) -> None:
            if time.monotonic() > drawn[0] + _REDRAW_SECONDS or tally.done == tally.planned:
                drawn[0] = time.monotonic()
                state = "running" if tally.running or tally.last is not None else "starting workers"
                screen.update(_table(tally.sweep_id, state, tally.done, tally.planned, tally.datasets.values()), refresh=True)

        yield show


def watch(home: Home, sweep_id: str, every: float, as_json: bool) -> None:
    """Follow a sweep that another process runs, until none does; to what is no terminal, only what changed is said."""
    said = ""
    if as_json or not _output.out.is_terminal:
        for progress, running in _looks(home, sweep_id, every):
            if as_json:
                _output.print_json(progress_document(progress, running), line=True)
            elif (line := _line(progress, running)) != said:
                _output.tell(line)
                said = line
        return
    with Live(console=_output.out, auto_refresh=False) as screen:
        for progress, running in _looks(home, sweep_id, every):
            state = _state_of(progress, running)
            screen.update(_table(sweep_id, state, progress.done, progress.planned, progress.datasets), refresh=True)


def to_watch(home: Home) -> str:
    """Return the sweep that is running, or else the latest; raises :class:`ExperimentError` when there is none."""
    from experiments import ExperimentError
    from experiments.journaling import Journal
    from experiments.sweeping import look, planned_sweeps

    sweeps = planned_sweeps(Journal(home.journal))
    if not sweeps:
        raise ExperimentError(f"no sweep in {home.journal}; lode sweep run begins one")
    return next((each for each in reversed(sweeps) if look(home, each)[1]), sweeps[-1])


def _looks(home: Home, sweep_id: str, every: float) -> Iterator[tuple[SweepProgress, bool]]:
    from experiments.sweeping import look

    while True:
        progress, running = look(home, sweep_id)
        yield progress, running
        if not running:
            return
        time.sleep(every)


def progress_document(progress: SweepProgress, running: bool) -> dict[str, Any]:
    """Return one look at a sweep for machines."""
    content = {name: getattr(progress, name) for name in progress.__dataclass_fields__}
    return content | {"state": _state_of(progress, running)}


def _state_of(progress: SweepProgress, running: bool) -> str:
    if running:
        return "running" if progress.state == "running" else "starting"
    return "complete" if progress.done == progress.planned else "interrupted"


def _line(progress: SweepProgress, running: bool) -> str:
    sums = {name: sum(getattr(each, name) for each in progress.datasets) for name in ("running", "stopped", "failed")}
    known = [each.seconds_left for each in progress.datasets if each.seconds_left is not None]
    told = ", ".join(f"{count} {name}" for name, count in sums.items())
    ended = f"; {progress.ended}" if progress.ended and not running else ""
    left = _span(sum(known) if running and known else None)
    return f"{progress.sweep_id}: {_state_of(progress, running)}, {progress.done} of {progress.planned} done, {told}, {left} left{ended}"


def _table(sweep_id: str, state: str, done: int, planned: int, datasets: Iterable[DatasetTally]) -> Group:
    table = Table(header_style="bold")
    for column in ("dataset", "done", "of", "running", "stopped", "failed", "metric", "best", "by", "time left"):
        table.add_column(column, justify="left" if column in ("dataset", "metric", "by") else "right")
    left = 0.0
    for each in datasets:
        left += each.seconds_left or 0.0
        best = "–" if each.best is None else f"{each.best:.4g}"
        counts = (each.done, each.planned, each.running, each.stopped, each.failed)
        time_left = _span(each.seconds_left) if each.done < each.planned else ""
        table.add_row(each.dataset, *map(str, counts), each.metric, best, each.best_model_type or "–", time_left)
    return Group(Text(f"{sweep_id}: {state}, {done} of {planned} trials, {_span(left) if left else '–'} left"), table)


def _span(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def show_outcome(home: Home, outcome: SweepOutcome, as_json: bool) -> None:
    """Show what came of a sweep."""
    from experiments.tracking import ui_command

    tracking = outcome.tracking
    if tracking is not None and tracking.error is not None:
        _output.warn(f"{tracking.waiting} trials wait to be logged ({tracking.error}); later: lode sweep sync {outcome.sweep_id}")
    if as_json:
        _output.print_json({**_flat(outcome), "journal": home.journal / outcome.sweep_id, "view": ui_command(home)})
        return
    show_tally(outcome.tally)
    overhead = f", {outcome.overhead_seconds:.2f} s of overhead a trial" if outcome.overhead_seconds is not None else ""
    states = ", ".join(f"{count} {status}" for status, count in sorted(outcome.statuses.items()))
    _output.say(f"{outcome.ran} trials run, {outcome.reused} taken from the journal ({states}) in {outcome.seconds:.1f} s{overhead}")
    _output.say(f"journal: {home.journal / outcome.sweep_id}")
    if tracking is not None:
        _output.say(f"to look at them: {ui_command(home)}")


def _flat(outcome: SweepOutcome) -> dict[str, Any]:
    content = {name: getattr(outcome, name) for name in outcome.__dataclass_fields__ if name != "tally"}
    return content | {"datasets": list(outcome.tally.datasets.values())}


def show_status(home: Home, found: list[SweepStatus], as_json: bool) -> None:
    """Show how far sweeps are; of one alone, each dataset."""
    if as_json:
        _output.print_json({"journal": home.journal, "sweeps": [_status_document(each) for each in found]})
        return
    rows = [
        (each.sweep_id, _state(each), each.tally.planned, each.tally.done, each.tally.failed, f"{each.created_at:%Y-%m-%d %H:%M}")
        for each in found
    ]
    _output.print_table("" if found else "no sweep was begun here", ["sweep", "state", "planned", "done", "failed", "begun (UTC)"], rows)
    if len(found) == 1:
        show_tally(found[0].tally)


def _status_document(status: SweepStatus) -> dict[str, Any]:
    tally = status.tally
    return {
        "sweep_id": status.sweep_id,
        "created_at": status.created_at,
        "state": _state(status),
        "planned": tally.planned,
        "done": tally.done,
        "stopped": tally.stopped,
        "failed": tally.failed,
        "reused": tally.reused,
        "statuses": dict(tally.statuses),
        "datasets": list(tally.datasets.values()),
    }


def _state(status: SweepStatus) -> str:
    return "running" if status.running else "complete" if status.complete else "interrupted"


def show_tally(tally: SweepTally) -> None:
    """Show each dataset's trials and its best validation score."""
    rows = [
        (
            each.dataset,
            each.planned,
            each.done,
            each.stopped,
            each.failed,
            each.metric,
            each.best,
            each.best_model_type,
            round(each.train_seconds, 1),
        )
        for each in tally.datasets.values()
    ]
    columns = ["dataset", "trials", "done", "stopped", "failed", "metric", "best", "by", "train s"]
    _output.print_table(f"{tally.sweep_id} (best: validation score)", columns, rows)

"""``lode trials import``: somebody else's trials, or one's own of another home, into the journal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from experiments._home import Home
from experiments.commands import _output

if TYPE_CHECKING:
    from experiments.importing import ImportOutcome

_SHOWN = 20
_FIELDS = ("files", "sweeps", "skipped")
_COLUMNS = ("file", "rows", "taken", "known", "contradicting", "refused")


def import_trials(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE...", help="What lode trials export wrote (.parquet, .jsonl), or the name of a table that is shipped."),
    ],
    dry_run: _output.DryRunOption = False,
    as_json: _output.JsonOption = False,
) -> None:
    """Take trials from files into the journal: they are mined as if they had run here, and not run again.

    A trial that the journal holds with another result is not taken, nor a row that is damaged or on another side of the held-out line than
    the role book says: each is told with its row and the reason, and the command exits 1.
    """
    from experiments.importing import import_trials as take

    home = Home.find()
    with _output.progress() as bars:
        task = bars.add_task("reading", total=None)
        outcome = take(files, home, dry_run=dry_run, progress=lambda text: bars.update(task, description=text))
    if as_json:
        _output.print_json({"journal": home.journal, "written": not dry_run, **{name: getattr(outcome, name) for name in _FIELDS}})
    else:
        _show(outcome, dry_run)
    if outcome.skipped:
        raise typer.Exit(1)


def _show(outcome: ImportOutcome, dry_run: bool) -> None:
    _output.print_table("", _COLUMNS, [[getattr(each, name) for name in _COLUMNS] for each in outcome.files])
    for each in outcome.skipped[:_SHOWN]:
        _output.warn(f"{each.file}, row {each.row}, {each.kind}: {each.reason}")
    if len(outcome.skipped) > _SHOWN:
        _output.warn(f"and {len(outcome.skipped) - _SHOWN:,} rows more; --json tells all of them")
    for sweep_id, count in outcome.sweeps.items():
        _output.say(f"{_output.counted(count, 'trial')} {'would be taken' if dry_run else 'taken'} into {sweep_id}")

"""``lode trials``: look at journaled trials, write them out, and take in what others wrote out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from experiments._errors import ExperimentError
from experiments._home import Home
from experiments.commands import _output
from experiments.commands._trials_import import import_trials

if TYPE_CHECKING:
    from mining import TrialRecord

app = typer.Typer(no_args_is_help=True, help="The trials that sweeps and searches left in the journal.")
app.command("import")(import_trials)

SweepOption = Annotated[list[str] | None, typer.Option("--sweep", "-s", help="Only this sweep; may be given again.")]
DatasetOption = Annotated[str | None, typer.Option("--dataset", help="Only this dataset.")]
ModelTypeOption = Annotated[str | None, typer.Option("--model-type", help="Only this model type.")]
StatusOption = Annotated[str | None, typer.Option("--status", help="Only this state, such as completed or failed.")]


@app.command("list")
def list_trials(
    sweep: SweepOption = None,
    dataset: DatasetOption = None,
    model_type: ModelTypeOption = None,
    status: StatusOption = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many to show, best validation score first.")] = 50,
    as_json: _output.JsonOption = False,
) -> None:
    """List trials, by dataset, best validation score first."""
    found = sorted(_chosen(sweep, dataset, model_type, status), key=_best_first)
    shown = found[:limit]
    if as_json:
        _output.print_json({"trials": [_row(each) for each in shown], "total": len(found)})
        return
    columns = ["trial", "dataset", "model type", "seed", "status", "epochs", "metric", "validation", "seconds"]
    _output.print_table(
        "" if found else "no such trial in the journal", columns, [list(_row(each).values())[: len(columns)] for each in shown]
    )
    if len(found) > len(shown):
        _output.say(f"{len(shown)} of {len(found)} trials; --limit shows more")


@app.command()
def show(
    trial: Annotated[str, typer.Argument(metavar="TRIAL", help="A trial's id, or its beginning.")], as_json: _output.JsonOption = False
) -> None:
    """Show all that the journal holds of one trial."""
    from experiments._trials import find_trial

    record = find_trial(Home.find(), trial)
    if as_json:
        _output.print_json(record)
        return
    plain = record.model_dump(exclude={"curve", "hyperparameters", "config", "versions", "extra_scores"})
    groups = {"": plain, "hyperparameters": record.hyperparameters, "other test scores": record.extra_scores, "versions": record.versions}
    for title, group in groups.items():
        if group:
            _output.print_table(title, ["name", "value"], group.items())
    columns = ["epoch", "seconds", "validation", "train loss"]
    _output.print_table("curve", columns, [[each.epoch, each.seconds, each.score, each.train_loss] for each in record.curve])


@app.command()
def export(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="Ends in .parquet or .jsonl, which hold all of a trial, or in .csv.")],
    sweep: SweepOption = None,
    dataset: DatasetOption = None,
    model_type: ModelTypeOption = None,
    status: StatusOption = None,
    dry_run: _output.DryRunOption = False,
    as_json: _output.JsonOption = False,
) -> None:
    """Write trials to a file, one row each."""
    from experiments._trials import trials_file
    from experiments.commands._files import check_place, write_whole

    check_place(path)
    found = _chosen(sweep, dataset, model_type, status)
    content = trials_file(found, path)
    if not dry_run:
        write_whole(path, content)
    if as_json:
        _output.print_json({"path": path, "trials": len(found), "bytes": len(content), "written": not dry_run})
    else:
        _output.say(f"{len(found)} trials {'would be written' if dry_run else 'written'} to {path}: {len(content):,} bytes")


def _chosen(sweeps: list[str] | None, dataset: str | None, model_type: str | None, status: str | None) -> list[TrialRecord]:
    from experiments._trials import journaled
    from mining import Status

    if status is not None and status not in get_args(Status):
        raise ExperimentError(f"--status {status!r} is no state of a trial; there are {', '.join(get_args(Status))}")
    wanted = {"dataset": dataset, "model_type": model_type, "status": status}
    return [
        record
        for record in journaled(Home.find(), sweeps or [])
        if all(value is None or getattr(record, name) == value for name, value in wanted.items())
    ]


def _best_first(record: TrialRecord) -> tuple[str, bool, float, str]:
    score = record.validation_score
    sign = -1.0 if record.direction == "maximize" else 1.0
    return record.dataset, score is None, 0.0 if score is None else sign * score, record.trial_id


def _row(record: TrialRecord) -> dict[str, object]:
    return {
        "trial": record.trial_id[:12],
        "dataset": record.dataset,
        "model_type": record.model_type,
        "seed": record.seed,
        "status": record.status,
        "epochs": record.epochs_run,
        "metric": record.metric,
        "validation_score": record.validation_score,
        "train_seconds": round(record.train_seconds, 3),
        "trial_id": record.trial_id,
        "sweep_id": record.sweep_id,
        "hyperparameters": dict(record.hyperparameters),
    }

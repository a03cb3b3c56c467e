"""``lode automl``: anybody's table to a model, the configuration that would be tried first, and predictions."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from experiments._home import Home
from experiments.commands import _output

if TYPE_CHECKING:
    from automl import AutoMLOutcome, Budget, Task, TrialResult, UserTable
    from experiments._automl import ChosenPlan

app = typer.Typer(no_args_is_help=True, help="A model for anybody's table: search with the promoted heuristics, look, predict.")

_TASKS = ("binary", "multiclass", "regression")
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}
_DEFAULT_SECONDS = 300.0

DataArgument = Annotated[Path, typer.Argument(metavar="DATA", help="CSV (also ; or tab), Parquet or JSON lines; .gz too.")]
TargetOption = Annotated[str, typer.Option("--target", "-t", help="The column to predict.")]
TaskOption = Annotated[str | None, typer.Option("--task", help="binary, multiclass or regression; found out unless said.")]
VersionOption = Annotated[
    str | None, typer.Option("--version", help="Heuristics: hash, prefix, channel, or 'untuned'. Default: production, staging, untuned.")
]
EpochsOption = Annotated[int | None, typer.Option("--epochs", min=1, help="Epochs of a trial at most (default: the heuristics').")]
RowsOption = Annotated[
    int | None, typer.Option("--rows", min=20, help="Rows to learn from at most, drawn by class (default: by the time, 5,000 to 50,000).")
]
ModelsOption = Annotated[str | None, typer.Option("--models", help="Model types to search, by commas (default: the heuristics').")]
SeedOption = Annotated[int, typer.Option("--seed", min=0, max=2**32 - 1, help="Of the split, the search and every trial.")]


@app.command()
def run(
    data: DataArgument,
    target: TargetOption,
    time_budget: Annotated[str | None, typer.Option("--time-budget", help="90s, 2m, 1h30m; 5m when no --trials are given.")] = None,
    trials: Annotated[int | None, typer.Option("--trials", min=1, help="Trials at most; alone, the search repeats under its seed.")] = None,
    version: VersionOption = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A new folder (default: under the state's runs/).")] = None,
    task: TaskOption = None,
    epochs: EpochsOption = None,
    rows: RowsOption = None,
    models: ModelsOption = None,
    seed: SeedOption = 0,
    workers: Annotated[int | None, typer.Option("--workers", min=1, help="Trials at a time.")] = None,
    dry_run: _output.DryRunOption = False,
    as_json: _output.JsonOption = False,
) -> None:
    """Search for the best model of a table and leave it in a folder, with predictions, configuration and reasons.

    Models are chosen on the validation part; the test part is looked at once, at the end.
    """
    started = time.time()
    seconds = None if time_budget is None else _seconds(time_budget)
    if seconds is None and trials is None:
        seconds = _DEFAULT_SECONDS
    home = Home.find()
    from automl import Budget, check_out, row_cap_for

    if out is not None:
        check_out(out)
    table, chosen = _prepare(home, data, target, task, rows or row_cap_for(seconds), seed, version, models)
    budget = Budget(trials, seconds, epochs or chosen.plan.limits.epochs)
    chosen = _within(chosen, table, budget)
    if dry_run:
        _show_plan(table, chosen, budget, seed, as_json)
        return
    from experiments._automl import default_out, run_here

    _tell(table, chosen)
    outcome = run_here(
        home,
        table,
        chosen.plan,
        budget,
        out=out or default_out(home, table.ready.table.name),
        seed=seed,
        parallel=workers,
        workers=workers,
        started=started,
        progress=_teller(),
    )
    _show(outcome, as_json)


@app.command()
def config(
    data: DataArgument,
    target: TargetOption,
    version: VersionOption = None,
    task: TaskOption = None,
    epochs: EpochsOption = None,
    rows: RowsOption = None,
    models: ModelsOption = None,
    seed: SeedOption = 0,
    as_json: _output.JsonOption = False,
) -> None:
    """Print the Ludwig configuration that a search would try first, as YAML; nothing is trained."""
    import yaml

    from automl import first_configuration

    table, chosen = _prepare(Home.find(), data, target, task, rows, seed, version, models)
    rendered = first_configuration(table, chosen.plan, epochs=epochs or chosen.plan.limits.epochs, seed=seed)
    _tell(table, chosen)
    if as_json:
        _output.print_json({"config": rendered, "heuristics": chosen.version, "why": chosen.why})
    else:
        typer.echo(yaml.safe_dump(rendered, sort_keys=False, allow_unicode=True), nl=False)


@app.command()
def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="The folder that `lode automl run` left, or model/ in it.")],
    data: DataArgument,
    out: Annotated[Path, typer.Option("--out", "-o", help="The CSV file to write.")] = Path("predictions.csv"),
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file when it is there.")] = False,
    dry_run: _output.DryRunOption = False,
    as_json: _output.JsonOption = False,
) -> None:
    """Predict each row of a table, in its order, with a model that `lode automl run` left."""
    from automl import AutoMLError, read_model_card
    from automl import predict as predict_rows
    from dataset_catalog import read_table
    from experiments.commands._files import check_place, write_whole

    folder = model / "model" if (model / "model").is_dir() else model
    card = read_model_card(folder)
    if out.exists() and not overwrite:
        raise AutoMLError(f"{out} is there already; name another file with --out, or say --overwrite")
    check_place(out)
    frame = read_table(data)
    told: dict[str, Any] = {"model": folder, "data": data, "rows": len(frame), "target": card.target, "task": card.task, "out": out}
    if not dry_run:
        predictions = predict_rows(folder, frame)
        predictions.insert(0, "row", range(1, len(predictions) + 1))
        write_whole(out, predictions.to_csv(index=False).encode())
    if as_json:
        _output.print_json(told | {"written": not dry_run})
    else:
        _output.say(f"{len(frame)} predictions of {card.target!r} {'would go' if dry_run else 'went'} to {out}")


def _prepare(
    home: Home, data: Path, target: str, task: str | None, rows: int | None, seed: int, version: str | None, models: str | None
) -> tuple[UserTable, ChosenPlan]:
    import dataclasses

    from automl import ROW_CAP, AutoMLError, read_user_table
    from experiments._automl import choose_plan

    if task is not None and task not in _TASKS:
        raise AutoMLError(f"--task {task}: one of {', '.join(_TASKS)}")
    table = read_user_table(data, target, task=cast("Task | None", task), seed=seed, row_cap=rows or ROW_CAP)
    chosen = choose_plan(home, version, table.ready.table.task)
    if models is not None:
        named = tuple(each.strip() for each in models.split(",") if each.strip())
        unknown = [each for each in named if each not in chosen.plan.model_order]
        if unknown or not named:
            raise AutoMLError(f"--models {models}: {chosen.plan.label} searches {', '.join(chosen.plan.model_order)}")
        chosen = dataclasses.replace(chosen, plan=chosen.plan.restricted(named, f"only {', '.join(named)} searched, as asked"))
    return table, chosen


def _within(chosen: ChosenPlan, table: UserTable, budget: Budget) -> ChosenPlan:
    import dataclasses

    from automl import affordable

    return dataclasses.replace(chosen, plan=affordable(chosen.plan, table, budget))


def _seconds(text: str) -> float:
    parts = re.findall(r"(\d+(?:\.\d+)?)([smh]?)", text.strip().lower())
    total = sum(float(number) * _UNITS[unit] for number, unit in parts)
    if "".join(number + unit for number, unit in parts) != text.strip().lower().replace(" ", "") or total <= 0:
        raise typer.BadParameter(f"{text!r} is no time: write 90s, 2m or 1h30m", param_hint="--time-budget")
    return total


def _tell(table: UserTable, chosen: ChosenPlan) -> None:
    ready = table.ready
    used = len({each.name for each in ready.columns})
    _output.say(f"{table.path}: {len(ready.rows)} rows, {ready.table.task} task, {used} of {ready.rows.shape[1] - 1} columns used")
    for note in (*table.notes, *ready.notes):
        _output.say(f"  {note}")
    for name, reason in ready.dropped.items():
        _output.say(f"  {name} is left out: {reason}")
    _output.say(f"heuristics: {chosen.version[:12]} ({chosen.why}); model types {', '.join(chosen.plan.model_order)}")
    for remark in chosen.plan.remarks:
        _output.say(f"  {remark}")


def _teller() -> Callable[[TrialResult], None]:
    """Return what tells each trial's end, with the best score so far."""
    best: list[float] = []
    count = 0

    def tell(result: TrialResult) -> None:
        nonlocal count
        count += 1
        score = result.validation_score
        if score is not None:
            best[:] = [score if not best else (max if result.direction == "maximize" else min)(best[0], score)]
        said = "no score" if score is None else f"{result.metric} {score:.4f}"
        so_far = f", best {best[0]:.4f}" if best else ""
        _output.say(f"trial {count:3d}  {result.model_type:15s} {result.status:13s} {len(result.curve):3d} epochs  {said}{so_far}")

    return tell


def _show_plan(table: UserTable, chosen: ChosenPlan, budget: Budget, seed: int, as_json: bool) -> None:
    from automl import data_reasons, first_configuration, plan_reasons

    if not as_json:
        _tell(table, chosen)
        _output.print_table("columns", ("column", "used as", "why"), [(each.name, each.type, each.reason) for each in table.ready.columns])
        _output.say(f"would search: {_budget(budget)}; nothing was trained")
        return
    _output.print_json(
        {
            "data": data_reasons(table.ready, str(table.path), table.notes),
            "plan": plan_reasons(chosen.plan, budget, seed),
            "first_config": first_configuration(table, chosen.plan, epochs=budget.epochs, seed=seed),
        }
    )


def _budget(budget: Budget) -> str:
    limits = [f"{budget.trials} trials"] if budget.trials is not None else []
    limits += [f"{budget.seconds:g} seconds"] if budget.seconds is not None else []
    return f"at most {' and '.join(limits)}"


def _show(outcome: AutoMLOutcome, as_json: bool) -> None:
    best = outcome.best
    if as_json:
        places = {"out": outcome.out, "model": outcome.model, "predictions": outcome.predictions, "config": outcome.config}
        _output.print_json({**places, **outcome.reasons})
        return
    _output.print_table(
        "the best model",
        ("model type", "metric", "validation", "test", "trials", "seconds"),
        [(best.model_type, best.metric, best.validation_score, best.test_score, len(outcome.search.trials), outcome.search.seconds)],
    )
    _output.say(f"model        {outcome.model}")
    _output.say(f"predictions  {outcome.predictions}")
    _output.say(f"config       {outcome.config}")
    _output.say(f"reasons      {outcome.out / 'reasons.md'}")
    _output.say(f"use it: lode automl predict {outcome.out} DATA")

"""``lode validate``: a heuristics version beside the untuned search on held-out datasets, and what the gate says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from experiments._home import Home
from experiments.commands import _output

if TYPE_CHECKING:
    from experiments.validating import SuiteSpec, ValidationPlan
    from heuristics_db import GateVerdict, ValidationSummary


def validate(
    suite: Annotated[str, typer.Argument(metavar="SUITE.yaml", help="A suite's file, or the name of one that is shipped (demo).")],
    version: Annotated[
        str | None, typer.Option("--version", help="The version: hash, unique prefix or channel. Default: the newest.", show_default=False)
    ] = None,
    channel: Annotated[str, typer.Option("--channel", help="The channel whose gate is asked.")] = "staging",
    workers: Annotated[int | None, typer.Option("--workers", min=1, help="Trials at a time (default: one a core).")] = None,
    again: Annotated[bool, typer.Option("--again", help="Look once more, though this version has been validated on this suite.")] = False,
    freeze: Annotated[bool, typer.Option("--freeze", help="Write the ends of datasets that have none to the file, and stop.")] = False,
    dry_run: _output.DryRunOption = False,
    as_json: _output.JsonOption = False,
) -> None:
    """Validate a version on held-out datasets: both arms in the same engine, at the same budget, with the same seeds.

    Exit code 0 when the gate would let the version through, 1 when not. Nothing is promoted: `lode db promote` does that. Every run is
    counted as a look at held-out results when it starts, and the gate grows stricter with each. Datasets that a suite reserves are looked
    at for the channel production alone.
    """
    from experiments._store import open_store
    from experiments.validating import find_suite, load_suite

    home = Home.find()
    path = find_suite(suite)
    if freeze:
        _freeze(str(path), home, dry_run, as_json)
        return
    spec = load_suite(path).part_for(channel)
    with open_store(home) as store:
        chosen = _choose(store, version)
        passed = _validate(spec, store, chosen, home, channel, workers, again, dry_run, as_json)
    if not passed:
        raise typer.Exit(1)


def _validate(
    spec: SuiteSpec, store: Any, version: str, home: Home, channel: str, workers: int | None, again: bool, dry_run: bool, as_json: bool
) -> bool:
    from experiments.validating import plan_validation, recorded, run_counted, run_on_warm_pool, watch

    summary = None if again else recorded(store, version, spec)
    if summary is None or dry_run:
        plan = plan_validation(spec, store.get(version), home, version=version)
        if dry_run:
            _show_plan(plan, store, summary is not None, as_json)
            return True
        with watch(plan, home, _output.progress()) as progress:
            summary = run_counted(plan, store, lambda: run_on_warm_pool(plan, home, workers=workers, progress=progress))
    else:
        _output.say(f"{version[:12]} was validated on this suite already; its recorded result is shown (--again looks once more)")
    verdict = store.check_gate(version, channel)
    _show(summary, verdict, store, as_json)
    return bool(verdict.passed)


def _choose(store: Any, version: str | None) -> str:
    if version is not None:
        return str(store.version(version).id)
    newest = next(iter(store.versions()), None)
    if newest is None:
        from experiments import ExperimentError

        raise ExperimentError("there is no heuristics version yet: mine one first (lode mine)")
    return str(newest.id)


def _freeze(path: str, home: Home, dry_run: bool, as_json: bool) -> None:
    from pathlib import Path

    from experiments.validating import freeze_suite

    suite = freeze_suite(Path(path), home.catalog, say=_output.say, write=not dry_run)
    if as_json:
        _output.print_json({"suite": suite, "suite_hash": suite.suite_hash, "written": not dry_run})
        return
    rows = [(each.name, each.best, each.best_by, each.reference) for each in suite.datasets]
    _output.print_table(f"{'would be frozen' if dry_run else 'frozen'}: {path}", ["dataset", "best", "by", "constant predictor"], rows)


def _show_plan(plan: ValidationPlan, store: Any, done: bool, as_json: bool) -> None:
    looks = store.looks([held_out.table.fingerprint for held_out in plan.tables.values()])
    if as_json:
        jobs = [{"dataset": job.dataset, "arm": job.arm, "seed": job.seed} for job in plan.jobs]
        _output.print_json(
            {
                "validation_id": plan.validation_id,
                "version": plan.version,
                "searches": jobs,
                "trials": plan.trials,
                "looks": looks,
                "recorded": done,
            }
        )
        return
    rows = [
        (name, held_out.table.task, len(held_out.table.frame), plan.scales[name].best, plan.scales[name].reference)
        for name, held_out in plan.tables.items()
    ]
    _output.print_table(plan.validation_id, ["dataset", "task", "rows", "best", "constant predictor"], rows)
    state = "recorded already" if done else f"{len(plan.jobs)} searches of {plan.suite.budget.trials} trials would run"
    _output.out.print(f"{state}; these datasets have been looked at {looks} times", markup=False)


def _show(summary: ValidationSummary, verdict: GateVerdict, store: Any, as_json: bool) -> None:
    from experiments.validating import regret_rows, rounded

    looks = store.looks([each.fingerprint for each in summary.datasets])
    if as_json:
        _output.print_json({"validation": summary, "gate": verdict, "looks": looks})
        return
    columns = ["dataset", "metric", "candidate", "untuned", "HistGradientBoosting"]
    _output.print_table("mean normalised regret (0 best known, 1 constant predictor)", columns, rounded(regret_rows(summary)))
    for check in verdict.checks:
        _output.out.print(f"{'held    ' if check.passed else 'NOT held'} {check.name}: {check.detail}", markup=False)
    state = "passed" if verdict.passed else "not passed"
    _output.out.print(f"gate of {verdict.channel}: {state}; look number {looks} at these datasets", markup=False)

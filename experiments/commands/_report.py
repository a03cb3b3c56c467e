"""``lode report``: one self-contained HTML page on a heuristics version and the sweeps behind it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._home import Home
from experiments.commands import _output


def report(
    version: Annotated[
        str | None, typer.Option("--version", help="The version: hash, unique prefix or channel. Default: the newest.", show_default=False)
    ] = None,
    sweep: Annotated[list[str] | None, typer.Option("--sweep", help="Show this sweep's trials (repeatable).", show_default=False)] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Where to write the page.", show_default=False)] = None,
    open_it: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    dry_run: _output.DryRunOption = False,
    as_json: _output.JsonOption = False,
) -> None:
    """Write a report: what was swept, mined and validated, and what the gate says. One HTML file that needs no network."""
    from experiments._store import open_store
    from experiments.journaling import Journal
    from experiments.reporting import gather, report_path, write_report

    home = Home.find()
    unknown = [each for each in sweep or () if each not in Journal(home.journal).sweeps()]
    if unknown:
        from experiments import ExperimentError

        raise ExperimentError(f"no sweep {unknown[0]} in {home.journal}: lode sweep status shows those that are there")
    with open_store(home) as store:
        data = gather(home, store, version, sweeps=sweep or ())
    path = out or report_path(home, data)
    if not dry_run:
        write_report(data, path)
    if as_json:
        _output.print_json({"report": path.resolve(), "written": not dry_run, "data": data})
    else:
        _output.out.print(f"{'would write' if dry_run else 'report:'} {path}", markup=False)
    if open_it and not dry_run:
        typer.launch(str(path))

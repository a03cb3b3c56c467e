"""``lode doctor``: whether this machine can do the work."""

from __future__ import annotations

import typer

from experiments.commands import _output
from experiments.commands._output import JsonOption

_STYLE = {"ok": "green", "warn": "yellow", "fail": "red"}


def doctor(json: JsonOption = False) -> None:
    """Say whether this machine can do the work: versions, devices, disk, database, tracking server. Exit 1 when something fails."""
    from rich.markup import escape
    from rich.table import Table

    from experiments._doctor import examine
    from experiments._home import Home

    findings = examine(Home.find())
    failed = [finding.name for finding in findings if finding.verdict == "fail"]
    if json:
        _output.print_json({"findings": findings, "healthy": not failed})
    else:
        table = Table("what", "verdict", "finding")
        for finding in findings:
            style = _STYLE[finding.verdict]
            table.add_row(finding.name, f"[{style}]{finding.verdict}[/{style}]", escape(finding.detail))
        _output.out.print(table)
        _output.out.print(f"{len(failed)} of {len(findings)} findings fail: {', '.join(failed)}" if failed else "all well")
    if failed:
        raise typer.Exit(1)

"""``lode db``: the versions of the heuristics, what they say, and the channels that point at them."""

from __future__ import annotations

import getpass
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from experiments._home import Home
from experiments.commands import _db_tables as tables
from experiments.commands._files import write_whole
from experiments.commands._output import DryRunOption, JsonOption, out, print_json, say

if TYPE_CHECKING:
    from heuristics_db import HeuristicsStore

app = typer.Typer(no_args_is_help=True, help="The versioned heuristics database: look, compare, promote, roll back.")

Ref = Annotated[str, typer.Argument(metavar="VERSION", help="A version's hash, at least 4 digits of it, or a channel.")]
Channel = Annotated[str, typer.Option("--channel", "-c", help="staging or production.")]
By = Annotated[str, typer.Option("--by", help="Who does it; you, unless said otherwise.")]
Note = Annotated[str, typer.Option("--note", help="Why, for the history.")]
Expected = Annotated[
    str | None, typer.Option("--expected", help="Move the channel only if it points at this version now ('nothing' for none).")
]
CHECK_FAILED = 1


@app.command("list")
def list_versions(as_json: JsonOption = False) -> None:
    """List the versions, newest first, and where each channel points."""
    with _open() as store:
        versions, channels = store.versions(), store.channels()
    if as_json:
        print_json({"versions": versions, "channels": channels})
    elif versions:
        tables.print_versions(versions)
    else:
        say("no heuristics version yet: lode mine makes one")


@app.command()
def show(ref: Ref, as_json: JsonOption = False) -> None:
    """Show what a version says: model types, search spaces, portfolio, policies, and what it was mined from."""
    with _open() as store:
        document, version = store.get(ref), store.version(ref)
    if as_json:
        print_json({"version": version, "document": document})
    else:
        tables.print_document(version, document)


@app.command()
def explain(
    ref: Ref,
    part: Annotated[str, typer.Argument(metavar="PART", help="Only choices with this in their name, such as learning_rate.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Show, for each mined choice, the evidence that it rests on."""
    with _open() as store:
        rows = [row for row in tables.evidence_rows(store.get(ref)) if part in row[0]]
    if as_json:
        print_json({"choices": [dict(zip(("where", "value", "reason", "evidence"), row, strict=True)) for row in rows]})
    elif rows:
        tables.print_evidence(rows)
    else:
        say(f"no choice of this version has {part!r} in its name")


@app.command()
def diff(
    before: Annotated[str, typer.Argument(help="A version or a channel.")],
    after: Annotated[str, typer.Argument(help="Another.")],
    as_json: JsonOption = False,
) -> None:
    """Compare two versions, part by part."""
    with _open() as store:
        found = store.diff(before, after)
    if as_json:
        print_json({"differences": found})
    elif found:
        tables.print_differences(before, after, found)
    else:
        say("the two are the same version")


@app.command()
def promote(
    ref: Ref,
    channel: Channel = "staging",
    by: By = "",
    note: Note = "",
    expected: Expected = None,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Point a channel at a version when its newest validation passes the channel's gate; exit 1 when it does not."""
    with _open() as store:
        version = store.version(ref)
        if dry_run:
            verdict = store.check_gate(version.id, channel)
        else:
            verdict = store.promote(version.id, channel, by=by or _who(), note=note, expected=expected)
        channels = store.channels()
    if as_json:
        print_json({"verdict": verdict, "channels": channels, "dry_run": dry_run})
    else:
        tables.print_verdict(verdict)
        if verdict.passed:
            out.print(f"{channel} {'would point' if dry_run else 'now points'} at {version.short}", markup=False)
    if not verdict.passed:
        raise typer.Exit(CHECK_FAILED)


@app.command()
def rollback(
    channel: Channel = "staging",
    by: By = "",
    note: Note = "",
    expected: Expected = None,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Point a channel back at the version that stood there before."""
    with _open() as store:
        version = store.rollback_target(channel) if dry_run else store.rollback(channel, by=by or _who(), note=note, expected=expected)
    if as_json:
        print_json({"channel": channel, "version": version, "dry_run": dry_run})
    else:
        out.print(f"{channel} {'would point' if dry_run else 'points'} at {version.short} again", markup=False)


@app.command()
def retire(ref: Ref, by: By = "", note: Note = "", dry_run: DryRunOption = False, as_json: JsonOption = False) -> None:
    """Withdraw a version for good: it stays readable, and can't be promoted any more."""
    with _open() as store:
        version = store.version(ref) if dry_run else store.retire(ref, by=by or _who(), note=note)
    if as_json:
        print_json({"version": version, "dry_run": dry_run})
    else:
        out.print(f"{version.short} {'would be' if dry_run else 'is'} retired", markup=False)


@app.command()
def history(
    ref: Annotated[str | None, typer.Argument(metavar="VERSION or CHANNEL", help="Only what happened to this one.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show all that ever happened: additions, validations, refusals, promotions, rollbacks, retirements."""
    with _open() as store:
        entries = store.history(ref)
    if as_json:
        print_json({"history": entries})
    else:
        tables.print_history(entries)


@app.command()
def verify(as_json: JsonOption = False) -> None:
    """Read every version again, and check its content and its invariants; exit 1 when one is not sound."""
    with _open() as store:
        found = store.verify()
    if as_json:
        print_json({"versions": found, "sound": not any(found.values())})
    else:
        for version, faults in found.items():
            out.print(f"{version[:12]} {'; '.join(faults) or 'sound'}", markup=False)
        say(f"{len(found)} versions, {sum(map(bool, found.values()))} of them not sound")
    if any(found.values()):
        raise typer.Exit(CHECK_FAILED)


@app.command()
def export(
    ref: Ref,
    to: Annotated[Path | None, typer.Option("--out", "-o", help="The file to write; stdout unless given.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Write a version and its validations as one JSON file, to carry to another database."""
    with _open() as store:
        data, version = store.export_release(ref), store.version(ref)
    if to is None:  # the file is JSON: with or without --json
        sys.stdout.write(data.decode())
        return
    write_whole(to, data)
    if as_json:
        print_json({"version": version, "file": to})
    else:
        out.print(f"wrote {version.short} to {to}", markup=False)


@app.command("import")
def import_version(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="What lode db export wrote, or a heuristics document as JSON.")],
    trust_validations: Annotated[
        bool, typer.Option("--trust-validations", help="Also take over the validations in the file: the gate will believe them.")
    ] = False,
    by: By = "",
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Take a version from a file into the database, as a candidate."""
    data = path.read_bytes()
    with _open() as store:
        if dry_run:
            version = store.check_release(data, where=str(path))
        else:
            version = store.import_release(data, by=by or _who(), trust_validations=trust_validations, where=str(path)).id
    if as_json:
        print_json({"version": version, "dry_run": dry_run})
    else:
        out.print(f"{version[:12]} {'would be' if dry_run else 'is'} in the database", markup=False)


def _open() -> HeuristicsStore:
    """Open this home's database, which then knows the held-out datasets of the catalogue."""
    from experiments._store import open_store  # late: SQLAlchemy comes with it, and `lode --help` needs none

    return open_store(Home.find())


def _who() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # an account without a name, as in many containers
        return ""

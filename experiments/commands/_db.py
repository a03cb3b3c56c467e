"""``lode db``: the versions of the heuristics, what they say, and the channels that point at them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from experiments._errors import ExperimentError
from experiments.commands import _db_channels
from experiments.commands import _db_tables as tables
from experiments.commands._db_shared import CHECK_FAILED, By, Ref, caller, open_database
from experiments.commands._files import write_folder, write_whole
from experiments.commands._output import DryRunOption, JsonOption, out, print_json, say, warn

app = typer.Typer(no_args_is_help=True, help="The versioned heuristics database: look, compare, promote, roll back.")

Limit = Annotated[int | None, typer.Option("--limit", min=1, help="The newest so many; all, unless given.")]


@app.command("list")
def list_versions(limit: Limit = None, as_json: JsonOption = False) -> None:
    """List the versions, newest first, and where each channel points."""
    with open_database() as store:
        versions, channels = store.versions(limit=limit), store.channels()
    if as_json:
        print_json({"versions": versions, "channels": channels})
    elif versions:
        tables.print_versions(versions)
    else:
        say("no heuristics version yet: lode mine makes one")


@app.command()
def show(ref: Ref, as_json: JsonOption = False) -> None:
    """Show what a version says: model types, search spaces, portfolio, policies, and what it was mined from."""
    with open_database() as store:
        document, version = store.get(ref), store.version(ref)
    if as_json:
        print_json({"version": version, "document": document})
    else:
        tables.print_document(version, document)


@app.command()
def explain(
    ref: Ref,
    part: Annotated[
        str, typer.Argument(metavar="PLACE", help="A choice's place, such as tabular.concat.trainer.learning_rate, or a part of it.")
    ] = "",
    as_json: JsonOption = False,
) -> None:
    """Show why a version says what it says: for each mined choice, datasets, trials, effect and interval."""
    with open_database() as store:
        document = store.get(ref)
    from heuristics_db import explain_document

    choices = explain_document(document, part)
    if as_json:
        print_json({"choices": choices})
    elif len(choices) == 1:
        tables.print_choice(choices[0])
    elif choices:
        tables.print_choices(choices)
    else:
        say(f"no choice of this version has {part!r} in its place")


@app.command()
def diff(
    before: Annotated[str, typer.Argument(help="A version or a channel.")],
    after: Annotated[str, typer.Argument(help="Another.")],
    leaves: Annotated[bool, typer.Option("--leaves", help="Every value that differs, by its path in the document.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Compare two versions: ranges, scales, what is fixed, seeds, model choice, policies, each with its evidence."""
    with open_database() as store:
        old, new = store.get(before), store.get(after)
    from heuristics_db import compare_documents, diff_documents

    changes, differences = compare_documents(old, new), diff_documents(old, new)
    if as_json:
        print_json({"changes": changes, "differences": differences})
    elif leaves and differences:
        tables.print_differences(before, after, differences)
    elif changes:
        tables.print_changes(before, after, changes)
    else:
        say("the two are the same version")


app.command()(_db_channels.promote)
app.command()(_db_channels.rollback)
app.command()(_db_channels.retire)
app.command()(_db_channels.gate)
app.command()(_db_channels.gc)
app.command()(_db_channels.upgrade)


@app.command()
def history(
    ref: Annotated[str | None, typer.Argument(metavar="VERSION or CHANNEL", help="Only what happened to this one.")] = None,
    limit: Limit = None,
    as_json: JsonOption = False,
) -> None:
    """Show all that ever happened: additions, validations, refusals, promotions, rollbacks, retirements."""
    with open_database() as store:
        entries = store.history(ref, limit=limit)
    if as_json:
        print_json({"history": entries})
    else:
        tables.print_history(entries)


@app.command()
def verify(
    head: Annotated[str | None, typer.Option("--head", help="A hash of the history that you noted before: is it still there?")] = None,
    as_json: JsonOption = False,
) -> None:
    """Read all again: the history's chain, each validation, each version, its content and its invariants; exit 1 when one is not sound.

    Nobody can change or remove a row without breaking the chain; to know that the whole was not written anew, keep the hash that is printed
    somewhere else, and give it with --head next time.
    """
    with open_database() as store:
        found, history = store.verify(), store.audit(known_head=head)
    sound = history.sound and not any(found.values())
    if as_json:
        print_json({"versions": found, "history": history, "sound": sound})
    else:
        for version, faults in found.items():
            out.print(f"{version[:12]} {'; '.join(faults) or 'sound'}", markup=False)
        for fault in history.faults:
            out.print(fault, markup=False)
        say(f"{len(found)} versions, {sum(map(bool, found.values()))} of them not sound")
        say(f"{history.rows} rows of history, {len(history.faults)} faults; its head is {history.head}")
    if not sound:
        raise typer.Exit(CHECK_FAILED)


@app.command()
def export(
    ref: Ref,
    to: Annotated[Path | None, typer.Option("--out", "-o", help="The file to write, for ludwig the folder; stdout unless given.")] = None,
    format_: Annotated[
        str | None, typer.Option("--format", "-f", help="For another tool: ludwig, optuna or ray. Else the version itself, checksummed.")
    ] = None,
    modality: Annotated[str | None, typer.Option("--modality", help="For another tool: which heuristics, where there are several.")] = None,
    task: Annotated[
        str | None, typer.Option("--task", help="For another tool: a task's own heuristics instead of the pooled ones.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write a version and its validations as one JSON file, to carry to another database; or its spaces and seeds for another tool."""
    from heuristics_db.exporting import Export, export_document

    with open_database() as store:
        version = store.version(ref)
        if format_ is None:
            made = Export(files={"": store.export_release(version.id)})
        else:
            made = export_document(store.get(version.id), format_, version=version.id, modality=modality, task=task)
    files, notes = made.files, made.notes
    for note in notes:
        warn(note)
    if to is None:
        if len(files) > 1:
            raise ExperimentError(f"an export for {format_} is a folder: say where (--out FOLDER)")
        sys.stdout.write(next(iter(files.values())).decode())  # with or without --json: the file is what was asked for
        return
    if len(files) > 1:
        write_folder(to, files)
    else:
        write_whole(to, next(iter(files.values())))
    if as_json:
        print_json({"version": version, "file": to, "files": sorted(files) if len(files) > 1 else [], "notes": notes})
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
    from heuristics_db import LARGEST_FILE

    with path.open("rb") as file:
        data = file.read(LARGEST_FILE + 1)  # one more than is taken, so that a larger file is told from the largest
    with open_database() as store:
        if dry_run:
            version = store.check_release(data, where=str(path))
        else:
            version = store.import_release(data, by=by or caller(), trust_validations=trust_validations, where=str(path)).id
    if as_json:
        print_json({"version": version, "dry_run": dry_run})
    else:
        out.print(f"{version[:12]} {'would be' if dry_run else 'is'} in the database", markup=False)

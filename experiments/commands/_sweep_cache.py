"""``lode sweep cache``: the tables that were preprocessed once and are kept for later trials."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from experiments._errors import ExperimentError
from experiments._home import Home
from experiments.commands import _output

if TYPE_CHECKING:
    from automl import PreparedEntry, PreparedStore

app = typer.Typer(no_args_is_help=True, help="Prepared tables: each dataset is preprocessed once and kept.")

_UNITS = {"": 86400.0, "d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0}
_COLUMNS = ["key", "dataset", "target", "row cap", "MB", "made (UTC)", "last used (UTC)", "in use", "ludwig"]


@app.command("list")
def list_entries(as_json: _output.JsonOption = False) -> None:
    """List prepared tables, the one that was not used for longest first: that order is the order in which room is made."""
    store = _store()
    entries = store.entries()
    total = sum(each.size for each in entries)
    if as_json:
        _output.print_json(
            {"root": store.root, "bytes": total, "limit_bytes": store.limit, "max_age_days": store.max_age / 86400, "entries": entries}
        )
        return
    _output.print_table("", _COLUMNS, [_row(each) for each in entries])
    _output.say(
        f"{len(entries)} prepared tables, {total / 1e9:.3f} of {store.limit / 1e9:g} GB (LODE_PREPARED_GB); "
        f"made anew after {store.max_age / 86400:g} days (LODE_PREPARED_DAYS)"
    )


@app.command()
def clear(
    older_than: Annotated[
        str | None, typer.Option("--older-than", metavar="AGE", help="Only tables that nobody has used for so long: 30d, 12h, 90m, 45s.")
    ] = None,
    dry_run: _output.DryRunOption = False,
    as_json: _output.JsonOption = False,
) -> None:
    """Remove prepared tables. One that a running process uses is kept; a removed one is prepared anew when it is asked for."""
    unused_for = 0.0 if older_than is None else _seconds(older_than)
    gone, kept = _store().clear(unused_for=unused_for, dry_run=dry_run)
    if as_json:
        _output.print_json({"dry_run": dry_run, "bytes": sum(each.size for each in gone), "removed": gone, "kept": kept})
        return
    if dry_run:
        _output.print_table("would be removed", _COLUMNS, [_row(each) for each in gone])
    used = sum(each.in_use for each in kept)
    _output.say(
        f"{len(gone)} prepared tables {'would be' if dry_run else 'were'} removed ({sum(each.size for each in gone) / 1e6:.1f} MB), "
        f"{len(kept)} kept" + (f", {used} of them in use" if used else "")
    )


def _store() -> PreparedStore:
    from automl import PreparedStore

    return PreparedStore(Home.find().prepared)


def _row(entry: PreparedEntry) -> tuple[object, ...]:
    about = entry.about
    return (
        entry.key[:12],
        about.get("dataset", "unreadable"),
        about.get("target"),
        about.get("row_cap"),
        f"{entry.size / 1e6:.2f}",
        f"{entry.created_at:%Y-%m-%d %H:%M}",
        f"{entry.last_hit_at:%Y-%m-%d %H:%M}",
        "yes" if entry.in_use else "no",
        about.get("ludwig"),
    )


def _seconds(age: str) -> float:
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([dhms]?)\s*", age.lower())
    if found is None:
        raise ExperimentError(f"--older-than {age!r} is no age: give a number with d, h, m or s, such as 30d")
    return float(found[1]) * _UNITS[found[2]]

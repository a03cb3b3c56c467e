"""``lode datasets retire`` and ``remove``: a way back from a dataset of one's own that should not have been added."""

from __future__ import annotations

import sys
from functools import partial
from typing import Annotated

import typer

from experiments.commands import _output
from experiments.commands._output import DryRunOption, JsonOption

_Name = Annotated[str, typer.Argument(help="The name of a dataset of your own.")]
_Yes = Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing.")]


def retire(name: _Name, yes: _Yes = False, dry_run: DryRunOption = False, json: JsonOption = False) -> None:
    """Put a dataset of your own out of use for good: it stays on its side of the held-out line, and is loaded no more.

    It works where your datasets contradict those that ship, too, as they may after an update: nothing contradicts a retired one.
    """
    from experiments._home import Home

    catalog = Home.find().catalog
    in_use = catalog.retire(name, dry_run=True)
    agreed = in_use and not dry_run and _agreed(f"retire {name} for good?", yes or json)
    retired = catalog.retire(name) if agreed else None if in_use and dry_run else False
    if json:
        _output.print_json({"name": name, "retired": retired})
    elif not in_use:
        _output.say(f"{name} is retired already: nothing to do")
    else:
        _output.say(f"{name} is retired" if retired else f"nothing was changed; {name} would be retired")


def remove(name: _Name, yes: _Yes = False, dry_run: DryRunOption = False, json: JsonOption = False) -> None:
    """Take a dataset of your own away that was never used, as after a wrong add: its card and its lock go, its table stays.

    Refused (exit 2) when the journal has a trial on it, of whatever role and by whatever name: lode datasets retire is for those.
    """
    from experiments._home import Home
    from experiments._used import was_used

    home = Home.find()
    remove_own = partial(home.catalog.remove, name, used=partial(was_used, home))
    remove_own(dry_run=True)
    agreed = not dry_run and _agreed(f"remove the card and the lock of {name}?", yes or json)
    if agreed:
        remove_own()
    if json:
        _output.print_json({"name": name, "removed": None if dry_run else agreed})
    else:
        _output.say(f"{name} is removed; its table may be added anew" if agreed else f"nothing was changed; {name} would be removed")


def _agreed(question: str, sure: bool) -> bool:
    """Ask whoever sits at a terminal, unless they are ``sure``."""
    asked = not sure and sys.stdin.isatty() and sys.stderr.isatty()
    return not asked or typer.confirm(question, default=False, err=True)

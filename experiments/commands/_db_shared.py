"""What the ``lode db`` commands share: their options, the home's database, and who calls."""

from __future__ import annotations

import getpass
from typing import TYPE_CHECKING, Annotated

import typer

from experiments._home import Home

if TYPE_CHECKING:
    from heuristics_db import HeuristicsStore

Ref = Annotated[str, typer.Argument(metavar="VERSION", help="A version's hash, at least 4 digits of it, or a channel.")]
Channel = Annotated[str, typer.Option("--channel", "-c", help="staging, production, or any other name.")]
By = Annotated[str, typer.Option("--by", help="Who does it; you, unless said otherwise.")]
Note = Annotated[str, typer.Option("--note", help="Why, for the history.")]
Expected = Annotated[
    str | None, typer.Option("--expected", help="Move the channel only if it points at this version now ('nothing' for none).")
]
CHECK_FAILED = 1


def open_database() -> HeuristicsStore:
    """Open this home's database, which then knows the held-out datasets of the catalogue and the home's gate policy."""
    from experiments._store import open_store  # late: SQLAlchemy comes with it, and `lode --help` needs none

    return open_store(Home.find())


def caller() -> str:
    """Return the name of the account that calls; empty where it has none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # an account without a name, as in many containers
        return ""

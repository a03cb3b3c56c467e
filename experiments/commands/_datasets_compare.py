"""``lode datasets compare``: two datasets side by side, with a verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from experiments.commands import _output
from experiments.commands._datasets_columns import balance
from experiments.commands._datasets_verify import OfflineOption
from experiments.commands._output import JsonOption

if TYPE_CHECKING:
    from experiments._dataset_comparison import Comparison, Side

_DIFFERENCES = 12
_COLUMNS = 20


def compare(
    a: Annotated[str, typer.Argument(help="A dataset's name, or a table in a file.")],
    b: Annotated[str, typer.Argument(help="Another one.")],
    target: Annotated[str | None, typer.Option(help="The target of a file; the other side's unless given.")] = None,
    offline: OfflineOption = False,
    json: JsonOption = False,
) -> None:
    """Compare two datasets: columns, shared rows, profiles, balance, split, family and role, with a verdict in words."""
    from experiments._dataset_comparison import compare_datasets
    from experiments._home import Home
    from experiments.commands._transfers import transfer_bars

    with transfer_bars() as bars:
        found = compare_datasets(a, b, Home.find(), target=target, offline=offline, progress=bars)
    if json:
        facts = {"shared_columns": found.shared_columns, "similarity": found.similarity, "shared_rows": found.shared_rows}
        facts |= {"differences": found.differences, "verdict": found.verdict, "words": found.words}
        _output.print_json(facts | {"a": _facts(found.a), "b": _facts(found.b)})
        return
    _tell(found)


def _tell(found: Comparison) -> None:
    sides = (found.a, found.b)
    rows: list[tuple[object, ...]] = [
        ("rows", *(f"{len(each.frame):,}" for each in sides)),
        ("columns", *(each.frame.shape[1] for each in sides)),
        ("target", *(each.target for each in sides)),
        ("task", *(each.task for each in sides)),
        ("balance", *map(_balance, sides)),
        ("split", *(_split(each) for each in sides)),
        ("role", *(each.card.role if each.card else None for each in sides)),
        ("family", *(each.card.family if each.card else None for each in sides)),
        ("fingerprint", *(each.fingerprint for each in sides)),
    ]
    _output.print_table("", ("what", found.a.name, found.b.name), rows)
    named = ", ".join(found.shared_columns[:_COLUMNS]) + (" …" if len(found.shared_columns) > _COLUMNS else "")
    shared = [
        ("columns named alike", f"{len(found.shared_columns)}" + (f": {named}" if named else "")),
        ("rows shared, by sketches", f"{found.similarity:.0%}"),
        ("rows shared, over those columns", None if found.shared_rows is None else f"{found.shared_rows:.1%}"),
    ]
    _output.print_table("in common", ("what", "how much"), shared)
    if found.differences:
        far = [(each.figure, each.a, each.b, each.distance) for each in found.differences[:_DIFFERENCES]]
        _output.print_table("profiles: where they differ most", ("meta-feature", found.a.name, found.b.name, "distance"), far)
    _output.tell(found.words)


def _balance(side: Side) -> str | None:
    return None if side.balance is None else balance(side.balance)


def _split(side: Side) -> str | None:
    rule = side.card.split if side.card else None
    return None if rule is None else rule.kind + (f" by {rule.column}" if rule.column else "")


def _facts(side: Side) -> dict[str, Any]:
    card = side.card
    return {
        "name": side.name,
        "rows": len(side.frame),
        "columns": [str(name) for name in side.frame.columns],
        "fingerprint": side.fingerprint,
        "target": side.target,
        "task": side.task,
        "role": card.role if card else None,
        "family": card.family if card else None,
        "split": card.split if card else None,
        "balance": side.balance,
        "profile": side.profile,
    }

"""``lode datasets list``: what the catalogue holds, a line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from experiments._errors import ExperimentError
from experiments.commands import _output
from experiments.commands._output import JsonOption

if TYPE_CHECKING:
    from dataset_catalog import Catalog, DatasetCard

_SHARED = {"role": "", "task": "", "metric": "by ", "family": "of the family ", "split": "", "from": "from ", "whose": ""}
"""Columns that are told in the title when all datasets agree, with the word that goes before the value."""

_OPTIONAL = ("from", "metric", "split", "family")
"""What a narrow terminal goes without, the first one first."""


def list_datasets(
    role: Annotated[str | None, typer.Option(help="Only those of one role: training, held_out or unused.")] = None,
    family: Annotated[str | None, typer.Option(help="Only those of one family.")] = None,
    task: Annotated[str | None, typer.Option(help="Only those of one task.")] = None,
    modality: Annotated[str | None, typer.Option(help="Only tabular or text ones.")] = None,
    own: Annotated[bool, typer.Option("--own", help="Only your own.")] = False,
    json: JsonOption = False,
) -> None:
    """List the catalogued datasets, shipped and your own; those of one role are without the retired ones."""
    from dataset_catalog import Modality, Task
    from experiments._home import Home

    _check_choice("task", task, get_args(Task))
    _check_choice("modality", modality, get_args(Modality))
    catalog = Home.find().catalog
    wanted = {"family": family, "task": task, "modality": modality}
    found = [
        card
        for card in catalog.cards(role)
        if all(value in (None, getattr(card, key)) for key, value in wanted.items()) and (not own or catalog.is_own(card.name))
    ]
    _warn_of_contradictions(catalog, found)
    if json:
        _output.print_json([_summary(card) | {"own": catalog.is_own(card.name)} for card in found])
        return
    _print([_row(card, catalog.is_own(card.name)) for card in found])


def _row(card: DatasetCard, own: bool) -> dict[str, object]:
    return {
        "name": card.name,
        "role": card.role,
        "task": "text" if card.modality == "text" else card.task,
        "rows": card.rows,
        "metric": card.metric,
        "family": card.family,
        "split": card.split.kind,
        "from": card.loader.package or card.source,
        "whose": "own" if own else "shipped",
    }


def _print(rows: list[dict[str, object]]) -> None:
    """Print a table without the columns that say the same of all, which the title tells instead."""
    title = _output.counted(len(rows), "dataset")
    if not rows:
        _output.tell(title)
        return
    alike = {column: word for column, word in _SHARED.items() if len(rows) > 1 and len({row[column] for row in rows}) == 1}
    if alike:
        title += ", all " + ", ".join(f"{word}{rows[0][column]}" for column, word in alike.items())
    columns = [column for column in rows[0] if column not in alike]
    gone = _output.print_table(title, columns, [[row[column] for column in columns] for row in rows], optional=_OPTIONAL)
    if gone:
        _output.say(f"not shown, for want of width: {', '.join(gone)} (--json has all)")


def _check_choice(option: str, said: str | None, choices: tuple[str, ...]) -> None:
    if said is not None and said not in choices:
        raise ExperimentError(f"there is no {option} {said!r}; --{option} is one of {', '.join(choices)}")


def _warn_of_contradictions(catalog: Catalog, cards: list[DatasetCard]) -> None:
    """Warn of each card that says otherwise than what is locked of it: it is listed, and cannot be used."""
    from dataset_catalog import CatalogError

    try:
        book = catalog.roles
    except CatalogError as error:
        _output.warn(str(error))
        return
    for card in cards:
        try:
            book.check(card)
        except CatalogError as error:
            _output.warn(str(error))


def _summary(card: DatasetCard) -> dict[str, Any]:
    shown = {"name", "title", "role", "task", "rows", "metric", "family", "target", "source", "split", "drifts", "fingerprint"}
    return card.model_dump(mode="json", include=shown) | {"modality": card.modality}

"""``lode datasets``: what the catalogue holds, and whether it still loads as its cards say."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from experiments.commands import _output
from experiments.commands._datasets_add import add
from experiments.commands._datasets_compare import compare
from experiments.commands._datasets_show import show
from experiments.commands._datasets_verify import OfflineOption, verify
from experiments.commands._output import JsonOption

if TYPE_CHECKING:
    from dataset_catalog import Dataset, DatasetCard

app = typer.Typer(no_args_is_help=True, help="The catalogued datasets: list, show, compare, profile and verify them, and add your own.")

app.command()(show)
app.command()(compare)
app.command()(add)
app.command()(verify)


@app.command("list")
def list_datasets(
    role: Annotated[str | None, typer.Option(help="Only those of one role: training, held_out or unused.")] = None,
    family: Annotated[str | None, typer.Option(help="Only those of one family.")] = None,
    task: Annotated[str | None, typer.Option(help="Only those of one task.")] = None,
    modality: Annotated[str | None, typer.Option(help="Only tabular or text ones.")] = None,
    own: Annotated[bool, typer.Option("--own", help="Only your own.")] = False,
    json: JsonOption = False,
) -> None:
    """List the catalogued datasets, shipped and your own; those of one role are without the retired ones."""
    from experiments._home import Home

    catalog = Home.find().catalog
    wanted = {"family": family, "task": task, "modality": modality}
    found = [
        card
        for card in catalog.cards(role)
        if all(value in (None, getattr(card, key)) for key, value in wanted.items()) and (not own or catalog.is_own(card.name))
    ]
    if json:
        _output.print_json([_summary(card) | {"own": catalog.is_own(card.name)} for card in found])
        return
    columns = ("name", "role", "modality", "task", "rows", "metric", "family", "split", "from", "whose")
    rows = [
        (
            card.name,
            card.role,
            card.modality,
            card.task,
            card.rows,
            card.metric,
            card.family,
            card.split.kind,
            card.loader.package or card.source,
            "own" if catalog.is_own(card.name) else "shipped",
        )
        for card in found
    ]
    _output.print_table(f"{len(found)} datasets", columns, rows)


@app.command()
def profile(
    data: Annotated[str, typer.Argument(help="A dataset's name, or a table: a file of any common format, or an address.")],
    target: Annotated[str | None, typer.Option(help="The column to predict; needed for a table that is not catalogued.")] = None,
    offline: OfflineOption = False,
    json: JsonOption = False,
) -> None:
    """Profile a dataset or a table: its fingerprint and meta-features, and whether it nearly repeats a held-out dataset."""
    from dataset_catalog import profile as profile_of
    from dataset_catalog import sketch
    from experiments._home import Home

    frame, fingerprint, target, task = _table(data, target, offline)
    found = profile_of(frame, target, task, ignore=_parting(data))
    book = Home.find().catalog.roles
    role, near = book.role(fingerprint), book.resembles(sketch(frame))
    if json:
        facts = {"data": data, "target": target, "task": task, "fingerprint": fingerprint, "role": role, "resembles_held_out": near}
        _output.print_json(facts | {"profile": found})
        return
    rows: list[tuple[str, Any]] = [("fingerprint", fingerprint), ("target", target), ("task", task), ("role", role)]
    rows += [("nearly repeats the held-out dataset", near)] if near else []
    told = [(name, _told(value)) for name, value in found.model_dump(exclude={"version"}).items() if value is not None]
    _output.print_table(data, ("what", "value"), [*rows, *told])


def _parting(data: str) -> list[str]:
    """Name the column that parts the rows of a catalogued dataset: it is no feature."""
    from experiments._home import Home

    return [each.split.column for each in Home.find().catalog.cards() if each.name == data and each.split.column]


def _told(value: Any) -> Any:
    return ", ".join(value) if isinstance(value, tuple) else value


def _table(data: str, target: str | None, offline: bool) -> tuple[Any, str, str, str]:
    """Return the frame, fingerprint, target and task of a catalogued dataset, or of a file when there is no such dataset."""
    from dataset_catalog import fingerprint, load_address, table_notes
    from experiments._errors import ExperimentError
    from experiments._home import Home
    from experiments.commands._transfers import transfer_bars

    catalog = Home.find().catalog
    if data in {each.name for each in catalog.cards()}:
        dataset: Dataset = catalog.load(data, offline=offline, progress=_output.say)
        if target not in (None, dataset.card.target):
            raise ExperimentError(f"{data} is catalogued with the target {dataset.card.target!r}; leave --target out")
        return dataset.frame, dataset.fingerprint, dataset.card.target, dataset.card.task
    if not Path(data).exists() and not Path(data).suffix and ":" not in data:
        catalog.card(data)  # says what is near
    with transfer_bars() as bars:
        frame = load_address(data, cache=Home.find().datasets, offline=offline, progress=bars)
    for note in table_notes(frame):
        _output.say(f"{data}: {note}")
    if target is None:
        raise ExperimentError(f"{data} is not catalogued: say what to predict with --target COLUMN")
    from automl import infer_task

    return frame, fingerprint(frame), target, infer_task(frame, target)


def _summary(card: DatasetCard) -> dict[str, Any]:
    shown = {"name", "title", "role", "task", "rows", "metric", "family", "target", "source", "split", "drifts", "fingerprint"}
    return card.model_dump(mode="json", include=shown) | {"modality": card.modality}

"""``lode datasets``: what the catalogue holds, and whether it still loads as its cards say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from experiments._errors import ExperimentError
from experiments.commands import _output
from experiments.commands._datasets_add import add
from experiments.commands._datasets_compare import compare
from experiments.commands._datasets_list import list_datasets
from experiments.commands._datasets_retire import remove, retire
from experiments.commands._datasets_show import show
from experiments.commands._datasets_verify import OfflineOption, verify
from experiments.commands._output import JsonOption

if TYPE_CHECKING:
    import pandas as pd

    from dataset_catalog import Catalog

app = typer.Typer(
    no_args_is_help=True, help="The catalogued datasets: list, show, compare, profile and verify them, add your own and take them back."
)

app.command("list")(list_datasets)
app.command()(show)
app.command()(compare)
app.command()(add)
app.command()(verify)
app.command()(retire)
app.command()(remove)


@app.command()
def profile(
    data: Annotated[str, typer.Argument(help="A dataset's name, or a table: a file of any common format, or an address.")],
    target: Annotated[str | None, typer.Option(help="The column to predict; needed for a table that is not catalogued.")] = None,
    offline: OfflineOption = False,
    json: JsonOption = False,
) -> None:
    """Profile a dataset or a table: its fingerprint and meta-features, and whether it nearly repeats a held-out dataset."""
    from dataset_catalog import profile as profile_of
    from experiments._home import Home
    from experiments._typed_tables import shown_address

    content, fingerprint, target, task = _table(data, target, offline)
    catalog = Home.find().catalog
    found = profile_of(content, target, task)
    role, near = catalog.roles.role(fingerprint), _held_out_like(content, catalog)
    if json:
        facts = {
            "data": shown_address(data),
            "target": target,
            "task": task,
            "fingerprint": fingerprint,
            "role": role,
            "resembles_held_out": near,
        }
        _output.print_json(facts | {"profile": found})
        return
    rows: list[tuple[str, Any]] = [("fingerprint", fingerprint), ("target", target), ("task", task), ("role", role)]
    rows += [("nearly repeats the held-out dataset", near)] if near not in (None, data) else []
    told = [(name, _told(value)) for name, value in found.model_dump(exclude={"version"}).items() if value is not None]
    _output.print_table(shown_address(data), ("what", "value"), [*rows, *told])


def _held_out_like(frame: pd.DataFrame, catalog: Catalog) -> str | None:
    """Name the held-out dataset that ``frame`` nearly repeats.

    Sketches are locked without the column that parts the rows, so a table that still has such a column is compared without it, too.
    """
    from dataset_catalog import sketch

    book = catalog.roles
    parting = {column for each in catalog.cards("held_out") for column in each.parting} & set(frame.columns)
    for content in (frame, *(frame.drop(columns=column) for column in sorted(parting) if frame.shape[1] > 1)):
        if near := book.resembles(sketch(content)):
            return near
    return None


def _told(value: Any) -> Any:
    return ", ".join(value) if isinstance(value, tuple) else value


def _table(data: str, target: str | None, offline: bool) -> tuple[Any, str, str, str]:
    """Return the content, fingerprint, target and task of a catalogued dataset, or of a file when there is no such dataset."""
    from dataset_catalog import fingerprint, load_address, table_notes
    from experiments._home import Home
    from experiments._typed_tables import catalogued, shown_address
    from experiments.commands._transfers import transfer_bars

    catalog = Home.find().catalog
    if catalogued(data, catalog) is not None:
        dataset = catalog.load(data, offline=offline, progress=_output.say)
        if target not in (None, dataset.card.target):
            raise ExperimentError(f"{data} is catalogued with the target {dataset.card.target!r}; leave --target out")
        return dataset.content, dataset.fingerprint, dataset.card.target, dataset.card.task
    with transfer_bars() as bars:
        frame = load_address(data, cache=Home.find().datasets, offline=offline, progress=bars)
    for note in table_notes(frame):
        _output.say(f"{shown_address(data)}: {note}")
    if target is None:
        raise ExperimentError(f"{shown_address(data)} is not catalogued: say what to predict with --target COLUMN")
    from automl import infer_task

    return frame, fingerprint(frame), target, infer_task(frame, target)

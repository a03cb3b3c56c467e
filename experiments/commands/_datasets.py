"""``lode datasets``: what the catalogue holds, and whether it still loads as its cards say."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from experiments.commands import _output
from experiments.commands._datasets_add import add
from experiments.commands._datasets_verify import OfflineOption, verify
from experiments.commands._output import JsonOption

if TYPE_CHECKING:
    from dataset_catalog import Dataset, DatasetCard

app = typer.Typer(no_args_is_help=True, help="The catalogued datasets: list, show, compare, profile and verify them, and add your own.")

app.command()(add)
app.command()(verify)


@app.command("list")
def list_datasets(
    role: Annotated[str | None, typer.Option(help="Only this side of the line: training or held_out.")] = None,
    json: JsonOption = False,
) -> None:
    """List the catalogued datasets; those of one side are without the retired ones."""
    from dataset_catalog import cards

    found = cards(role)
    if json:
        _output.print_json([_summary(card) for card in found])
        return
    rows = [(card.name, card.role, card.task, card.rows, card.metric, card.family, card.loader.package or card.source) for card in found]
    _output.print_table(f"{len(found)} datasets", ("name", "role", "task", "rows", "metric", "family", "from"), rows)


@app.command()
def show(name: Annotated[str, typer.Argument(help="A dataset's name.")], json: JsonOption = False) -> None:
    """Show a dataset's card and where its role is locked."""
    from dataset_catalog import RoleBook, card

    found = card(name)
    locked = RoleBook.load().check(found)
    if json:
        _output.print_json(found.model_dump(mode="json") | {"locked": locked.model_dump(exclude={"sketch"})})
        return
    fields = found.model_dump(mode="json", exclude={"references", "checks", "loader", "split"}, exclude_none=True)
    rows = [(key, ", ".join(value) if isinstance(value, list) else value) for key, value in fields.items() if value not in ("", [])]
    rows.append(("loader", _listed(found.loader.model_dump(mode="json", exclude_defaults=True))))
    rows.append(("split", _listed(found.split.model_dump(mode="json", exclude_none=True))))
    _output.print_table(found.title, ("field", "value"), rows)
    if found.references:
        scores = [(score.metric, score.value, score.method, score.source, score.note) for score in found.references]
        _output.print_table("reference scores", ("metric", "value", "method", "read in", "note"), scores)
    if found.checks:
        tried = [(each.metric, each.value, each.method, each.how, each.note) for each in found.checks]
        _output.print_table("our own checks, no references", ("metric", "value", "method", "how", "note"), tried)


@app.command()
def profile(
    data: Annotated[str, typer.Argument(help="A dataset's name, or a table: CSV, Parquet or JSON lines.")],
    target: Annotated[str | None, typer.Option(help="The column to predict; needed for a table that is not catalogued.")] = None,
    offline: OfflineOption = False,
    json: JsonOption = False,
) -> None:
    """Profile a dataset or a table: its fingerprint and meta-features, and whether it nearly repeats a held-out dataset."""
    from dataset_catalog import RoleBook, sketch
    from dataset_catalog import profile as profile_of

    frame, fingerprint, target, task = _table(data, target, offline)
    found = profile_of(frame, target, task, ignore=_parting(data))
    book = RoleBook.load()
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
    from dataset_catalog import cards

    return [each.split.column for each in cards() if each.name == data and each.split.column]


def _told(value: Any) -> Any:
    return ", ".join(value) if isinstance(value, tuple) else value


def _listed(fields: dict[str, Any]) -> str:
    return ", ".join(f"{key} {' '.join(map(str, value)) if isinstance(value, list) else value}" for key, value in fields.items())


def _table(data: str, target: str | None, offline: bool) -> tuple[Any, str, str, str]:
    """Return the frame, fingerprint, target and task of a catalogued dataset, or of a file when there is no such dataset."""
    from dataset_catalog import card, cards, fingerprint, load, read_table, table_notes
    from experiments._errors import ExperimentError
    from experiments._home import Home

    if data in {each.name for each in cards()}:
        dataset: Dataset = load(data, cache=Home.find().datasets, offline=offline, progress=_output.say)
        if target not in (None, dataset.card.target):
            raise ExperimentError(f"{data} is catalogued with the target {dataset.card.target!r}; leave --target out")
        return dataset.frame, dataset.fingerprint, dataset.card.target, dataset.card.task
    if not Path(data).exists() and not Path(data).suffix:
        card(data)  # says what is near
    frame = read_table(Path(data))
    for note in table_notes(frame):
        _output.say(f"{data}: {note}")
    if target is None:
        raise ExperimentError(f"{data} is not catalogued: say what to predict with --target COLUMN")
    from automl import infer_task

    return frame, fingerprint(frame), target, infer_task(frame, target)


def _summary(card: DatasetCard) -> dict[str, Any]:
    shown = {"name", "title", "role", "task", "rows", "metric", "family", "target", "source", "fingerprint"}
    return card.model_dump(mode="json", include=shown)

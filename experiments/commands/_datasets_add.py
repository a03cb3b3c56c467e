"""``lode datasets add``: a card for anybody's table, with what was guessed and what is wrong with it told."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from experiments._errors import ExperimentError
from experiments.commands import _output
from experiments.commands._datasets_columns import column_rows, part_rows
from experiments.commands._datasets_verify import OfflineOption
from experiments.commands._output import DryRunOption, JsonOption

if TYPE_CHECKING:
    import pandas as pd

    from dataset_catalog import Catalog
    from dataset_catalog.drafting import Draft, Finding, SplitIdea, Wishes
    from dataset_catalog.sources import SourceFacts


_CONTAINERS = ("abfs", "abfss", "az")
"""Schemes that write a container, which is no secret, where others write the user."""


@dataclass(frozen=True, eq=False)
class _Table:
    """A table with what its source says of it."""

    frame: pd.DataFrame
    source: str
    facts: SourceFacts
    called: str


def add(
    data: Annotated[str, typer.Argument(help="A table in a file, or an address: https://…, s3://…, openml:ID, hf:NAME, ludwig:NAME.")],
    target: Annotated[str | None, typer.Option(help="The column to predict; a service may name one.")] = None,
    name: Annotated[str | None, typer.Option(help="The dataset's name; after the file unless given.")] = None,
    title: Annotated[str | None, typer.Option(help="Its title for people.")] = None,
    role: Annotated[str, typer.Option(help="training, held_out or unused; locked when the card is written.")] = "training",
    family: Annotated[str | None, typer.Option(help="Datasets of one origin share a family, and a side; the name unless given.")] = None,
    task: Annotated[str | None, typer.Option(help="binary, multiclass, regression or text_classification; guessed unless given.")] = None,
    split: Annotated[str | None, typer.Option(help="stratified, group:COLUMN, time:COLUMN or column:COLUMN (an official one).")] = None,
    positive: Annotated[str | None, typer.Option(help="The class that says yes, of two; guessed unless given.")] = None,
    drop: Annotated[list[str] | None, typer.Option(help="A column to leave out; may be given again.")] = None,
    licence: Annotated[str | None, typer.Option(help="The data's licence.")] = None,
    citation: Annotated[str | None, typer.Option(help="Whom to cite.")] = None,
    offline: OfflineOption = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing.")] = False,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> None:
    """Add a dataset of your own: guess its task, types and split, warn of identifiers and leaks, write its card and lock its role.

    Refused (exit 2): a name that is taken, training data that repeats or is of the family of held-out data, and the other way round.
    """
    from dataset_catalog.drafting import Wishes
    from experiments._home import Home
    from experiments._typed_tables import shown_address

    catalog = Home.find().catalog
    table = _read(data, catalog, offline)
    wishes = Wishes(
        name=name,
        title=title or table.facts.title,
        role=role,  # type: ignore[arg-type]  # the card checks it
        family=family,
        task=task,
        split=split or (f"column:{table.facts.split_column}" if table.facts.split_column else None),
        licence=licence or table.facts.licence,
        citation=citation or table.facts.citation,
        positive=positive,
        drop=tuple(dict.fromkeys(drop or ())),
        notes=" ".join(table.facts.notes),
    )
    chosen = target or table.facts.target
    if chosen is None:
        columns = ", ".join(map(repr, list(table.frame.columns)[:12]))
        raise ExperimentError(f"{shown_address(data)}: say what to predict with --target COLUMN; its columns are {columns}")
    drafted = _draft(table, chosen, catalog, wishes)
    if not yes and not json and sys.stdin.isatty() and sys.stderr.isatty():
        drafted = _asked(drafted, table, chosen, catalog, wishes)
    written = None if dry_run else catalog.add(drafted.dataset)
    _tell(drafted, catalog, written, json)


def _read(data: str, catalog: Catalog, offline: bool) -> _Table:
    """Read the table at ``data`` with what its source says; a path is made absolute, since the card outlives the working directory."""
    from dataset_catalog import Loader, load_frame, table_notes
    from dataset_catalog.sources import describe, parse_address
    from experiments._typed_tables import shown_address
    from experiments.commands._transfers import transfer_bars

    if catalog.folder is None:
        raise ExperimentError("there is no folder to keep cards in; set LODE_HOME")
    address = parse_address(data)
    source, loader = address or ("file", Loader(path=Path(data).expanduser().absolute()))
    _refuse_secrets(loader.url)
    with transfer_bars() as bars:
        facts = describe(source, loader, catalog.folder, offline=offline, progress=bars)
        frame = load_frame(source, facts.loader, cache=catalog.folder, offline=offline, progress=bars)
    for note in table_notes(frame):
        _output.say(f"{shown_address(data)}: {note}")
    return _Table(frame, source, facts, _called(data, address is not None))


def _refuse_secrets(url: str | None) -> None:
    """Raise :class:`ExperimentError` for a URL with a user or password in it: a card is kept, and copied to others, as it stands."""
    from dataset_catalog.sources import shown

    scheme, _, rest = (url or "").partition("://")
    user, at, _ = rest.partition("/")[0].rpartition("@")
    if at and not (scheme.lower() in _CONTAINERS and ":" not in user):
        raise ExperimentError(f"{shown(url or '')}: a card keeps no user or password; leave them out: keys belong in the environment")


def _called(data: str, is_address: bool) -> str:
    """Name what the table is called after: the end of an address, or the file."""
    if not is_address:
        return Path(data).name.partition("#")[0]
    last = data.partition("?")[0].partition("#")[0].partition("@")[0].rstrip("/").rpartition("/")[2]
    return last.replace(":", "_")


def _draft(table: _Table, target: str, catalog: Catalog, wishes: Wishes) -> Draft:
    from dataset_catalog.drafting import draft

    return draft(
        table.frame, target, source=table.source, loader=table.facts.loader, called=table.called, book=catalog.roles, wishes=wishes
    )


def _asked(drafted: Draft, table: _Table, target: str, catalog: Catalog, wishes: Wishes) -> Draft:
    """Ask, in a terminal, for the split that a column speaks for, and whether columns that spoil every score shall go."""
    before = wishes
    if wishes.split is None:
        for idea in drafted.ideas:
            if idea.kind != "column" and typer.confirm(f"{idea.why}: part rows by it ({idea.option})?", default=False, err=True):
                wishes = replace(wishes, split=f"{idea.kind}:{idea.column}")
                break
    parting = wishes.split.partition(":")[2] if wishes.split else ""
    spoilt = [name for each in drafted.findings if each.kind in ("leak", "id") for name in each.columns if name != parting]
    for finding in drafted.findings:
        if finding.kind in ("leak", "id") and not set(finding.columns) <= {parting}:
            _output.warn(str(finding))
    if spoilt and typer.confirm(f"leave out {', '.join(map(repr, spoilt))}?", default=True, err=True):
        wishes = replace(wishes, drop=(*wishes.drop, *spoilt))
    return drafted if wishes == before else _draft(table, target, catalog, wishes)


def _tell(drafted: Draft, catalog: Catalog, written: bool | None, json: bool) -> None:
    from experiments._dataset_view import shown_card, view_parts

    card = drafted.card
    place = catalog.own_cards / f"{card.name}.yaml" if catalog.own_cards else None
    parts = view_parts(drafted.parted, card.target, card.task)
    if json:
        facts: dict[str, Any] = {
            "card": shown_card(card),
            "columns": drafted.columns,
            "findings": drafted.findings,
            "relatives": drafted.relatives,
            "parts": parts,
        }
        ideas = [{"option": idea.option, "why": idea.why} for idea in drafted.ideas]
        _output.print_json(facts | {"splits": ideas, "written": written, "path": place})
        return
    said = [
        ("name", card.name),
        ("task", card.task + (f", positive {card.positive!r}" if card.positive else "")),
        ("metric", card.metric),
        ("role", f"{card.role}, family {card.family}"),
        ("rows", f"{card.rows:,}"),
        ("licence", card.licence),
        ("fingerprint", card.fingerprint),
    ]
    _output.print_table(card.title, ("what", "value"), said)
    _output.print_table("columns", *column_rows(drafted.columns, card.target, card.split.column))
    split = card.split.kind + (f" by {card.split.column!r}" if card.split.column else "")
    _output.print_table(f"split: {split}", *part_rows(parts))
    _tell_findings(drafted.findings)
    if card.split.kind in ("stratified", "column"):
        _tell_ideas(drafted.ideas)
    _output.tell(_outcome(card.name, place, written))


def _tell_findings(findings: Sequence[Finding]) -> None:
    """Tell what was found, warnings first; stderr says how many there are, for whoever keeps stdout in a file."""
    serious = [each for each in findings if each.serious]
    for finding in serious:
        _output.tell(f"warning: {finding}", style="yellow")
    for finding in findings:
        if not finding.serious:
            _output.tell(str(finding))
    if serious:
        what = "is serious: scores mean little while it stands" if len(serious) == 1 else "are serious: scores mean little while they stand"
        _output.warn(f"{_output.counted(len(serious), 'finding')} {what}")


def _tell_ideas(ideas: Sequence[SplitIdea]) -> None:
    """Tell the splits that columns speak for, and how to choose when both a time and a group do."""
    for idea in ideas:
        _output.tell(f"{idea.why}: perhaps {idea.option}")
    by_kind = {idea.kind: idea for idea in reversed(ideas)}
    if {"time", "group"} <= set(by_kind):
        _output.tell(f"time or group? later rows of a known {by_kind['group'].column!r} ask for time, rows of a new one for group")


def _outcome(name: str, place: Path | None, written: bool | None) -> str:
    if written is None:
        return f"nothing was written; {place} would be"
    if not written:
        return f"{name} is there already, just so: nothing to do"
    return f"written to {place}, role locked; next: lode datasets show {name}"

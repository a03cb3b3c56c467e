"""A card drafted for a table: what it is, guessed; what is wrong with it, told."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import pandas as pd
from pydantic import ValidationError

from dataset_catalog._cards import METRICS, DatasetCard, Loader, Role, SplitRule, Task, first_fault
from dataset_catalog._errors import CatalogError
from dataset_catalog._load import Dataset, as_dataset
from dataset_catalog._roles import RoleBook
from dataset_catalog.columns import (
    ColumnKind,
    ColumnSummary,
    as_numbers,
    as_strings,
    check_target,
    column_kind,
    infer_task,
    likely_positive,
    summarise_column,
)
from dataset_catalog.content import sketch
from dataset_catalog.drafting._columns import find_duplicates, find_useless
from dataset_catalog.drafting._findings import Finding
from dataset_catalog.drafting._leaks import find_leaks
from dataset_catalog.drafting._relatives import Relative, check_role, find_relatives, relatives
from dataset_catalog.drafting._rows import find_missing_targets, find_rare_classes, find_repeats
from dataset_catalog.drafting._splits import SplitIdea, parse_split, split_ideas
from dataset_catalog.splitting import PartedRows, part_rows

_LONGEST_NAME = 60


@dataclass(frozen=True)
class Wishes:
    """What whoever adds a dataset says of it; everything left out is guessed, or stated as unstated."""

    name: str | None = None
    title: str | None = None
    role: Role = "training"
    family: str | None = None
    task: str | None = None
    split: str | None = None
    licence: str | None = None
    citation: str | None = None
    positive: str | None = None
    drop: tuple[str, ...] = ()
    notes: str = ""


@dataclass(frozen=True, eq=False)
class Draft:
    """A card with the dataset that it describes, and what was found on the way.

    That is the rows as its split parts them (those with a target), columns, findings, and the splits that columns speak for.
    """

    dataset: Dataset
    parted: PartedRows
    columns: tuple[ColumnSummary, ...]
    findings: tuple[Finding, ...]
    ideas: tuple[SplitIdea, ...]
    relatives: tuple[Relative, ...]

    @property
    def card(self) -> DatasetCard:
        """The drafted card."""
        return self.dataset.card


def draft(frame: pd.DataFrame, target: str, *, source: str, loader: Loader, called: str, book: RoleBook, wishes: Wishes) -> Draft:
    """Draft the card of the table ``frame``, which ``source`` and ``loader`` give, to predict ``target``.

    ``called`` is what the table is named after when no name is wished: a file's stem, a dataset's name elsewhere. Nothing is written, and
    no column is left out but those that ``wishes`` name: the findings say which should be.

    Raises :class:`CatalogError` for wishes that cannot be met, a target that poses no task, and a table that ``book`` has on the other side
    of the held-out line.
    """
    frame = frame.reset_index(drop=True)
    check_target(frame.columns, target)
    for name in wishes.drop:
        check_target(frame.columns, name)
        if name == target:
            raise CatalogError(f"{name!r} is the target: it cannot be dropped")
    features = frame.drop(columns=[target, *wishes.drop])
    kinds = {str(name): column_kind(str(name), features[name]) for name in features.columns}
    ideas = tuple(split_ideas(features, kinds))
    split = _split(wishes, ideas, [str(name) for name in features.columns], target)
    task = _task(frame, target, wishes, kinds, split)
    name = wishes.name or name_after(called)
    dataset = _dataset(frame, target, source, loader, called, wishes, task, split, name)
    fingerprint, rows_sketch = dataset.fingerprint, sketch(dataset.content)
    family = dataset.card.family
    found = relatives(book, fingerprint=fingerprint, sketch=rows_sketch, family=family, name=name)
    check_role(found, what=called, role=wishes.role, family=family)
    ideas = tuple(idea for idea in ideas if idea.column != split.column)
    parted = _parted(dataset)
    return Draft(
        dataset=dataset,
        parted=parted,
        columns=tuple(summarise_column(str(each), dataset.frame[each], kinds.get(str(each))) for each in dataset.frame.columns),
        findings=tuple(_findings(dataset, parted, kinds, ideas)) + tuple(find_relatives(found, family)),
        ideas=ideas,
        relatives=tuple(found),
    )


def name_after(text: str) -> str:
    """Return a dataset's name made of ``text``: lower case letters, digits and underscores, a letter first."""
    letters = re.sub(r"[^a-z0-9]+", "_", Path(text).name.split(".")[0].casefold()).strip("_")[:_LONGEST_NAME].rstrip("_")
    if not letters:
        raise CatalogError(f"no name can be made of {text!r}: give one with --name")
    return letters if letters[0].isalpha() else f"data_{letters}"


def _split(wishes: Wishes, ideas: tuple[SplitIdea, ...], columns: list[str], target: str) -> SplitRule:
    """Take the wished split, else an official one, else a stratified one: time and groups are for whoever knows the data to choose."""
    if wishes.split is not None:
        return parse_split(wishes.split, columns, target=target, dropped=wishes.drop)
    return next((idea.rule for idea in ideas if idea.kind == "column"), SplitRule())


def _task(frame: pd.DataFrame, target: str, wishes: Wishes, kinds: Mapping[str, ColumnKind], split: SplitRule) -> Task:
    inferred = infer_task(frame, target)
    texts = [name for name, kind in kinds.items() if kind.kind == "text"]
    others = [name for name, kind in kinds.items() if kind.useful and kind.kind != "text" and name != split.column]
    if wishes.task is None:
        return "text_classification" if len(texts) == 1 and not others and inferred != "regression" else inferred
    if wishes.task not in get_args(Task):
        raise CatalogError(f"there is no task {wishes.task!r}; the tasks are {', '.join(get_args(Task))}")
    levels = as_strings(frame[target]).nunique()
    if wishes.task == "binary" and levels != 2:
        raise CatalogError(f"target {target!r} has {levels} classes, and a binary task needs two: leave --task out, or say multiclass")
    if wishes.task == "regression" and as_numbers(frame[target]).notna().sum() < frame[target].notna().sum():
        raise CatalogError(f"target {target!r} holds text: it cannot be a regression's")
    if wishes.task == "text_classification" and (len(texts) != 1 or others):
        what = f"{len(texts)} columns of text" + (f" beside {', '.join(map(repr, others[:3]))}" if others else "")
        raise CatalogError(f"a text classification learns from one column of text alone, and there are {what}: --drop the others")
    return wishes.task  # type: ignore[return-value]


def _dataset(
    frame: pd.DataFrame, target: str, source: str, loader: Loader, called: str, wishes: Wishes, task: Task, split: SplitRule, name: str
) -> Dataset:
    fields = {
        "name": name,
        "title": wishes.title or called,
        "source": source,
        "loader": loader,
        "target": target,
        "task": task,
        "role": wishes.role,
        "family": wishes.family or name,
        "licence": wishes.licence or "unstated",
        "citation": wishes.citation or "unstated",
        "metric": METRICS[task],
        "split": split,
        "rows": len(frame),
        "drifts": True,
        "positive": _positive(frame[target], target, task, wishes.positive),
        "dropped": wishes.drop,
        "notes": wishes.notes,
    }
    try:
        shaped = as_dataset(DatasetCard.model_validate(fields), frame)
        card = DatasetCard.model_validate(fields | {"drifts": False, "fingerprint": shaped.fingerprint})
    except ValidationError as error:
        raise CatalogError(f"{called}: no card can be written: {first_fault(error)}") from None
    return Dataset(card, shaped.frame, shaped.fingerprint)


def _positive(cells: pd.Series, target: str, task: str, wished: str | None) -> str | None:
    classes = as_strings(cells).dropna()
    if task != "binary":
        if wished is not None:
            raise CatalogError(f"a {task} task has no positive class: leave --positive out")
        return None
    if wished is not None and wished not in set(classes):
        raise CatalogError(
            f"{wished!r} is none of the classes of {target!r}, which are {' and '.join(map(repr, sorted(classes.unique())))}"
        )
    return wished or likely_positive(classes)


def _truth(dataset: Dataset) -> pd.Series:
    cells = dataset.frame[dataset.card.target]
    return as_numbers(cells) if dataset.card.task == "regression" else as_strings(cells)


def _parted(dataset: Dataset) -> PartedRows:
    card, truth = dataset.card, _truth(dataset)
    there = truth.notna()
    return part_rows(dataset.frame[there].assign(**{card.target: truth[there]}), card.target, card.task, card.split)


def _findings(dataset: Dataset, parted: PartedRows, kinds: dict[str, ColumnKind], ideas: tuple[SplitIdea, ...]) -> list[Finding]:
    card, truth = dataset.card, _truth(dataset)
    features = dataset.content.drop(columns=card.target)
    kinds = {str(name): kinds[str(name)] for name in features.columns}
    there = truth.notna()
    found = find_leaks(features[there], kinds, truth[there], card.task)
    leaking = {name for each in found for name in each.columns}
    found += [each for each in find_useless(features, kinds) if not leaking.intersection(each.columns)]
    found += find_duplicates(features, kinds)
    found += find_missing_targets(dataset.frame, card.target, truth)
    return found + find_repeats(parted, card.target, ideas) + find_rare_classes(parted, card.target, card.task)

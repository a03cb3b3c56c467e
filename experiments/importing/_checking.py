"""What a trial from elsewhere must be before a journal takes it: whole, keepable, and on the side of the held-out line that it says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, cached_property

from pydantic import ValidationError

import automl
from dataset_catalog import CatalogError, LockedRole
from experiments._errors import ExperimentError
from experiments._home import Home
from experiments._used import used_content
from experiments.importing import _rows
from experiments.importing._rows import RowError, shown
from experiments.journaling import Journal
from mining import TrialRecord

_TRIAL_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_LARGEST = 2**63 - 1


class Checker:
    """Checks trials against the catalogue, the role book and the journal of ``home``, as they are when it is made."""

    def __init__(self, home: Home) -> None:
        self._journal, self._catalog = Journal(home.journal), home.catalog
        self._book = self._catalog.roles
        self._side = cache(self._check_side)

    def journal_text(self, record: TrialRecord) -> bytes:
        """Return ``record`` as the journal keeps it; raise :class:`RowError` with the reason when it is not to be taken."""
        if not _TRIAL_ID.fullmatch(record.trial_id):
            raise RowError(shown(f"{record.trial_id!r} is no trial id"))
        try:
            self._journal.folder(record.sweep_id)
        except ExperimentError as error:
            raise RowError(shown(str(error))) from None
        strange = next((name for name, number in _whole_numbers(record) if not 0 <= number <= _LARGEST), None)
        if strange is not None:
            raise RowError(f"{strange} is below 0 or takes more than 64 bits")
        text = _kept(record)
        if reason := self._side(record.role, record.dataset, record.fingerprint, record.family, _task(record)):
            raise RowError(shown(reason))
        return text

    @cached_property
    def _validated_on(self) -> Mapping[str, frozenset[str]]:
        return used_content(self._journal, "held_out")

    def _check_side(self, role: str, dataset: str, fingerprint: str, family: str, task: tuple[str, ...]) -> str | None:
        """Return why a trial with these labels is refused. A user's own run claims no side: it is never mined, and is no look."""
        if role == "user":
            return None
        if entry := self._known(dataset, fingerprint):
            if entry.role != role:
                return f"{dataset} is {entry.role} by the role book ({entry.name}), and the row says {role}"
            said, locked = (dataset, fingerprint, family), (entry.name, entry.fingerprint, entry.family)
            if said != locked:
                named = zip(("name", "fingerprint", "family"), said, locked, strict=True)
                what, here, there = next(each for each in named if each[1] != each[2])
                return f"{dataset}: the row says {what} {here}, the role book has locked {there}"
        elif family in self._book.families("training" if role == "held_out" else "held_out"):
            return f"{dataset} is of the family {family}, which stands on the other side of the held-out line than {role}"
        return self._check_catalogued(dataset, fingerprint, task) if role == "training" else None

    def _known(self, dataset: str, fingerprint: str) -> LockedRole | None:
        """Return what is locked of a content, or else of a name."""
        found = [each for each in self._book.datasets if each.fingerprint == fingerprint]
        return next(iter(found + [each for each in self._book.datasets if each.name == dataset]), None)

    def _check_catalogued(self, dataset: str, fingerprint: str, task: tuple[str, ...]) -> str | None:
        if fingerprint in self._validated_on:
            return f"{dataset} was validated on as held-out data here, and the row says training; a used role is never changed"
        try:
            card = self._catalog.card(dataset)
            self._book.check(card)
        except CatalogError as error:
            return f"{error}; nobody can say whether it is held out"
        scorer = automl.scorer_for(card.task)
        due = (card.task, card.target, scorer.metric, scorer.direction)
        named = zip(("task", "target", "metric", "direction"), task, due, strict=True)
        return next((f"{dataset}: the row says {what} {here}, its card {there}" for what, here, there in named if here != there), None)


def _task(record: TrialRecord) -> tuple[str, ...]:
    return record.task, record.target, record.metric, record.direction


def _kept(record: TrialRecord) -> bytes:
    """Return the record's text in a journal, from which it must come back as it is: a number that is not finite would not."""
    try:
        text = record.model_dump_json().encode()
        same = TrialRecord.model_validate_json(text) == record
    except (ValidationError, ValueError):
        same = False
    if not same:
        raise RowError("it holds a number that is not finite, or a text that is no Unicode: a journal could not keep it as it is")
    if len(text) > _rows.LONGEST_ROW:
        raise RowError(f"longer than {_rows.LONGEST_ROW:,} bytes")
    return text


def _whole_numbers(record: TrialRecord) -> Iterator[tuple[str, int]]:
    for name in TrialRecord.model_fields:
        if isinstance(value := getattr(record, name), int):
            yield name, value
    for point in record.curve:
        yield "curve.epoch", point.epoch
        yield "curve.step", point.step

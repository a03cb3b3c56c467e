"""A folder of trial records: one immutable JSON file a trial, in a folder a sweep; a long sweep's older ones in parts."""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from experiments._errors import ExperimentError, ExperimentWarning
from experiments._whole_files import put, put_if_absent
from experiments.journaling._records import Role
from experiments.journaling._settling import better, is_censored, settles
from experiments.journaling._shelf import Shelf
from mining import TrialRecord

_SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,150}")


@dataclass(frozen=True)
class JournalSummary:
    """What the journal holds of one sweep: trials run under it, trials that it takes from other sweeps, trials planned."""

    sweep_id: str
    trials: int
    references: int
    planned: int | None


class Journal:
    """The trials under ``root``. Safe to use from many processes at once; each call reads the disk anew.

    A settled trial (completed, failed, out of memory, diverged) has one record, never changed. A censored one (stopped early, timed out,
    preempted) is kept under its epochs and time limit, and gives way to a settled record or to one of more epochs. A trial that another
    sweep has settled under the same dataset, family and role is not written again: the sweep keeps a reference to it.
    """

    def __init__(self, root: Path) -> None:
        self.root = Path(root)

    def append(self, record: TrialRecord) -> bool:
        """Make ``record`` durable. Idempotent: returns ``False`` when its sweep holds, or now refers to, a record that answers for it."""
        _checked(record.trial_id, "trial id")
        shelf = self._shelf(record.sweep_id)
        if not is_censored(record):
            for other in self._shelves():  # by name, since listing a long sweep's folder for each record would take its time
                settled = other.settled(record.trial_id) if other != shelf else None
                if settled is not None and _alike(settled, record):
                    self.refer(record.sweep_id, record.trial_id, settled.sweep_id)
                    return False
        return shelf.put(record)

    def refer(self, sweep_id: str, trial_id: str, owner: str) -> None:
        """Note that ``sweep_id`` takes ``trial_id`` from the sweep ``owner``. Idempotent."""
        _checked(owner, "sweep id")
        path = self._shelf(sweep_id).trials / f"{_checked(trial_id, 'trial id')}.ref"
        put_if_absent(path, json.dumps({"sweep_id": owner}).encode())

    def has(self, trial_id: str) -> bool:
        """Say whether any sweep has settled ``trial_id``."""
        _checked(trial_id, "trial id")
        return any(shelf.settled(trial_id) is not None for shelf in self._shelves())

    def adopt(self, record: TrialRecord, *, sweep_id: str, dataset: str, family: str, role: Role) -> TrialRecord:
        """Take ``record``, which another sweep wrote, for ``sweep_id``, and return it as that sweep holds it. Idempotent.

        Under the same dataset, family and role it is referred to. Under others (a user's own run of the same table) it is copied with
        those given, so that no sweep holds a trial whose labels are somebody else's.
        """
        ours = record.model_copy(update={"sweep_id": sweep_id, "dataset": dataset, "family": family, "role": role})
        if record.sweep_id == sweep_id:
            return record
        if _alike(record, ours):
            self.refer(sweep_id, record.trial_id, record.sweep_id)
            return record
        self.append(ours)
        return ours

    def answers(
        self, trial_ids: Collection[str], time_limit: float | None = None, memory_limit: int | None = None
    ) -> dict[str, list[TrialRecord]]:
        """Return for those of ``trial_ids`` that are settled under the limits the records that settle them, whoever wrote them."""
        found = {}
        for trial_id, records in self.records_of(trial_ids).items():
            if settling := [each for each in records if settles(each, time_limit, memory_limit)]:
                found[trial_id] = settling
        return found

    def records_of(self, trial_ids: Collection[str]) -> dict[str, list[TrialRecord]]:
        """Return every record of ``trial_ids`` that can be read, by trial, whichever sweep wrote it."""
        found: dict[str, list[TrialRecord]] = {}
        for shelf in self._shelves():
            for record in shelf.read(frozenset(trial_ids))[0]:
                found.setdefault(record.trial_id, []).append(record)
        return found

    def get(self, trial_id: str) -> TrialRecord | None:
        """Return the record of ``trial_id`` (settled, or else the censored one of most epochs), or ``None``."""
        best: TrialRecord | None = None
        for record in self.recorded(trial_id):
            best = better(best, record)
        return best

    def recorded(self, trial_id: str) -> list[TrialRecord]:
        """Return every record of ``trial_id`` that can be read, whichever sweep wrote it."""
        _checked(trial_id, "trial id")
        return [record for shelf in self._shelves() for record in shelf.of(trial_id)]

    def records(self, sweep_id: str | None = None, *, role: Role | None = None, without: Collection[str] = ()) -> list[TrialRecord]:
        """Return one record a trial, ordered by trial id: those of ``sweep_id`` with the ones that it refers to, or all; of ``role``.

        Each record names the sweep that ran it. Records that cannot be read are counted in a warning. Trials in ``without`` are left out
        and not read: who looks again and again at a long sweep reads what is new alone.
        """
        shelves = self._shelves() if sweep_id is None else [self._shelf(sweep_id)]
        found: dict[str, TrialRecord] = {}
        unreadable: list[Path] = []
        for shelf in shelves:
            records, torn = shelf.read(without=without)
            unreadable += torn
            for record in records:
                if role in (None, record.role):
                    found[record.trial_id] = better(found.get(record.trial_id), record) or record
        if sweep_id is not None:
            taken, nowhere = self._referred(each for each in shelves[0].references() if each.stem not in without)
            unreadable += nowhere
            for record in taken:
                if role in (None, record.role):
                    found[record.trial_id] = better(found.get(record.trial_id), record) or record
        if unreadable:
            told = f"{len(unreadable)} records of the journal could not be read, the first is {unreadable[0]}"
            warnings.warn(f"{told}; `lode sweep resume` runs their trials again", ExperimentWarning, stacklevel=2)
        return [found[trial_id] for trial_id in sorted(found)]

    def sweeps(self) -> list[str]:
        """Return the ids of all sweeps, the one that got a record, or was packed, last at the end."""
        return [shelf.folder.name for shelf in sorted(self._shelves(), key=lambda each: (each.trials.stat().st_ctime, str(each)))]

    def summary(self, sweep_id: str) -> JournalSummary:
        """Count what the journal holds of ``sweep_id`` without reading the records."""
        shelf, plan = self._shelf(sweep_id), self.manifest(sweep_id)
        planned = plan.get("trials") if plan is not None else None
        return JournalSummary(sweep_id, shelf.count(), len(shelf.references()), len(planned) if isinstance(planned, list) else None)

    def write_manifest(self, sweep_id: str, manifest: dict[str, object]) -> bool:
        """Keep a sweep's plan beside its records, once. Returns ``False`` when it stood there already.

        One that stands there and cannot be read is replaced: the id is a hash of the plan, so the same id means the same plan.
        """
        path = self.folder(sweep_id) / "plan.json"
        try:
            self.manifest(sweep_id)
        except ExperimentError:
            path.replace(path.with_suffix(".unreadable"))
        self._shelf(sweep_id).trials.mkdir(parents=True, exist_ok=True)
        return put_if_absent(path, json.dumps(manifest, sort_keys=True, indent=1).encode())

    def manifest(self, sweep_id: str) -> dict[str, object] | None:
        """Return a sweep's plan, or ``None``. Raises :class:`ExperimentError` when it cannot be read."""
        path = self.folder(sweep_id) / "plan.json"
        if not path.exists():
            return None
        try:
            found = json.loads(path.read_bytes())
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise ExperimentError(f"{path} is damaged: run the file of this sweep again (`lode sweep run`), which writes its plan anew")
        return found

    def note(self, sweep_id: str, name: str, content: dict[str, object]) -> None:
        """Keep a small JSON document beside a sweep's records (what was synchronised, say), in place of the one before."""
        put(self.folder(sweep_id) / f"{_checked(name, 'name')}.json", json.dumps(content, sort_keys=True).encode())

    def _referred(self, references: Iterable[Path]) -> tuple[list[TrialRecord], list[Path]]:
        """Return the records that notes refer to, and the notes that lead nowhere. Each sweep that is referred to is read once."""
        wanted: dict[str, dict[str, Path]] = {}
        nowhere: list[Path] = []
        for note in references:
            if (owner := _owner(note)) is None:
                nowhere.append(note)
            else:
                wanted.setdefault(owner, {})[note.stem] = note
        found: dict[str, TrialRecord] = {}
        for owner, notes in wanted.items():
            for record in self._shelf(owner).read(notes.keys())[0]:
                found[record.trial_id] = better(found.get(record.trial_id), record) or record
            nowhere += [note for trial_id, note in notes.items() if trial_id not in found]
        return list(found.values()), nowhere

    def folder(self, sweep_id: str) -> Path:
        """Return the folder of all that is kept of a sweep; it need not exist."""
        return self.root / _checked(sweep_id, "sweep id")

    def _shelf(self, sweep_id: str) -> Shelf:
        return Shelf(self.folder(sweep_id))

    def _shelves(self) -> list[Shelf]:
        try:
            names = os.listdir(self.root)  # noqa: PTH208 - called for each record that is appended
        except FileNotFoundError:
            return []
        return [shelf for name in sorted(names) if (shelf := Shelf(self.root / name)).trials.is_dir()]


def _owner(reference: Path) -> str | None:
    """Return the sweep that a note names; ``None`` when it cannot be read."""
    try:
        return _checked(str(json.loads(reference.read_bytes())["sweep_id"]), "sweep id")
    except (OSError, ValueError, KeyError, TypeError, ExperimentError):
        return None


def _alike(first: TrialRecord, second: TrialRecord) -> bool:
    return (first.dataset, first.family, first.role) == (second.dataset, second.family, second.role)


def _checked(name: str, what: str) -> str:
    """Return ``name`` when it can stand as one file name of a journal; raise :class:`ExperimentError` otherwise."""
    if not _SAFE_NAME.fullmatch(name):
        raise ExperimentError(f"{name!r} is no {what}: letters, digits, '.', '_' and '-' only, and a letter or digit first")
    return name

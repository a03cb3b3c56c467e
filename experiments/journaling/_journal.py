"""A folder of trial records: one immutable JSON file a trial, in a folder a sweep."""

from __future__ import annotations

import json
import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from experiments._errors import ExperimentError, ExperimentWarning
from experiments.journaling._files import check_name, put, put_if_absent
from experiments.journaling._records import Role
from experiments.journaling._settling import CENSORED, better, settles
from mining import TrialRecord

_PARTIAL = ".partial-"


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
        check_name(record.trial_id, "trial id")
        folder = self._folder(record.sweep_id)
        content = record.model_dump_json().encode()
        if record.status in CENSORED:
            given = "" if record.status != "timed_out" or record.time_limit is None else f"-{record.time_limit:g}s"
            return put_if_absent(folder / f"{record.trial_id}{_PARTIAL}{record.epochs_run:05d}{given}.json", content)
        for other in self._folders():  # by name, since listing a long sweep's folder for each record would take its time
            settled = _parse(other / f"{record.trial_id}.json") if other != folder else None
            if settled is not None and _alike(settled, record):
                self.refer(record.sweep_id, record.trial_id, settled.sweep_id)
                return False
        path = folder / f"{record.trial_id}.json"
        if path.exists() and _parse(path) is None:
            path.replace(path.with_suffix(".unreadable"))
        return put_if_absent(path, content)

    def refer(self, sweep_id: str, trial_id: str, owner: str) -> None:
        """Note that ``sweep_id`` takes ``trial_id`` from the sweep ``owner``. Idempotent."""
        check_name(owner, "sweep id")
        path = self._folder(sweep_id) / f"{check_name(trial_id, 'trial id')}.ref"
        put_if_absent(path, json.dumps({"sweep_id": owner}).encode())

    def has(self, trial_id: str) -> bool:
        """Say whether any sweep has settled ``trial_id``."""
        return any(each.status not in CENSORED for each in self.recorded(trial_id))

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

    def answers(self, trial_ids: Collection[str], time_limit: float | None = None) -> dict[str, list[TrialRecord]]:
        """Return for those of ``trial_ids`` that are settled under ``time_limit`` the records that settle them, whoever wrote them."""
        found: dict[str, list[TrialRecord]] = {}
        for path in [path for folder in self._folders() for path in _record_files(folder)]:
            name = _trial_of(path)
            record = _parse(path) if name in trial_ids else None
            if record is not None and settles(record, time_limit):
                found.setdefault(name, []).append(record)
        return found

    def get(self, trial_id: str) -> TrialRecord | None:
        """Return the record of ``trial_id`` (settled, or else the censored one of most epochs), or ``None``."""
        best: TrialRecord | None = None
        for record in self.recorded(trial_id):
            best = better(best, record)
        return best

    def recorded(self, trial_id: str) -> list[TrialRecord]:
        """Return every record of ``trial_id`` that can be read, whichever sweep wrote it."""
        check_name(trial_id, "trial id")
        found = (_parse(path) for folder in self._folders() for path in sorted(folder.glob(f"{trial_id}.*json")))
        return [record for record in found if record is not None]

    def records(self, sweep_id: str | None = None, *, role: Role | None = None) -> list[TrialRecord]:
        """Return one record a trial, ordered by trial id: those of ``sweep_id`` with the ones that it refers to, or all; of ``role``.

        Each record names the sweep that ran it. Records that cannot be read are counted in a warning.
        """
        folders = self._folders() if sweep_id is None else [self._folder(sweep_id)]
        found: dict[str, TrialRecord] = {}
        unreadable: list[Path] = []
        for path in [path for folder in folders for path in _record_files(folder)]:
            record = _parse(path)
            if record is None:
                unreadable.append(path)
            elif role in (None, record.role):
                found[record.trial_id] = better(found.get(record.trial_id), record) or record
        if sweep_id is not None:
            for reference in sorted(folders[0].glob("*.ref")):
                record = self._resolve(reference)
                if record is None:
                    unreadable.append(reference)
                elif role in (None, record.role):
                    found[record.trial_id] = better(found.get(record.trial_id), record) or record
        if unreadable:
            told = f"{len(unreadable)} records of the journal could not be read, the first is {unreadable[0]}"
            warnings.warn(f"{told}; `lode sweep resume` runs their trials again", ExperimentWarning, stacklevel=2)
        return [found[trial_id] for trial_id in sorted(found)]

    def sweeps(self) -> list[str]:
        """Return the ids of all sweeps, oldest first."""
        return [folder.parent.name for folder in sorted(self._folders(), key=lambda each: (each.stat().st_ctime, str(each)))]

    def summary(self, sweep_id: str) -> JournalSummary:
        """Count what the journal holds of ``sweep_id`` without reading the records."""
        folder = self._folder(sweep_id)
        plan = self.manifest(sweep_id)
        trials = {_trial_of(path) for path in _record_files(folder)}
        planned = plan.get("trials") if plan is not None else None
        return JournalSummary(sweep_id, len(trials), len(list(folder.glob("*.ref"))), len(planned) if isinstance(planned, list) else None)

    def write_manifest(self, sweep_id: str, manifest: dict[str, object]) -> bool:
        """Keep a sweep's plan beside its records, once. Returns ``False`` when it stood there already.

        One that stands there and cannot be read is replaced: the id is a hash of the plan, so the same id means the same plan.
        """
        path = self._folder(sweep_id).parent / "plan.json"
        try:
            self.manifest(sweep_id)
        except ExperimentError:
            path.replace(path.with_suffix(".unreadable"))
        self._folder(sweep_id).mkdir(parents=True, exist_ok=True)
        return put_if_absent(path, json.dumps(manifest, sort_keys=True, indent=1).encode())

    def manifest(self, sweep_id: str) -> dict[str, object] | None:
        """Return a sweep's plan, or ``None``. Raises :class:`ExperimentError` when it cannot be read."""
        path = self._folder(sweep_id).parent / "plan.json"
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
        put(self._folder(sweep_id).parent / f"{check_name(name, 'name')}.json", json.dumps(content, sort_keys=True).encode())

    def _resolve(self, reference: Path) -> TrialRecord | None:
        trial_id = reference.stem
        try:
            owner = check_name(str(json.loads(reference.read_bytes())["sweep_id"]), "sweep id")
        except (ValueError, KeyError, TypeError, ExperimentError):
            return None
        best: TrialRecord | None = None
        for path in sorted(self._folder(owner).glob(f"{trial_id}.*json")):
            best = better(best, _parse(path))
        return best

    def _folder(self, sweep_id: str) -> Path:
        return self.root / check_name(sweep_id, "sweep id") / "trials"

    def _folders(self) -> list[Path]:
        return sorted(self.root.glob("*/trials"))


def _record_files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.glob("*.json")) if not path.name.startswith("."))


def _trial_of(path: Path) -> str:
    return path.name.removesuffix(".json").split(_PARTIAL, 1)[0]


def _alike(first: TrialRecord, second: TrialRecord) -> bool:
    return (first.dataset, first.family, first.role) == (second.dataset, second.family, second.role)


def _parse(path: Path) -> TrialRecord | None:
    try:
        return TrialRecord.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None

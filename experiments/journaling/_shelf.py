"""One sweep's records on disk: a file a trial, the older ones in parts.

A record moves from its file to a part, never back, and its file goes only when the part is on disk. Whoever looks into the files first and
into the parts afterwards therefore meets every record at least once; of a record met twice the part's is taken.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from experiments._whole_files import put_if_absent
from experiments.journaling._parts import find_in, part_files, read_part, trials_of
from experiments.journaling._settling import is_censored
from mining import TrialRecord

PARTIAL = ".partial-"
_JSON = ".json"


@dataclass(frozen=True)
class Shelf:
    """The records in one sweep's folder."""

    folder: Path

    @property
    def trials(self) -> Path:
        """Where a trial's file lies."""
        return self.folder / "trials"

    @property
    def parts(self) -> Path:
        """Where the parts lie."""
        return self.folder / "parts"

    def put(self, record: TrialRecord) -> bool:
        """Make ``record`` durable unless one stands in its place; a file there that cannot be read is set aside."""
        content = record.model_dump_json().encode()
        if is_censored(record):
            given = f"-{record.time_limit:g}s" if record.status == "timed_out" and record.time_limit is not None else ""
            given += f"-{record.memory_limit}B" if record.status == "out_of_memory" else ""
            return put_if_absent(self.trials / f"{record.trial_id}{PARTIAL}{record.epochs_run:05d}{given}{_JSON}", content)
        path = self.set_damaged_aside(record.trial_id)
        if any(record.trial_id in trials_of(part) and find_in([part], record.trial_id) for part in part_files(self.parts)):
            return False
        return put_if_absent(path, content)

    def set_damaged_aside(self, trial_id: str) -> Path:
        """Return the file of a trial's settled record; what lies there and is none goes under another name."""
        path = self.trials / f"{trial_id}{_JSON}"
        if _is_damaged(path):
            path.replace(path.with_suffix(".unreadable"))
        return path

    def settled(self, trial_id: str) -> TrialRecord | None:
        """Return the record that settles ``trial_id``. Costs the same however many there are."""
        found = parse(self.trials / f"{trial_id}{_JSON}")
        return found or find_in(part_files(self.parts), trial_id)

    def of(self, trial_id: str) -> list[TrialRecord]:
        """Return every record of ``trial_id``, settled or censored."""
        found = [parse(self.trials / name) for name in self._names() if name.startswith(f"{trial_id}{PARTIAL}")]
        return [each for each in (self.settled(trial_id), *found) if each is not None]

    def read(self, wanted: Collection[str] | None = None, without: Collection[str] = ()) -> tuple[list[TrialRecord], list[Path]]:
        """Return the records (of the trials in ``wanted``, but for those in ``without``) and the files that cannot be read.

        Settled trials come once, censored ones with every record.
        """
        settled: dict[str, TrialRecord] = {}
        censored: list[TrialRecord] = []
        unreadable: list[Path] = []
        for name in self._names():
            trial_id = trial_of(name)
            if trial_id in without or (wanted is not None and trial_id not in wanted):
                continue
            path = self.trials / name
            record = parse(path)
            if record is None:
                if path.exists():  # else it was moved to a part just now, and is met there
                    unreadable.append(path)
            elif is_censored(record):
                censored.append(record)
            else:
                settled[trial_id] = record
        for part in part_files(self.parts):
            try:
                settled |= {record.trial_id: record for record in read_part(part, wanted, without)}
            except (OSError, ValueError):
                unreadable.append(part)
        return [*settled.values(), *censored], unreadable

    def count(self) -> int:
        """Count the trials that there are records of, without reading them."""
        ids = {trial_of(name) for name in self._names()}
        for part in part_files(self.parts):
            ids |= trials_of(part).keys()
        return len(ids)

    def references(self) -> list[Path]:
        """Return the notes that a trial is taken from another sweep."""
        return [self.trials / name for name in self._names(".ref")]

    def settled_files(self) -> list[Path]:
        """Return the files of settled trials, in the order of their names."""
        return [self.trials / name for name in self._names() if PARTIAL not in name]

    def _names(self, suffix: str = _JSON) -> list[str]:
        try:
            return sorted(each for each in os.listdir(self.trials) if each.endswith(suffix) and not each.startswith("."))  # noqa: PTH208
        except FileNotFoundError:
            return []


def trial_of(name: str) -> str:
    """Return the trial that a record's file is of."""
    return name.removesuffix(_JSON).split(PARTIAL, 1)[0]


def _is_damaged(path: Path) -> bool:
    """Say whether a file holds no record. One that cannot be read now (too many are open) may be whole: that raises ``OSError``."""
    try:
        TrialRecord.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return False
    except ValidationError:
        return True
    return False


def parse(path: Path) -> TrialRecord | None:
    """Return the record in a file; ``None`` when there is none that can be read."""
    try:
        return TrialRecord.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None

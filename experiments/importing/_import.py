"""From files of trials into the journal: read, checked, compared, and each sweep's new ones written at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import batched
from typing import Literal

from experiments._errors import ExperimentError
from experiments._home import Home
from experiments.importing import _rows
from experiments.importing._checking import Checker
from experiments.importing._finding import find_table
from experiments.importing._judging import Verdict, judge
from experiments.importing._rows import Row, RowError
from experiments.journaling import Journal, append_settled, is_censored
from mining import TrialRecord

_AT_A_TIME = 2_000


@dataclass(frozen=True)
class Skipped:
    """A row that was not taken, and why; ``row`` is counted from 1 on, in JSON lines it is the line."""

    file: str
    row: int
    kind: Literal["refused", "contradicts"]
    reason: str


@dataclass
class FileCount:
    """What came of a file's rows: trials ``taken``, ``known`` to the journal, contradicting it, and rows ``refused``."""

    file: str
    rows: int = 0
    taken: int = 0
    known: int = 0
    contradicting: int = 0
    refused: int = 0


@dataclass(frozen=True)
class ImportOutcome:
    """What came of an import: each file's rows, the trials taken by sweep, and every row that was not taken."""

    files: tuple[FileCount, ...]
    sweeps: dict[str, int]
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True)
class _Accepted:
    """A row that may be taken: the record as text, since there may be many."""

    count: FileCount
    row: int
    trial_id: str
    text: bytes


def import_trials(
    references: Sequence[str], home: Home, *, dry_run: bool = False, progress: Callable[[str], None] | None = None
) -> ImportOutcome:
    """Take the trials of files (paths, or names of shipped tables) into the journal of ``home``; nothing is written on a ``dry_run``.

    All files are read before the first trial is written. Each trial goes to the sweep that ran it, which gets no plan by that: it can be
    mined, and there is nothing to resume. Killed at any moment, the same call goes on; what stands already is counted as known.

    Raises:
        ExperimentError: a file is unknown, damaged or too large, or one of the sweeps is being run.

    """
    return _Import(home, dry_run, progress or (lambda _: None)).run(references)


class _Import:
    def __init__(self, home: Home, dry_run: bool, progress: Callable[[str], None]) -> None:
        self._home, self._dry_run, self._progress = home, dry_run, progress
        self._journal, self._checker = Journal(home.journal), Checker(home)
        self._files: dict[str, FileCount] = {}
        self._accepted: dict[str, list[_Accepted]] = {}
        self._bytes = 0
        self._skipped: list[Skipped] = []
        self._sweeps: Counter[str] = Counter()
        self._new: dict[str, list[bytes]] = {}  # what this import took: a dry run writes it nowhere

    def run(self, references: Sequence[str]) -> ImportOutcome:
        for reference in dict.fromkeys(references):
            self._read(reference)
        for sweep_id, rows in sorted(self._accepted.items()):
            self._progress(f"taking {sweep_id}")
            with self._alone(sweep_id):
                for some in batched(rows, _AT_A_TIME):
                    self._take(sweep_id, some)
        order = {file: place for place, file in enumerate(self._files)}
        skipped = sorted(self._skipped, key=lambda each: (order[each.file], each.row))
        return ImportOutcome(tuple(self._files.values()), dict(self._sweeps), tuple(skipped))

    def _read(self, reference: str) -> None:
        path, read = find_table(reference)
        count = self._files[reference] = FileCount(reference)
        for row in read(path):
            if count.rows % 500 == 0:
                self._progress(f"reading {reference}: {count.rows:,} trials")
            count.rows += 1
            try:
                self._accept(count, row)
            except RowError as error:
                count.refused += 1
                self._skipped.append(Skipped(reference, row.number, "refused", str(error)))
        if self._bytes > 2 * _rows.MOST_BYTES or sum(each.rows for each in self._files.values()) > _rows.MOST_ROWS:
            raise ExperimentError(f"{reference}: too many trials at a time; import fewer files at a time")

    def _accept(self, count: FileCount, row: Row) -> None:
        """Keep a row for its sweep; raise :class:`RowError` when it is not to be taken."""
        if row.record is None:
            raise RowError(row.reason)
        text = self._checker.journal_text(row.record)
        self._bytes += len(text)
        self._accepted.setdefault(row.record.sweep_id, []).append(_Accepted(count, row.number, row.record.trial_id, text))

    def _alone(self, sweep_id: str) -> AbstractContextManager[None]:
        if self._dry_run:
            return nullcontext()
        from experiments.sweeping import alone  # late: the engine comes with it, and most is refused before

        return alone(self._home, sweep_id)

    def _take(self, sweep_id: str, rows: Sequence[_Accepted]) -> None:
        held = self._journal.records_of({each.trial_id for each in rows})
        settled: dict[str, bytes] = {}
        for row in rows:
            record = _parse(row.text)
            verdict = judge(record, [*held.get(row.trial_id, ()), *map(_parse, self._new.get(row.trial_id, ()))])
            self._count(row, sweep_id, verdict)
            if verdict.what == "new":
                self._new.setdefault(row.trial_id, []).append(row.text)
                if not is_censored(record):
                    settled[row.trial_id] = row.text
                elif not self._dry_run:
                    self._journal.append(record)
            elif verdict.owner not in ("", sweep_id) and not self._dry_run:
                self._journal.refer(sweep_id, row.trial_id, verdict.owner)
        if settled and not self._dry_run:
            append_settled(self._journal, sweep_id, settled)

    def _count(self, row: _Accepted, sweep_id: str, verdict: Verdict) -> None:
        if verdict.what == "new":
            row.count.taken += 1
            self._sweeps[sweep_id] += 1
        elif verdict.what == "known":
            row.count.known += 1
        else:
            row.count.contradicting += 1
            self._skipped.append(Skipped(row.count.file, row.row, "contradicts", verdict.why))


def _parse(text: bytes) -> TrialRecord:
    return TrialRecord.model_validate_json(text)

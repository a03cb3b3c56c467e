"""The ends of the regret scales that a report's trials are told on: those that the miner used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from experiments._scales import ScaleBook
from heuristics_db import DatasetProvenance
from mining import OBSERVED, MiningError, TrialRecord, observed_ends, trial_table


@dataclass(frozen=True)
class Ends:
    """Regret 0 and regret 1 on one dataset, in its metric, and where they come from."""

    best: float
    reference: float
    told: str


def ends_of(records: Sequence[TrialRecord], mined_from: Iterable[DatasetProvenance] = ()) -> Ends | None:
    """Return the ends for the trials of one dataset: a version's own (``mined_from``), else the frozen ones, else the trials' own.

    ``None`` when no trial has a score, or the trials ran on several draws of rows.
    """
    first = records[0]
    for each in mined_from:
        if (each.name, each.fingerprint) == (first.dataset, first.fingerprint):
            return Ends(each.best_score, each.reference_score, each.reference)
    if len({(each.fingerprint, each.row_cap, each.split_id) for each in records}) > 1:
        return None
    book = ScaleBook.load()
    frozen = book.find(first.fingerprint, first.row_cap, first.split_id)
    if frozen is not None:
        return Ends(frozen.best, frozen.reference, frozen.told(book.revision))
    try:
        return Ends(*observed_ends(trial_table(records)), OBSERVED)
    except MiningError:
        return None

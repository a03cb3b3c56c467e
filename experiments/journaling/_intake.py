"""Many records at once, from somebody else's journal: parts right away, rather than a file each."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import batched

from experiments.journaling._journal import Journal
from experiments.journaling._packing import RECORDS_A_PART
from experiments.journaling._parts import write_part
from experiments.journaling._shelf import Shelf


def append_settled(journal: Journal, sweep_id: str, records: Mapping[str, bytes]) -> None:
    """Make settled records of ``sweep_id`` durable: each trial's id with its record's text, which the caller has checked.

    The sweep must hold none of the trials. Killed in between, there are whole parts, or none. Raises ``OSError`` when the disk is full.
    """
    shelf = Shelf(journal.folder(sweep_id))
    for some in batched(sorted(records), RECORDS_A_PART):
        write_part(shelf.parts, {trial_id: records[trial_id] for trial_id in some})
        shelf.trials.mkdir(parents=True, exist_ok=True)  # a folder with this one is a sweep to the journal
        for trial_id in some:
            shelf.set_damaged_aside(trial_id)

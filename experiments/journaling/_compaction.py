"""The journal as Parquet files, for mining and for other people's tools."""

from __future__ import annotations

from pathlib import Path

from experiments._trial_parquet import table_bytes
from experiments._whole_files import put
from experiments.journaling._journal import Journal


def compact(journal: Journal, trials: Path, sweep_id: str | None = None) -> list[Path]:
    """Write ``trials/SWEEP.parquet`` for ``sweep_id``, or for every sweep of the journal; the journal itself stays as it is.

    One row a trial, all that its record holds, as ``lode trials export`` writes it and ``lode trials import`` reads it.
    """
    written = []
    for each in [sweep_id] if sweep_id is not None else journal.sweeps():
        if records := journal.records(each):
            path = trials / f"{each}.parquet"
            put(path, table_bytes(records))
            written.append(path)
    return written

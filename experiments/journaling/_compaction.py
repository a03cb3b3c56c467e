"""The journal as Parquet files, for mining and for other people's tools."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path

from experiments._whole_files import put
from experiments.journaling._journal import Journal
from mining import trial_table


def compact(journal: Journal, trials: Path, sweep_id: str | None = None) -> list[Path]:
    """Write ``trials/SWEEP.parquet`` for ``sweep_id``, or for every sweep of the journal; the journal itself stays as it is.

    One row a trial, as :func:`mining.trial_table` lays them out, but every hyperparameter is one JSON text (``param.*``), since one
    column may mix types; ``curve`` is a list of structures, ``versions`` a JSON text.
    """
    written = []
    for each in [sweep_id] if sweep_id is not None else journal.sweeps():
        records = journal.records(each)
        if not records:
            continue
        table = trial_table(records, test_scores=True)
        for name in table.columns:
            if str(name).startswith("param.") or name == "versions":
                table[name] = [None if _absent(value) else json.dumps(value, sort_keys=True) for value in table[name]]
        buffer = io.BytesIO()
        table.to_parquet(buffer, index=False)
        path = trials / f"{each}.parquet"
        put(path, buffer.getvalue())
        written.append(path)
    return written


def _absent(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)  # stands where a trial lacks the hyperparameter

"""Journaled trials, chosen and written out for people and other programs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from experiments._errors import ExperimentError
from experiments._home import Home
from experiments._trial_parquet import table_bytes
from experiments.journaling import Journal
from mining import PARAMETER_PREFIX, TrialRecord, trial_table

FORMATS = (".parquet", ".csv", ".jsonl")


def journaled(home: Home, sweeps: Sequence[str] = ()) -> list[TrialRecord]:
    """Return the trials of ``sweeps``, or of the whole journal, one each, ordered by trial id.

    Raises:
        ExperimentError: the journal has no such sweep.

    """
    journal = Journal(home.journal)
    known = journal.sweeps()
    for each in sweeps:
        if each not in known:
            told = f"; there are {', '.join(known)}" if known else ", nor any other; lode sweep run makes one"
            raise ExperimentError(f"the journal {home.journal} has no sweep {each}{told}")
    chosen = {record.trial_id: record for each in sweeps for record in journal.records(each)}
    return [chosen[trial_id] for trial_id in sorted(chosen)] if sweeps else journal.records()


def find_trial(home: Home, prefix: str) -> TrialRecord:
    """Return the one trial whose id begins with ``prefix``.

    Raises:
        ExperimentError: there is none, or more than one.

    """
    found = [each for each in Journal(home.journal).records() if each.trial_id.startswith(prefix)]
    if len(found) != 1:
        what = f"{len(found)} trials begin" if found else "no trial begins"
        raise ExperimentError(f"{what} with {prefix!r} in {home.journal}; lode trials list shows their ids")
    return found[0]


def trials_file(records: Iterable[TrialRecord], path: Path) -> bytes:
    """Return the content of ``path`` (``.parquet``, ``.csv`` or ``.jsonl``): one row a trial, ordered by trial id.

    Parquet and JSON lines hold all of every record. In Parquet and CSV every hyperparameter is a JSON text in its own ``param.*`` column;
    ``versions`` and ``extra_scores`` are JSON texts, too, and in CSV ``curve``.

    Raises:
        ExperimentError: the ending is none of the three.

    """
    if path.suffix not in FORMATS:
        raise ExperimentError(f"{path}: trials are written as {', '.join(FORMATS)}; end the name in one of these")
    ordered = sorted(records, key=lambda each: each.trial_id)
    if path.suffix == ".parquet":
        return table_bytes(ordered)
    if path.suffix == ".jsonl":
        return "".join(f"{each.model_dump_json()}\n" for each in ordered).encode()
    table = trial_table(ordered, test_scores=True)
    table["extra_scores"] = [json.dumps(dict(each.extra_scores), sort_keys=True) for each in ordered]
    texts = [name for name in table.columns if str(name).startswith(PARAMETER_PREFIX)]
    for name in [*texts, "versions", "curve"]:
        table[name] = [
            None if isinstance(value, float) and math.isnan(value) else json.dumps(value, sort_keys=True) for value in table[name]
        ]
    return table.to_csv(index=False).encode()

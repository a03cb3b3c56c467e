"""The file that is meant: a path, or the name of a table that is shipped; and who reads it."""

from __future__ import annotations

import difflib
from pathlib import Path

from experiments._errors import ExperimentError
from experiments.importing._lines import read_lines
from experiments.importing._parquet import read_parquet
from experiments.importing._rows import Reader, check_size

TABLES_FOLDER = Path(__file__).parents[1] / "trial_tables"
READERS: dict[str, Reader] = {".parquet": read_parquet, ".jsonl": read_lines}


def find_table(reference: str) -> tuple[Path, Reader]:
    """Return the file of trials that ``reference`` names, a path or a shipped table, and what reads it.

    Raises :class:`ExperimentError`, which names the shipped tables, when there is none, or none that can be read without a loss.
    """
    shipped = {each.stem: each for each in sorted(TABLES_FOLDER.glob("*.parquet"))}
    path = shipped.get(reference, Path(reference))  # a file without an ending would not be read anyway
    if path.is_dir():
        raise ExperimentError(f"{reference} is a folder; name the files of trials in it")
    if not path.exists():
        near = difflib.get_close_matches(reference, shipped, n=1)
        hint = f"did you mean {near[0]}?" if near else f"tables shipped: {', '.join(shipped) or 'none'}"
        raise ExperimentError(f"no such file of trials: {reference}; {hint}")
    if path.suffix == ".csv":
        raise ExperimentError(
            f"{reference}: CSV cannot tell an empty text from none, so trials are lost in it; export them as .parquet or .jsonl"
        )
    if path.suffix not in READERS or not path.is_file():
        raise ExperimentError(f"{reference}: trials are read from files that lode trials export wrote, {' and '.join(READERS)}")
    check_size(path)
    return path, READERS[path.suffix]

"""Trials from elsewhere, taken into the journal. One module reads one kind of file; all of them are checked and compared alike."""

from experiments.importing._finding import find_table
from experiments.importing._import import FileCount, ImportOutcome, Skipped, import_trials
from experiments.importing._rows import Reader, Row

__all__ = ["FileCount", "ImportOutcome", "Reader", "Row", "Skipped", "find_table", "import_trials"]

"""What the columns of anybody's table are: cells read as strings, numbers and dates, kinds of columns, the task that a target poses."""

from dataset_catalog.columns._cells import MISSING_MARKS, as_dates, as_numbers, as_strings
from dataset_catalog.columns._kinds import ColumnKind, Kind, column_kind, names_an_id
from dataset_catalog.columns._summaries import ColumnSummary, ColumnType, histogram, summarise_column
from dataset_catalog.columns._task import FEWEST_ROWS, check_levels, check_target, infer_task, likely_positive

__all__ = [
    "FEWEST_ROWS",
    "MISSING_MARKS",
    "ColumnKind",
    "ColumnSummary",
    "ColumnType",
    "Kind",
    "as_dates",
    "as_numbers",
    "as_strings",
    "check_levels",
    "check_target",
    "column_kind",
    "histogram",
    "infer_task",
    "likely_positive",
    "names_an_id",
    "summarise_column",
]

"""What the columns of anybody's table are: cells read as strings, numbers and dates, kinds of columns, the task that a target poses."""

from dataset_catalog.columns._cells import MISSING_MARKS, as_dates, as_numbers, as_strings
from dataset_catalog.columns._kinds import ColumnKind, Kind, column_kind
from dataset_catalog.columns._task import FEWEST_ROWS, check_levels, check_target, infer_task, likely_positive

__all__ = [
    "FEWEST_ROWS",
    "MISSING_MARKS",
    "ColumnKind",
    "Kind",
    "as_dates",
    "as_numbers",
    "as_strings",
    "check_levels",
    "check_target",
    "column_kind",
    "infer_task",
    "likely_positive",
]

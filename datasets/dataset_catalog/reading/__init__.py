"""Files of any common format to tables with one set of plain dtypes."""

from dataset_catalog.reading._plain import plain
from dataset_catalog.reading._room import read_within_room
from dataset_catalog.reading._tables import read_table, table_notes

__all__ = ["plain", "read_table", "read_within_room", "table_notes"]

"""Repeatable splits and row caps, decided by content rather than by the order of rows: stratified, official, by group, by time."""

from dataset_catalog.splitting._groups import group_parts
from dataset_catalog.splitting._official import names_parts, official_parts
from dataset_catalog.splitting._rule import PartedRows, part_rows
from dataset_catalog.splitting._split import SPLIT_VERSION, Split, cap_rows, make_split
from dataset_catalog.splitting._strata import PART_NAMES, TEST, TRAINING, VALIDATION, Parts
from dataset_catalog.splitting._times import moments, time_parts

__all__ = [
    "PART_NAMES",
    "SPLIT_VERSION",
    "TEST",
    "TRAINING",
    "VALIDATION",
    "PartedRows",
    "Parts",
    "Split",
    "cap_rows",
    "group_parts",
    "make_split",
    "moments",
    "names_parts",
    "official_parts",
    "part_rows",
    "time_parts",
]

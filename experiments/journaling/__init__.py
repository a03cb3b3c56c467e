"""The journal: the append-only record of every trial, written by the worker that ran it before anything else hears of it."""

from experiments.journaling._compaction import compact
from experiments.journaling._intake import append_settled
from experiments.journaling._journal import Journal, JournalSummary
from experiments.journaling._packing import Packer, pack
from experiments.journaling._recorder import JournalRecorder
from experiments.journaling._records import build_record
from experiments.journaling._settling import CENSORED, is_censored, settles

__all__ = [
    "CENSORED",
    "Journal",
    "JournalRecorder",
    "JournalSummary",
    "Packer",
    "append_settled",
    "build_record",
    "compact",
    "is_censored",
    "pack",
    "settles",
]

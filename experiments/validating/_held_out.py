"""A held-out dataset, loaded under its suite's rules and ready for every arm."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from automl import TaskTable
from dataset_catalog import Dataset, card, load
from experiments._errors import ExperimentError
from experiments._task_tables import task_table
from experiments.validating._suite import SuiteSpec


@dataclass(frozen=True, eq=False)
class HeldOutTable:
    """One dataset of a suite: as the catalogue holds it, and as every arm sees it."""

    dataset: Dataset
    table: TaskTable


def load_held_out(name: str, suite: SuiteSpec, cache: Path) -> HeldOutTable:
    """Load ``name`` with the suite's row cap and split.

    Raises:
        ExperimentError: the dataset's role is not ``held_out``.
        CatalogError: it is unknown, or cannot be fetched or verified.

    """
    role = card(name).role
    if role != "held_out":
        raise ExperimentError(f"{name} has the role {role}: a suite takes held-out datasets only (lode datasets list)")
    dataset = load(name, cache=cache)
    return HeldOutTable(dataset, task_table(dataset, row_cap=suite.row_cap, seed=suite.split_seed))

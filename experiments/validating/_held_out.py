"""A held-out dataset, loaded under its suite's rules and ready for every arm."""

from __future__ import annotations

from dataclasses import dataclass

from automl import TaskTable
from dataset_catalog import Catalog, Dataset
from experiments._errors import ExperimentError
from experiments._task_tables import task_table
from experiments.validating._suite import SuiteSpec


@dataclass(frozen=True, eq=False)
class HeldOutTable:
    """One dataset of a suite: as the catalogue holds it, and as every arm sees it."""

    dataset: Dataset
    table: TaskTable


def load_held_out(name: str, suite: SuiteSpec, catalog: Catalog) -> HeldOutTable:
    """Load ``name`` with the suite's row cap and split.

    Raises:
        ExperimentError: the dataset's role is not ``held_out``, its content drifts, or it is text.
        CatalogError: it is unknown, or cannot be fetched or verified.

    """
    described = catalog.card(name)
    if described.role != "held_out":
        raise ExperimentError(f"{name} has the role {described.role}: a suite takes held-out datasets only (lode datasets list)")
    if described.drifts:
        raise ExperimentError(f"{name} drifts with its source, so no two validations could be compared: take another (lode datasets list)")
    if described.modality == "text":
        raise ExperimentError(
            f"{name} is text, and the model types of suite {suite.name} are for tables: take another (lode datasets list)"
        )
    dataset = catalog.load(name)
    return HeldOutTable(dataset, task_table(dataset, row_cap=suite.row_cap, seed=suite.split_seed))

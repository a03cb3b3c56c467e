"""A role that was used holds in sweeps and in mining, whatever books and cards say afterwards; own held-out data is guarded there, too."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from benchmarks.disguises import cut, renamed, thinned
from dataset_catalog import NEAR_DUPLICATE, CatalogError, LockedRole, RoleBook, dump_roles, fingerprint, similarity, sketch
from experiments._errors import ExperimentError
from experiments._home import Home
from experiments._mine import held_out
from experiments._task_tables import task_table
from experiments.commands import run
from experiments.journaling import Journal
from experiments.sweeping import SweepSpec, plan, plan_tables
from mining import LeakageError, check_leakage, trial_table
from tests.dataset_catalog.styles import people
from tests.mining.worlds import facts, records, strange_sketch

SPEC = {"name": "own", "datasets": ["mine"], "configurations": {"count": 1}, "epochs": 1, "model_types": ["concat"]}


def added(tmp_path: Path, table: pd.DataFrame, name: str, role: str) -> int:
    path = tmp_path / f"{name}.csv"
    table.to_csv(path, index=False)
    return run(["datasets", "add", str(path), "--target", "y", "--name", name, "--role", role, "--task", "binary", "--yes"])


@pytest.fixture
def table() -> pd.DataFrame:
    return people().dropna(subset="y").reset_index(drop=True)


def test_own_held_out_data_is_guarded_in_sweeps_and_in_mining(home: Home, tmp_path: Path, table: pd.DataFrame) -> None:
    assert added(tmp_path, table, "kept_back", "held_out") == 0
    book = home.catalog.roles
    locked = next(each for each in book.datasets if each.name == "kept_back")
    disguised = renamed(cut(thinned(table.drop(columns="y"), 0.5), 0.1))
    guarded = held_out(home)
    assert locked.fingerprint in guarded.fingerprints
    with pytest.raises(LeakageError, match=r"d0 .*of its content stands in a held-out dataset"):
        check_leakage(trial_table(records()), facts(sketch=sketch(disguised)), guarded)
    capped = task_table(home.catalog.load("kept_back"), row_cap=200, seed=0)
    assert similarity(sketch(capped.frame), locked.sketch) >= NEAR_DUPLICATE
    assert similarity(sketch(capped.frame.astype(str)), locked.sketch) >= NEAR_DUPLICATE
    with pytest.raises(ExperimentError, match="held-out dataset"):
        plan_tables(SweepSpec.model_validate(SPEC), {"mine": capped}, {"mine": "other"}, roles=book)


def test_what_was_validated_on_is_never_swept_or_mined(home: Home, tmp_path: Path, table: pd.DataFrame) -> None:
    assert added(tmp_path, table, "mine", "training") == 0
    spec = SweepSpec.model_validate(SPEC)
    content = home.catalog.card("mine").fingerprint
    assert plan(spec, home).manifest.trials
    look = records()[0].model_copy(update={"role": "held_out", "fingerprint": content, "dataset": "before", "trial_id": "look"})
    Journal(home.journal).append(look)
    with pytest.raises(ExperimentError, match="mine was validated on as before as held-out data and may not be swept") as caught:
        plan(spec, home)
    assert "\n" not in str(caught.value)
    assert content in held_out(home).fingerprints


def test_a_book_of_an_older_project_says_what_to_do(home: Home, table: pd.DataFrame) -> None:
    old = LockedRole(name="old", role="training", family="old", fingerprint=fingerprint(table), sketch=tuple(range(64)))
    home.datasets.mkdir(parents=True)
    (home.datasets / "roles.json").write_text(dump_roles(RoleBook(version=1, datasets=(old,))))
    with pytest.raises(CatalogError, match=r"old and .* cannot be compared: a sketch of 64 numbers, of version 1.* lock the dataset anew"):
        _ = home.catalog.roles
    assert strange_sketch(0)[0] == sketch(table)[0]

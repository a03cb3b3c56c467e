"""From anybody's file to a model: read, type, search, choose on validation, predict the test part, say why."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from automl._errors import AutoMLError
from automl._plan import Budget, SearchPlan
from automl._pool import WorkerPool
from automl._predict import SIDE_FILE, ModelCard, predict_ready
from automl._reasons import as_markdown, data_reasons, plan_reasons, search_reasons
from automl._rendering import render_config
from automl._search import SearchResult, run_search
from automl._tables import ReadyTable, ready_table
from automl._trial import Task, TrialResult
from heuristics_db import HeuristicsError

ROW_CAP = 50_000
_FEWEST_CAPPED = 5_000
_ROWS_A_SECOND = 200
_LEFT_FOR_THE_END = 5.0
_SMALLEST_SHARE = 0.25


@dataclass(frozen=True, eq=False)
class UserTable:
    """A file made ready: where it lies, what reading it brought up, and the task table with what led to it."""

    path: Path
    notes: tuple[str, ...]
    ready: ReadyTable


@dataclass(frozen=True, eq=False)
class AutoMLOutcome:
    """What a run left in ``out``: the model's folder, predictions on the test part, configuration, reasons, and the search itself."""

    out: Path
    model: Path
    predictions: Path
    config: Path
    reasons: Mapping[str, Any]
    search: SearchResult

    @property
    def best(self) -> TrialResult:
        """The chosen trial."""
        if self.search.best is None:
            raise AutoMLError("the search found no model")
        return self.search.best


def row_cap_for(seconds: float | None) -> int:
    """Return how many rows a search within ``seconds`` should learn from: few enough that it tries more than a trial or two."""
    if seconds is None:
        return ROW_CAP
    return int(min(ROW_CAP, max(_FEWEST_CAPPED, _ROWS_A_SECOND * seconds)))


def read_user_table(path: Path, target: str, *, task: Task | None = None, seed: int = 0, row_cap: int | None = ROW_CAP) -> UserTable:
    """Read the table in ``path`` and make it ready to learn ``target`` from, on at most ``row_cap`` rows.

    Raises ``AutoMLError``, or ``dataset_catalog.CatalogError`` for a file that is no table.
    """
    from dataset_catalog import read_table, table_notes

    frame = read_table(path)
    ready = ready_table(frame, target, name=_name(path), task=task, seed=seed, row_cap=row_cap)
    notes = table_notes(frame)
    if len(ready.rows) < frame[target].notna().sum() and row_cap is not None and len(ready.rows) <= row_cap:
        notes = (*notes, f"{len(ready.rows)} rows of {len(frame)} are used (the row cap), drawn so that each class keeps its share")
    return UserTable(path, notes, ready)


def first_configuration(table: UserTable, plan: SearchPlan, *, epochs: int, seed: int = 0) -> dict[str, Any]:
    """Return the Ludwig configuration that a search under ``plan`` tries first."""
    from automl._scoring import scorer_for
    from mining.policies import SearchPolicy

    direction = scorer_for(table.ready.table.task).direction
    try:
        first = SearchPolicy(plan.spaces, plan.portfolio, seed, plan.model_order, direction=direction, adaptive=plan.adaptive).next(())
    except HeuristicsError as fault:
        raise AutoMLError(f"{plan.label}: {fault}") from fault
    return render_config(table.ready.table, first.model_type, first.configuration, epochs=epochs, seed=seed)


def affordable(plan: SearchPlan, table: UserTable, budget: Budget) -> SearchPlan:
    """Leave out model types of which one careful trial would take more than half of the seconds, as the version's resource models say.

    The quickest stays in any case, and the plan says in a remark what was left out.
    """
    from mining.policies import seconds_per_epoch

    if budget.seconds is None:
        return plan
    rows, columns = len(table.ready.table.frame), len(table.ready.table.features)
    seconds = {
        each: budget.epochs * seconds_per_epoch(model, rows, columns, careful=True)
        for each, model in plan.resources.items()
        if model is not None
    }
    slow = {each for each, needed in seconds.items() if needed > budget.seconds / 2}
    kept = tuple(each for each in plan.model_order if each not in slow)
    if not slow:
        return plan
    if not kept:
        kept = (min(seconds, key=lambda each: seconds[each]),)
    told = ", ".join(f"{each} (up to {seconds[each]:.0f} s a trial)" for each in plan.model_order if each not in kept)
    return plan.restricted(kept, f"too slow for the time that there is: {told}") if told else plan


def run_automl(
    table: UserTable,
    plan: SearchPlan,
    budget: Budget,
    *,
    out: Path,
    pool: WorkerPool,
    seed: int = 0,
    parallel: int = 1,
    labels: Mapping[str, str] | None = None,
    started: float | None = None,
    progress: Callable[[TrialResult], None] | None = None,
) -> AutoMLOutcome:
    """Search ``table`` within ``budget`` and leave the best model, chosen on validation, in the new or empty folder ``out``.

    ``out`` gets ``model/`` (opened by ``LudwigModel.load`` and by ``predict``), ``predictions.csv`` (the test part's rows with their
    predictions), ``config.yaml``, ``reasons.json`` and ``reasons.md``. A budget in seconds counts from ``started`` (``time.time()``).

    Raises:
        AutoMLError: ``out`` holds something already, or no trial ended with a model.

    """
    out = out.expanduser().resolve()
    check_out(out)
    if budget.seconds is not None:
        pool.wait_ready(at_least=1)  # the search's share of the time counts from warm workers
        spent = 0.0 if started is None else time.time() - started
        left = max(budget.seconds - spent - _LEFT_FOR_THE_END, budget.seconds * _SMALLEST_SHARE)
        budget = Budget(budget.trials, left, budget.epochs)
    out.mkdir(parents=True, exist_ok=True)
    ready = table.ready
    with tempfile.TemporaryDirectory(prefix=".search-", dir=out) as storage:
        found = run_search(
            ready.table,
            plan,
            budget,
            seed=seed,
            pool=pool,
            parallel=parallel,
            storage=Path(storage),
            labels=labels,
            keep_models=True,
            progress=progress,
        )
        best = found.best
        if best is None or best.model_path is None:
            raise AutoMLError(_no_model(found))
        card = ModelCard(target=ready.target, target_feature=ready.table.target, task=ready.table.task, columns=ready.columns)
        (best.model_path / SIDE_FILE).write_text(card.model_dump_json(indent=2), encoding="utf-8")
        shutil.move(best.model_path, out / "model")
    with pool.lease() as worker:
        test = ready.table.split == 2
        predictions = worker.apply(predict_ready, out / "model", card, ready.table.frame.loc[test].drop(columns=ready.table.target))
    _beside(ready.rows.loc[test], predictions).to_csv(out / "predictions.csv", index=False)
    (out / "config.yaml").write_text(yaml.safe_dump(json.loads(best.config), sort_keys=False, allow_unicode=True), encoding="utf-8")
    reasons = {
        "data": data_reasons(ready, str(table.path), table.notes),
        "plan": plan_reasons(plan, budget, seed),
        **search_reasons(found),
    }
    (out / "reasons.json").write_text(json.dumps(reasons, indent=2, ensure_ascii=False, default=str) + "\n", encoding="utf-8")
    (out / "reasons.md").write_text(as_markdown(reasons), encoding="utf-8")
    return AutoMLOutcome(out, out / "model", out / "predictions.csv", out / "config.yaml", reasons, found)


def check_out(out: Path) -> None:
    """Raise ``AutoMLError`` when ``out`` cannot be made, is a file, or is a folder that holds something: nothing is overwritten."""
    above = next(each for each in (out, *out.absolute().parents) if each.exists())
    if above != out and not above.is_dir():
        raise AutoMLError(f"{out} lies in {above}, which is a file; name another folder with --out")
    if above.is_dir() and not os.access(above, os.W_OK):
        raise AutoMLError(f"{above} may not be written to; name another folder with --out")
    if out.exists() and not out.is_dir():
        raise AutoMLError(f"{out} is a file; name a folder for the model")
    if out.is_dir() and any(out.iterdir()):
        raise AutoMLError(f"{out} is not empty; name another folder with --out, or remove it")


def _beside(rows: pd.DataFrame, predictions: pd.DataFrame) -> pd.DataFrame:
    """Put predictions beside the rows; a name that the table has already gets underscores."""
    taken = set(rows.columns)
    names = {}
    for name in predictions.columns:
        free = str(name)
        while free in taken:
            free += "_"
        names[name] = free
        taken.add(free)
    return pd.concat([rows.reset_index(drop=True), predictions.rename(columns=names).reset_index(drop=True)], axis=1)


def _no_model(found: SearchResult) -> str:
    fates: dict[str, int] = {}
    for trial in found.trials:
        fates[trial.status] = fates.get(trial.status, 0) + 1
    told = ", ".join(f"{count} {status}" for status, count in fates.items()) or "none was run"
    error = next((trial.error for trial in found.trials if trial.error), None)
    return f"no trial ended with a model ({told})" + (f"; the first said: {error}" if error else "; give it more time or trials")


def _name(path: Path) -> str:
    name = path.name
    for suffix in (".gz", ".csv", ".tsv", ".txt", ".parquet", ".jsonl", ".json", ".ndjson"):
        name = name.removesuffix(suffix)
    return name or path.name

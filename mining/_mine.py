"""Mining: trials and datasets in, a heuristics document out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from heuristics_db import (
    DatasetProvenance,
    HeuristicsDocument,
    Modality,
    ModalityHeuristics,
    ModelTypeHeuristics,
    Provenance,
    SearchSpace,
    SeedConfiguration,
    TrialLimits,
)
from mining._adaptive import mine_adaptive
from mining._board import Board, build_board
from mining._choice import choose_model_types
from mining._curves import unstopped_curves
from mining._datasets import DatasetFacts, build_dataset_table
from mining._importance import importances
from mining._imputation import filled
from mining._leakage import HeldOut, check_leakage
from mining._portfolio import Portfolio, build_pool, mine_portfolio
from mining._recipe import MiningRecipe
from mining._regret import Floats, regret_scale
from mining._resources import fit_resources
from mining._selection import check_columns, modality_of, select
from mining._spaces import mined_space
from mining._trimming import trim
from mining.policies import fit_early_stopping


def mine(
    trials: pd.DataFrame,
    datasets: Iterable[DatasetFacts],
    *,
    wide: Mapping[str, SearchSpace],
    held_out: HeldOut,
    versions: Mapping[str, str],
    recipe: MiningRecipe | None = None,
    untuned_space_hash: str | None = None,
) -> HeuristicsDocument:
    """Mine a heuristics document from trials. The order of rows and datasets does not matter: same inputs, same bytes.

    Validation scores alone are looked at. Every choice is made by leave-one-family-out; where there is no gain over the simpler choice,
    the simpler one stands, and ``reason`` says so. Failures count as the worst score seen, regret 1 at least; preempted trials never.

    Args:
        trials: the trial table (see :func:`mining.trial_table`), of training datasets alone.
        datasets: facts of the datasets that the trials ran on.
        wide: the untuned search space of each model type; every trial lies in it.
        held_out: what must not be mined from.
        versions: of this project and what else mines; those of the engine, Ludwig and torch are the trials' own.
        recipe: the knobs; the defaults when ``None``.
        untuned_space_hash: what ``wide`` is known by; a hash of its content when ``None``.

    Raises:
        LeakageError: held-out data reached the miner.
        MiningError: the trials cannot be mined as they are.

    """
    recipe = recipe or MiningRecipe()
    facts = sorted(datasets, key=lambda each: each.name)
    check_columns(trials)
    check_leakage(trials, facts, held_out)
    selection = select(trials, wide)
    table = build_dataset_table(selection.trials, facts)
    modalities: dict[Modality, ModalityHeuristics] = {}
    backtest: dict[str, float] = {f"left_out.{reason}": float(count) for reason, count in selection.left_out.items()}
    tasks = selection.trials["task"].map(lambda task: modality_of(str(task)))
    for modality in sorted(set(tasks)):
        modalities[modality], figures = _mine_modality(selection.trials[tasks == modality], table, wide, recipe)
        backtest |= {f"{modality}.{name}": value for name, value in figures.items()}
    return HeuristicsDocument(
        modalities=modalities,
        provenance=Provenance(
            trial_set_hash=selection.hash,
            trials=len(selection.trials),
            failed_trials=int(table["failed"].sum()),
            sweeps=tuple(sorted({str(each) for each in selection.trials["sweep_id"]})),
            datasets=tuple(_provenance(row) for row in table.to_dict("records")),
            versions=dict(sorted((dict(versions) | dict(selection.versions)).items())),
            recipe=recipe.model_dump(),
            untuned_space_hash=untuned_space_hash or _hash_of(wide),
            backtest=backtest,
        ),
    )


def _mine_modality(
    trials: pd.DataFrame, table: pd.DataFrame, wide: Mapping[str, SearchSpace], recipe: MiningRecipe
) -> tuple[ModalityHeuristics, dict[str, float]]:
    boards = [build_board(trials, table, wide[name], recipe) for name in sorted({str(each) for each in trials["model_type"]})]
    full = {board.model_type: filled(board, recipe.seed) for board in boards}
    choice = choose_model_types(boards, recipe)
    chosen = [board for board in boards if board.model_type in choice.order]
    pool = build_pool(chosen, full, recipe)
    joint = mine_portfolio(pool, recipe)
    model_types = {board.model_type: _mine_model_type(board, full, trials, joint.seeds, recipe) for board in boards}
    scales = {str(row["name"]): regret_scale(float(row["best"]), float(row["reference"])) for row in table.to_dict("records")}
    epochs = int(trials["fidelity"].max())
    stopping = fit_early_stopping(
        unstopped_curves(trials, chosen, joint),
        scales=scales,
        max_epochs=epochs,
        tolerance=recipe.stopping_tolerance,
        trials=recipe.horizon,
        seed=recipe.seed,
    )
    adaptive, adaptive_reason = mine_adaptive(pool, {name: each.space for name, each in model_types.items()}, recipe)
    heuristics = ModalityHeuristics(
        model_choice=choice,
        model_types=model_types,
        portfolio=joint.seeds,
        early_stopping=stopping,
        limits=_limits(joint, epochs, recipe),
        adaptive=adaptive,
        adaptive_reason=adaptive_reason,
    )
    return heuristics, _figures(joint, recipe)


def _mine_model_type(
    board: Board, full: Mapping[str, Floats], trials: pd.DataFrame, joint: Sequence[SeedConfiguration], recipe: MiningRecipe
) -> ModelTypeHeuristics:
    cuts, reasons = trim(board, recipe)
    own = mine_portfolio(build_pool([board], full, recipe), recipe)
    seeds = [each.configuration for each in (*own.seeds, *joint) if each.model_type == board.model_type]
    space = mined_space(board.space, cuts, reasons, importances(board, full[board.model_type]), seeds)
    resources = fit_resources(trials[trials["model_type"] == board.model_type])
    return ModelTypeHeuristics(space=space, portfolio=own.seeds, resources=resources)


def _limits(joint: Portfolio, epochs: int, recipe: MiningRecipe) -> TrialLimits:
    curve = joint.seeded
    enough = next(count for count, regret in enumerate(curve, 1) if regret <= curve[-1] + recipe.minimal_gain)
    told = "1 trial comes" if enough == 1 else f"{enough} trials come"
    reason = (
        f"{joint.reason}; {told} within {recipe.minimal_gain:g} of the regret after {len(curve)}; "
        f"{epochs} epochs is the fidelity that the trials ran to"
    )
    return TrialLimits(trials=enough, epochs=epochs, reason=reason)


def _figures(joint: Portfolio, recipe: MiningRecipe) -> dict[str, float]:
    found = {}
    for count in (1, 2, 5, 10, 20, 50):
        if count <= recipe.horizon:
            found[f"random.regret@{count}"] = round(float(joint.random[count - 1]), 6)
            found[f"portfolio.regret@{count}"] = round(float(joint.seeded[count - 1]), 6)
    return found


def _provenance(row: Mapping[object, object]) -> DatasetProvenance:
    told = {name: row[name] for name in ("name", "fingerprint", "family", "role", "task", "metric", "rows", "trials", "sketch")}
    ends = {"best_score": row["best"], "reference_score": row["reference"], "reference": row["ends"]}
    return DatasetProvenance.model_validate(told | ends)


def _hash_of(wide: Mapping[str, SearchSpace]) -> str:
    content = {model_type: space.model_dump(mode="json") for model_type, space in wide.items()}
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

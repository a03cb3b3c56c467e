"""Regret of what is mined, on datasets left out, beside other ways of searching, on public tables of trials.

    python -m benchmarks.backtest FOLDER [--table mlp] [--draws 5] [--configurations N] [--unshared] [--noisy] [--trials 50]
        [--permutations 199] [--methods NAME …] [--json FILE]

``FOLDER`` holds the published tables (``mlp_grid.parquet``, ``rnn_text_curves.parquet``, ``sklearn_error_300x219.parquet`` …). Each dataset
is left out in turn (ten groups of datasets when there are more); the others are mined through the public entry points, on
``--configurations`` drawn anew in each of ``--draws``; searches are replayed by look-up. Regret is 0 at the best configuration of the
whole table and 1 at the median one; validation scores choose, test scores judge where a table has them. ``--noisy`` lets searches see one
training seed and judges by the others. Cells are means over datasets; the block below compares ours with each other method, paired by
dataset, with a 95 % bootstrap interval.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from benchmarks.public_trials import TABLES, load_table
from mining import MiningRecipe
from mining.backtesting import BacktestResult, BacktestSettings, Method, backtest, build_finite_table, compare, mean_of, ours, peers

_CHECKPOINTS = (1, 2, 5, 10, 20, 50)
_MARGIN = 0.001
_OURS = "ours"


def main() -> None:
    """Print the table and the comparisons, and one last line."""
    arguments = _arguments()
    began = time.perf_counter()
    public = load_table(arguments.table, arguments.folder, noisy=arguments.noisy)
    table = build_finite_table(public.trials, public.facts, public.wide)
    methods = _methods(arguments.methods)
    settings = BacktestSettings(
        arguments.trials, arguments.draws, arguments.configurations, shared=not arguments.unshared, seed=arguments.seed
    )
    found = backtest(table, methods, settings, MiningRecipe(permutations=arguments.permutations, adaptive_candidates=400))
    checkpoints = [count for count in _CHECKPOINTS if count <= arguments.trials]
    _print_means(found, checkpoints)
    _print_comparisons(found, checkpoints)
    if arguments.json:
        arguments.json.write_text(json.dumps({name: curves.tolist() for name, curves in found.curves.items()}))
    seconds = time.perf_counter() - began
    searches = sum(found.searches.values()) * len(found.datasets)
    print(
        f"{arguments.table}: {len(found.datasets)} datasets, {len(table.configurations)} configurations, {searches} searches "
        f"in {seconds:.0f} s"
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Regret of what is mined, on datasets left out, beside other ways of searching.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--table", choices=sorted(TABLES), default="mlp")
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--configurations", type=int, default=None, help="configurations that the sources have; all when not given")
    parser.add_argument("--unshared", action="store_true", help="each source has configurations of its own")
    parser.add_argument("--noisy", action="store_true")
    parser.add_argument("--trials", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--methods", nargs="*", default=None, help="names of methods; all when not given")
    parser.add_argument("--permutations", type=int, default=199, help="shuffles that a trimming must beat; fewer mine faster")
    parser.add_argument("--json", type=Path, default=None)
    return parser.parse_args()


def _methods(names: list[str] | None) -> list[Method]:
    every = [*peers(), *ours()]
    return every if names is None else [each for each in every if each.name in names]


def _print_means(found: BacktestResult, checkpoints: list[int]) -> None:
    print(f"{'regret after':<22}" + "".join(f"{count:>18}" for count in checkpoints))
    for name, curves in found.curves.items():
        cells = []
        for count in checkpoints:
            mean = mean_of(curves[:, count - 1], found.families, found.settings.seed)
            cells.append(f"{mean.mean:.3f} ({mean.low:.3f}–{mean.high:.3f})")
        print(f"{name:<22}" + "".join(f"{cell:>18}" for cell in cells))


def _print_comparisons(found: BacktestResult, checkpoints: list[int]) -> None:
    if _OURS not in found.curves:
        return
    print(f"\n{'ours less …, paired':<22}" + "".join(f"{count:>34}" for count in checkpoints))
    for name, curves in found.curves.items():
        if name == _OURS:
            continue
        cells = []
        for count in checkpoints:
            each = compare(found.curves[_OURS], curves, found.families, trials=count, margin=_MARGIN, seed=found.settings.seed)
            interval = f"{each.difference.mean:+.3f} ({each.difference.low:+.3f}…{each.difference.high:+.3f})"
            cells.append(f"{interval} {each.wins}/{each.ties}/{each.losses}")
        print(f"{name:<22}" + "".join(f"{cell:>34}" for cell in cells))


if __name__ == "__main__":
    main()

"""Freezing a suite: the ends of each dataset's regret scale, computed once from scikit-learn alone, before anything is mined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Literal

import yaml

from automl import TaskTable
from dataset_catalog import Catalog
from experiments._errors import ExperimentError
from experiments.validating._held_out import load_held_out
from experiments.validating._reference import ReferenceScore, baselines, constant_reference, direction
from experiments.validating._suite import SuiteEntry, SuiteSpec, load_suite

Say = Callable[[str], None]
SIGNIFICANT = 8


def freeze_suite(path: Path, catalog: Catalog, *, say: Say, write: bool = True) -> SuiteSpec:
    """Compute the ends of every dataset of the suite at ``path`` that has none, and write them into the file.

    Ends that stand are left alone: a suite's revision never moves. ``catalog`` holds the datasets; ``say`` hears of each baseline.

    Raises:
        ExperimentError: the file is no suite, a dataset is not held out, or nothing beats the constant predictor on one.

    """
    suite = load_suite(path)
    entries = [entry if entry.frozen else _freeze_entry(entry, suite, catalog, say) for entry in suite.datasets]
    frozen = suite.model_copy(update={"datasets": tuple(entries)})
    if write and suite.unfrozen:
        path.write_text(_as_yaml(frozen, leading_comments(path)), encoding="utf-8")
    return frozen


def ends(
    name: str, table: TaskTable, scores: Sequence[ReferenceScore], constant: ReferenceScore, *, part: Literal["validation", "test"] = "test"
) -> SuiteEntry:
    """Return the frozen entry of one dataset: ``best`` is the best of ``scores``, ``reference`` the constant predictor's.

    All of them are scores on ``part``.

    Raises:
        ExperimentError: none of the scores is better than the constant predictor's.

    """
    more = direction(table) == "maximize"
    best = (max if more else min)(scores, key=lambda each: each.score)
    if best.score == constant.score or (best.score > constant.score) != more:
        raise ExperimentError(f"{name}: no baseline beats the constant predictor ({constant.score:.6g}); regret has no scale on it")
    cap = f"at most {table.row_cap} rows" if table.row_cap is not None else "all rows"
    how = (
        f"{part} part of the split, {cap}; reference: constant predictor fitted on the training part; "
        f"best: the best {part} score of {len(scores)} scikit-learn {version('scikit-learn')} baselines fitted on the training part"
    )
    return SuiteEntry(
        name=name, best=_rounded(best.score), reference=_rounded(constant.score), best_by=best.name, how=how, split_id=table.split_id
    )


def _freeze_entry(entry: SuiteEntry, suite: SuiteSpec, catalog: Catalog, say: Say) -> SuiteEntry:
    table = load_held_out(entry.name, suite, catalog).table
    constant = constant_reference(table)
    say(f"{entry.name}: {constant.name} {constant.score:.5g}")
    scores = []
    for score in baselines(table, seed=suite.split_seed):
        say(f"{entry.name}: {score.name} {score.score:.5g} ({score.seconds:.1f} s)")
        scores.append(score)
    return ends(entry.name, table, scores, constant)


def _rounded(value: float) -> float:
    return float(f"{value:.{SIGNIFICANT}g}")


def leading_comments(path: Path) -> str:
    """Return the comments that a YAML file begins with."""
    lines = path.read_text(encoding="utf-8-sig").splitlines(keepends=True)
    count = next((index for index, line in enumerate(lines) if line.strip() and not line.startswith("#")), len(lines))
    return "".join(lines[:count])


def _as_yaml(suite: SuiteSpec, comments: str) -> str:
    content = suite.model_dump(mode="json", exclude_defaults=True) | {"name": suite.name, "revision": suite.revision}
    ordered = {key: content[key] for key in type(suite).model_fields if key in content}
    return comments + yaml.safe_dump(ordered, sort_keys=False, allow_unicode=True, width=140)

"""Mining adaptive seeds: the model of log-regret that picks further seeds by what a search has seen, where that gains anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from heuristics_db import AdaptiveCandidate, AdaptiveSeeds, Evidence, SearchSpace
from mining._evidence import by_family, folds, interval, p_of_gain
from mining._portfolio import Pool, best_first, family_weights
from mining._recipe import MiningRecipe
from mining._regret import Floats
from mining.policies import LogRegretModel, Variances, distances_between, encoded_points, fit_variances, moments

_OFFSET = 0.02
_AFTER = (2, 3, 5)
_FEWEST_FAMILIES = 3
_MOST_REPLAYED = 40


@dataclass(frozen=True, eq=False)
class _Fitted:
    """Candidates (rows of the pool, in the order of a portfolio) and the parts of their model."""

    rows: tuple[int, ...]
    mean: Floats
    factors: Floats
    distances: Floats


def mine_adaptive(pool: Pool, spaces: Mapping[str, SearchSpace], recipe: MiningRecipe) -> tuple[AdaptiveSeeds | None, str]:
    """Return the adaptive seeds, or ``None``, and why.

    On each family left out, searches of ``recipe.adaptive_horizon`` trials are replayed that follow the other families' portfolio
    throughout, or for some trials and then the model. Adaptive seeds stand where the model's searches come to less regret, in the mean
    over the trials that it picks, and not by chance (paired t test over families). Candidates lie in ``spaces``.
    """
    if recipe.adaptive_candidates == 0:
        return None, "fixed seeds: the recipe asks for no others"
    families = len(set(pool.families))
    if families < _FEWEST_FAMILIES:
        return None, f"fixed seeds: {families} families are too few to learn from how datasets differ"
    inside = [row for row in range(len(pool.regret)) if spaces[pool.model_types[row]].contains(pool.configurations[row])]
    fitted = _fit(pool, inside, spaces, range(len(pool.datasets)), recipe)
    if len(fitted.rows) <= max(_AFTER):
        return None, f"fixed seeds: {len(fitted.rows)} candidates are too few to pick from"
    logs = _logs(pool, fitted.rows, range(len(pool.datasets)))
    variances = fit_variances(logs, family_weights(pool.families), fitted.distances, recipe.seed)
    fixed, adaptive = _replayed(pool, inside, spaces, variances, recipe)
    known = [column for column in range(len(pool.datasets)) if np.isfinite(fixed[column]).all()]
    own = [pool.families[column] for column in known]
    after = min(_AFTER, key=lambda each: round(float(by_family(adaptive[each][known].mean(axis=1).tolist(), own).mean()), 6))
    gains = by_family((adaptive[after] - fixed)[known][:, after:].mean(axis=1).tolist(), own)
    told = f"on families left out, picking by what was seen after seed {after} changes the regret by {gains.mean():+.4f}"
    if gains.mean() >= 0 or p_of_gain(gains) > recipe.adaptive_significance:
        return None, f"fixed seeds: {told} against the portfolio, too little or too unsteadily to tell from chance"
    evidence = Evidence(
        method=f"picking by a Gaussian model of log-regret against the greedy portfolio, mean regret over trials {after + 1} to "
        f"{fixed.shape[1]}, leave-one-family-out",
        trials=pool.trials,
        datasets=pool.datasets,
        effect=round(float(gains.mean()), 6),
        interval=interval(gains, recipe.seed),
    )
    return _document(pool, fitted, variances, after, f"{told} against the portfolio", evidence, recipe), told


def _fit(pool: Pool, inside: Sequence[int], spaces: Mapping[str, SearchSpace], columns: Sequence[int], recipe: MiningRecipe) -> _Fitted:
    own = pool.part(inside, columns)
    rows = [inside[row] for row in best_first(own, recipe.adaptive_candidates)]
    mean, factors = moments(_logs(pool, rows, columns), family_weights(own.families))
    points = encoded_points([(pool.model_types[row], pool.configurations[row]) for row in rows], spaces)
    return _Fitted(tuple(rows), mean, factors, distances_between(points, [pool.model_types[row] for row in rows]))


def _logs(pool: Pool, rows: Sequence[int], columns: Sequence[int]) -> Floats:
    return np.asarray(np.log(np.maximum(pool.regret[np.ix_(rows, columns)], 0.0) + _OFFSET))


def _replayed(
    pool: Pool, inside: Sequence[int], spaces: Mapping[str, SearchSpace], variances: Variances, recipe: MiningRecipe
) -> tuple[Floats, dict[int, Floats]]:
    """Return regrets [dataset, trial] of the portfolio, and of the model after so many seeds; NaN for datasets that were not replayed."""
    shape = (len(pool.datasets), recipe.adaptive_horizon)
    fixed = np.full(shape, np.nan)
    adaptive = {after: np.full(shape, np.nan) for after in _AFTER}
    groups = folds(pool.families)
    for left_out in groups:
        outside = [column for column, family in enumerate(pool.families) if family in left_out]
        others = [column for column, family in enumerate(pool.families) if family not in left_out]
        fitted = _fit(pool, inside, spaces, others, recipe)
        model = LogRegretModel(fitted.mean, fitted.factors, fitted.distances, variances)
        for column in outside[: max(1, _MOST_REPLAYED // len(groups))]:
            losses = pool.regret[list(fitted.rows), column]
            fixed[column] = _curve(losses, list(range(min(shape[1], len(losses)))), shape[1])
            for after in _AFTER:
                adaptive[after][column] = _curve(losses, _picks(model, losses, after, shape[1]), shape[1])
    return fixed, adaptive


def _picks(model: LogRegretModel, losses: Floats, after: int, trials: int) -> list[int]:
    tried = list(range(min(after, len(losses))))
    while len(tried) < trials and (row := model.next(tried, losses[tried].tolist())) is not None:
        tried.append(row)
    return tried


def _curve(losses: Floats, tried: Sequence[int], trials: int) -> Floats:
    found = np.minimum.accumulate(losses[list(tried)])[:trials]
    return np.concatenate([found, np.full(trials - len(found), found[-1])])


def _document(
    pool: Pool, fitted: _Fitted, variances: Variances, after: int, reason: str, evidence: Evidence, recipe: MiningRecipe
) -> AdaptiveSeeds:
    candidates = tuple(
        AdaptiveCandidate(
            model_type=pool.model_types[row],
            configuration=dict(pool.configurations[row]),
            mean=round(float(fitted.mean[place]), 4),
            factors=tuple(np.round(fitted.factors[place], 4).tolist()),
        )
        for place, row in enumerate(fitted.rows)
    )
    return AdaptiveSeeds(
        candidates=candidates,
        offset=_OFFSET,
        factor_variance=variances.factor,
        kernel_variance=variances.kernel,
        kernel_length=variances.length,
        noise=variances.noise,
        after=after,
        until=recipe.adaptive_until,
        reason=reason,
        evidence=evidence,
    )

"""Fitting when a search should give up a trial, from curves that were never stopped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from heuristics_db import EarlyStoppingPolicy, Evidence
from mining.policies._halving import Curve, simulate

_FACTORS = (2.0, 3.0, 4.0)
_MINIMAL_FAMILIES = 3
_MINIMAL_SAVING = 0.1


@dataclass(frozen=True)
class _Replay:
    """Of one policy on one dataset: the share of epochs used, and the normalised regret lost to stopping."""

    family: str
    epochs: float
    loss: float


def fit_early_stopping(
    curves: Sequence[Curve],
    *,
    scales: Mapping[str, float],
    max_epochs: int,
    tolerance: float = 0.01,
    trials: int = 20,
    orders: int = 10,
    seed: int = 0,
) -> EarlyStoppingPolicy:
    """Find the policy of asynchronous successive halving that trains the fewest epochs at a tolerable loss.

    Each policy is replayed on searches of ``trials`` curves of one dataset: leads first, the others in ``orders`` shuffled orders. The
    choice may cost half of ``tolerance`` on the families that it is made on; what it costs is then measured on families that the choice
    has not seen (leave-one-family-out). Nothing is stopped when that
    cost is above ``tolerance``, when fewer than a tenth of the epochs are saved, or when there are fewer than three families.

    Args:
        curves: unstopped trials, of any datasets.
        scales: dataset to ``abs(reference - best)``: the width of one unit of normalised regret. Curves of other datasets don't count.
        max_epochs: full fidelity.
        tolerance: normalised regret that saved epochs may cost, in the mean over families.
        trials: trials of a search.
        orders: shuffles a dataset.
        seed: of the shuffles.

    """
    by_dataset: dict[str, list[Curve]] = {}
    for curve in sorted((each for each in curves if each.dataset in scales), key=lambda each: (each.dataset, str(each.scores))):
        by_dataset.setdefault(curve.dataset, []).append(curve)
    by_dataset = {name: group for name, group in by_dataset.items() if len(group) > 1}
    families = sorted({group[0].family for group in by_dataset.values()})
    candidates = _candidates(max_epochs)
    if len(families) < _MINIMAL_FAMILIES or not candidates:
        why = f"curves of {len(families)} families" if candidates else f"trials of {max_epochs} epochs"
        return _never(max_epochs, f"{why} are too few to learn from: nothing is stopped", None)
    searches = {name: _searches(group, trials, orders, seed) for name, group in by_dataset.items()}
    replays = [[_replay(policy, searches[name], scales[name]) for name in searches] for policy in candidates]
    choice = _cheapest(replays, families, tolerance)
    held_out = [_held_out(replays, families, family, tolerance) for family in families]
    epochs, loss = (float(np.mean(column)) for column in zip(*held_out, strict=True))
    evidence = Evidence(
        method=f"asynchronous successive halving replayed, {orders} orders a dataset, leave-one-family-out",
        trials=sum(len(group) for group in by_dataset.values()),
        datasets=tuple(by_dataset),
        effect=round(loss, 6),
        interval=_interval([each[1] for each in held_out], seed),
        note=f"{epochs:.0%} of the epochs used on families left out",
    )
    if choice is None or epochs > 1 - _MINIMAL_SAVING or loss > tolerance:
        told = f"on families left out the cheapest tolerable stopping used {epochs:.0%} of the epochs and lost {loss:.4f} of regret"
        return _never(max_epochs, f"{told} (tolerance {tolerance:g}): nothing is stopped", evidence)
    policy = candidates[choice]
    reason = f"uses {epochs:.0%} of the epochs for {loss:+.4f} of regret on families left out (tolerance {tolerance:g})"
    return policy.model_copy(update={"reason": reason, "evidence": evidence})


def _never(max_epochs: int, reason: str, evidence: Evidence | None) -> EarlyStoppingPolicy:
    return EarlyStoppingPolicy(grace_period=max_epochs, reduction_factor=None, max_epochs=max_epochs, reason=reason, evidence=evidence)


def _candidates(max_epochs: int) -> list[EarlyStoppingPolicy]:
    graces = sorted({1, 2, 3, *(round(max_epochs * share) for share in (0.1, 0.2, 0.3, 0.5, 0.7))})
    return [
        EarlyStoppingPolicy(grace_period=grace, reduction_factor=factor, max_epochs=max_epochs)
        for grace in graces
        for factor in _FACTORS
        if 1 <= grace < max_epochs
    ]


def _searches(curves: Sequence[Curve], trials: int, orders: int, seed: int) -> list[list[Curve]]:
    leads = sorted((each for each in curves if each.lead is not None), key=lambda each: each.lead or 0)
    others = [each for each in curves if each.lead is None]
    generator = np.random.default_rng(seed)
    return [[*leads, *(others[index] for index in generator.permutation(len(others)))][:trials] for _ in range(orders)]


def _replay(policy: EarlyStoppingPolicy, searches: Sequence[Sequence[Curve]], scale: float) -> _Replay:
    never = _never(policy.max_epochs, "", None)
    epochs, losses = [], []
    for search in searches:
        stopped, full = simulate(policy, search), simulate(never, search)
        epochs.append(stopped.epochs / max(full.epochs, 1))
        lost = 1.0 if stopped.best is None else abs((full.best or 0.0) - stopped.best) / scale
        losses.append(0.0 if full.best is None else lost)
    return _Replay(searches[0][0].family, float(np.mean(epochs)), float(np.mean(losses)))


def _means(replays: Sequence[_Replay], families: Sequence[str]) -> tuple[float, float]:
    by_family = [[each for each in replays if each.family == family] for family in families]
    epochs = np.mean([np.mean([each.epochs for each in group]) for group in by_family])
    return float(epochs), float(np.mean([np.mean([each.loss for each in group]) for group in by_family]))


def _cheapest(replays: Sequence[Sequence[_Replay]], families: Sequence[str], tolerance: float) -> int | None:
    means = [_means(each, families) for each in replays]
    tolerable = [index for index, (_, loss) in enumerate(means) if loss <= tolerance / 2]
    return min(tolerable, key=lambda index: (means[index][0], index), default=None)


def _held_out(replays: Sequence[Sequence[_Replay]], families: Sequence[str], family: str, tolerance: float) -> tuple[float, float]:
    choice = _cheapest(replays, [each for each in families if each != family], tolerance)
    return (1.0, 0.0) if choice is None else _means(replays[choice], [family])


def _interval(values: Sequence[float], seed: int) -> tuple[float, float]:
    drawn = np.random.default_rng(seed).choice(np.asarray(values), size=(2000, len(values)))
    low, high = np.quantile(drawn.mean(axis=1), [0.025, 0.975])
    return round(float(low), 6), round(float(high), 6)

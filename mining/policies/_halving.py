"""Asynchronous successive halving, replayed on curves that were recorded to the end."""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence
from dataclasses import dataclass

from heuristics_db import EarlyStoppingPolicy
from mining.policies._history import Direction


@dataclass(frozen=True)
class Curve:
    """The validation scores of one unstopped trial, one an epoch (``None``: not finite).

    ``lead`` is the trial's place in the portfolio when it is a seed, which a search runs before anything else.
    """

    dataset: str
    family: str
    scores: tuple[float | None, ...]
    direction: Direction
    lead: int | None = None


@dataclass(frozen=True)
class StoppedSearch:
    """What a search would have come to: the epochs that it trained, and the best score that it saw (``None``: none)."""

    epochs: int
    best: float | None


def rungs(policy: EarlyStoppingPolicy) -> list[int]:
    """Return the epochs after which ``policy`` may stop a trial, ascending; none when it stops nothing."""
    if policy.reduction_factor is None or policy.grace_period >= policy.max_epochs:
        return []
    found, factor = [], policy.reduction_factor
    # Ray's AsyncHyperBandScheduler counts its rungs in this way; the tiny addition keeps log(8)/log(2) at 3
    count = int(math.log(policy.max_epochs / policy.grace_period) / math.log(factor) + 1e-9) + 1
    for power in range(count):
        epoch = math.ceil(policy.grace_period * factor**power - 1e-9)
        if epoch < policy.max_epochs:
            found.append(epoch)
    return found


class Rungs:
    """What the trials of one dataset reached at each rung, and which of them go on.

    At a rung, a trial stops when it is worse than the best ``1 / reduction_factor`` of those that came there before.
    """

    def __init__(self, policy: EarlyStoppingPolicy) -> None:
        self._policy = policy
        self._recorded: dict[int, list[float]] = {epoch: [] for epoch in rungs(policy)}

    def goes_on(self, epoch: int, reward: float) -> bool:
        """Take note of a trial's ``reward`` (more is better) after ``epoch``, and say whether it goes on."""
        recorded = self._recorded.get(epoch)
        if recorded is None:
            return True
        stop = bool(recorded) and reward < _upper(recorded, 1 / self._policy.reduction_factor)  # type: ignore[operator]
        bisect.insort(recorded, reward)
        return not stop


def simulate(policy: EarlyStoppingPolicy, curves: Sequence[Curve]) -> StoppedSearch:
    """Run the trials of one dataset one after another, in their order, under ``policy``, as the search's scheduler would.

    At each rung a trial stops when its score is worse than the best ``1 / reduction_factor`` of the scores recorded there before.
    """
    board = Rungs(policy)
    epochs, best = 0, -math.inf
    for curve in curves:
        sign = 1.0 if curve.direction == "maximize" else -1.0
        for epoch, score in enumerate(curve.scores[: policy.max_epochs], 1):
            epochs += 1
            reward = -math.inf if score is None or not math.isfinite(score) else sign * score
            best = max(best, reward)
            if not board.goes_on(epoch, reward):
                break
    if not math.isfinite(best):
        return StoppedSearch(epochs, None)
    return StoppedSearch(epochs, best if curves[0].direction == "maximize" else -best)


def _upper(ascending: Sequence[float], share: float) -> float:
    """Return the value that only ``share`` of the values exceed, between two of them by straight line."""
    place = (1 - share) * (len(ascending) - 1)
    below = ascending[int(place)]
    above = ascending[min(int(place) + 1, len(ascending) - 1)]
    return above if not math.isfinite(below) else below + (place - int(place)) * (above - below)

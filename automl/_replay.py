"""A trial that was run before, told again epoch by epoch: a search hears what it would hear from a worker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from automl._trial import EpochReport, TrialResult


class Replay:
    """What the results of one trial answer. Each was run to its end, or stopped early after some of the same epochs.

    ``whole`` is the result of the trial that nobody stopped, when there is one.
    """

    def __init__(self, results: Sequence[TrialResult] = ()) -> None:
        self._results = tuple(results)
        self.whole = next((each for each in results if each.status != "stopped_early"), None)
        longest = self.whole or max(results, key=lambda each: len(each.curve), default=None)
        self._curve = () if longest is None else longest.curve

    def report(self, place: int) -> EpochReport | None:
        """Return the report at ``place`` (0 is the first), or ``None`` when nothing that was run goes so far."""
        return self._curve[place] if place < len(self._curve) else None

    def stopped(self, epochs: int) -> TrialResult | None:
        """Return what the trial comes to when it is given up after ``epochs`` reports, or ``None`` when only running it can tell.

        A result of more epochs tells it when its best epoch is among the first ``epochs``: the test part was scored with those weights.
        A trial that broke right after these epochs does not: whether it would have been given up before is not known.
        """
        for each in self._results:
            if len(each.curve) == epochs and each.status in ("stopped_early", "completed"):
                return each
        longer = (each for each in self._results if len(each.curve) > epochs > 0 and _best(each) < epochs)
        return next((_cut(each, epochs) for each in longer), None)


def _best(result: TrialResult) -> int:
    """Return the place of the best report (the first of equals); 0 when none has a score."""
    sign = 1.0 if result.direction == "maximize" else -1.0
    scores = [(sign * each.score, -place) for place, each in enumerate(result.curve) if each.score is not None]
    return -max(scores)[1] if scores else 0


def _cut(result: TrialResult, epochs: int) -> TrialResult:
    curve = result.curve[:epochs]
    unused = max(result.train_seconds - curve[-1].seconds, 0.0)
    return replace(
        result,
        status="stopped_early",
        curve=curve,
        train_seconds=curve[-1].seconds,
        wall_seconds=max(result.wall_seconds - unused, 0.0),
        error=None,
    )

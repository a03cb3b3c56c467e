"""What a sweep will take: hours and memory, from the trials that the journal holds, or else from a prior that says that it is one."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from experiments.sweeping._plan import PlannedDataset, SweepManifest
from mining import TrialRecord

_ENOUGH = 5
_PRIOR_SECONDS = {"concat": 2.4e-4, "tabnet": 7e-4, "tabtransformer": 1.5e-3, "ft_transformer": 2.7e-3}
"""Mean seconds a row and epoch, over the wide spaces, of one processor of 2026 (``lode demo`` and a sweep of its datasets)."""
_PRIOR_OVERHEAD_SECONDS = 0.25
_PRIOR_BYTES = 1_400_000_000


@dataclass(frozen=True)
class Expected:
    """What is expected of a model type on a dataset. ``seconds`` and ``peak_bytes`` are a trial's; ``source`` says how they are known."""

    dataset: str
    model_type: str
    trials: int
    done: int
    seconds: float
    peak_bytes: int
    source: str

    @property
    def seconds_left(self) -> float:
        """Seconds of work that are left, for one worker."""
        return (self.trials - self.done) * self.seconds


@dataclass(frozen=True)
class Forecast:
    """What is expected of a sweep on ``parallel`` workers. ``peak_bytes`` is what all workers hold together."""

    rows: tuple[Expected, ...]
    parallel: int
    hours: float
    peak_bytes: int
    dollars: float | None


@dataclass(frozen=True)
class _Known:
    pace: float
    overhead: float
    peak_bytes: int
    source: str


def forecast(manifest: SweepManifest, records: Iterable[TrialRecord], done: Collection[str], *, parallel: int | None = None) -> Forecast:
    """Return what the trials of ``manifest`` will take that are not among ``done``, judged by ``records`` (any sweep's).

    A dataset's own trials of the model type come first, then the model type's on other datasets, then a prior. Means, not medians: hours
    are sums. ``parallel`` takes the place of the file's number of trials at a time.
    """
    finished = [each for each in records if each.status == "completed" and each.epochs_run > 0 and each.rows > 0]
    limits, epochs = manifest.spec.limits, manifest.spec.epochs
    rows = []
    for dataset in manifest.datasets:
        for model_type in dict.fromkeys(each.model_type for each in manifest.trials if each.dataset == dataset.name):
            ids = [each.trial_id for each in manifest.trials if (each.dataset, each.model_type) == (dataset.name, model_type)]
            known = _known(finished, dataset, model_type)
            training = known.pace * dataset.rows * epochs
            seconds = min(training, limits.trial_seconds or training) + known.overhead
            peak = min(known.peak_bytes, limits.trial_memory or known.peak_bytes)
            rows.append(Expected(dataset.name, model_type, len(ids), sum(each in done for each in ids), seconds, peak, known.source))
    parallel = parallel or limits.parallel or os.cpu_count() or 1
    hours = sum(each.seconds_left for each in rows) / parallel / 3600
    price = manifest.spec.budget.dollars_per_hour
    peak = parallel * max((each.peak_bytes for each in rows), default=0)
    return Forecast(tuple(rows), parallel, hours, peak, hours * price if price else None)


def _known(finished: list[TrialRecord], dataset: PlannedDataset, model_type: str) -> _Known:
    alike = [each for each in finished if each.model_type == model_type]
    own = [each for each in alike if each.dataset == dataset.name]
    chosen, of = (own, f"on {dataset.name}") if len(own) >= _ENOUGH else (alike, "on other datasets")
    if len(chosen) < _ENOUGH:
        pace = _PRIOR_SECONDS.get(model_type, max(_PRIOR_SECONDS.values()))
        return _Known(pace, _PRIOR_OVERHEAD_SECONDS, _PRIOR_BYTES, "a prior: one processor, no trial of it journaled yet")
    pace = sum(each.train_seconds / (each.rows * each.epochs_run) for each in chosen) / len(chosen)
    overhead = sum(max(each.wall_seconds - each.train_seconds, 0.0) for each in chosen) / len(chosen)
    return _Known(pace, overhead, max(each.peak_memory_bytes for each in chosen), f"{len(chosen)} {model_type} trials {of}")

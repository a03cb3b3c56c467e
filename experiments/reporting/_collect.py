"""From trials and a heuristics document to the plain values of a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from experiments.reporting._data import HyperparameterFacts, Interval, MinedFacts, Overhead, SeedFacts, SweptDataset, TrialDot
from experiments.reporting._ends import ends_of
from heuristics_db import (
    CategoricalDomain,
    DatasetProvenance,
    EarlyStoppingPolicy,
    HeuristicsDocument,
    Hyperparameter,
    Modality,
    Scalar,
    SearchSpace,
)
from mining import FAILURES, TrialRecord, normalised_regret


def swept_datasets(records: Sequence[TrialRecord], mined_from: Sequence[DatasetProvenance] = ()) -> tuple[SweptDataset, ...]:
    """Sum up the trials of each dataset, in the order of the datasets' names.

    ``mined_from`` is the provenance of the version that was mined from these trials: it holds the ends that the miner used.
    """
    return tuple(_dataset(each, mined_from) for each in _by_dataset(records))


def trial_dots(records: Sequence[TrialRecord], mined_from: Sequence[DatasetProvenance] = ()) -> tuple[TrialDot, ...]:
    """Tell each trial's normalised regret by validation score, as the miner does; a failed trial has none."""
    dots = []
    for trials in _by_dataset(records):
        ends = ends_of(trials, mined_from)
        for record in trials:
            regret = None
            if ends is not None and record.validation_score is not None and record.status not in FAILURES:
                regret = float(normalised_regret(record.validation_score, ends.best, ends.reference, record.direction))
            dots.append(TrialDot(record.dataset, record.model_type, record.status, regret, record.train_seconds))
    return tuple(dots)


def overhead(records: Iterable[TrialRecord]) -> Overhead:
    """Add up what the trials took, as their workers measured it: from request to answer, training, and preparation of tables."""
    known = list(records)
    return Overhead(
        trials=len(known),
        wall=sum(each.wall_seconds for each in known),
        train=sum(each.train_seconds for each in known),
        prepare=sum(each.prepare_seconds for each in known),
    )


def mined_facts(
    document: HeuristicsDocument, *, version: str, state: str, wide: Mapping[str, SearchSpace], modality: Modality = "tabular"
) -> MinedFacts:
    """Put a document's choices for one modality into words and numbers, beside the wide spaces that it was mined from."""
    found = document.modalities[modality]
    provenance = document.provenance
    return MinedFacts(
        version=version,
        state=state,
        trial_set=provenance.trial_set_hash,
        trials=provenance.trials,
        failed_trials=provenance.failed_trials,
        model_order=tuple((name, found.model_choice.regret.get(name)) for name in found.model_choice.order),
        model_reason=found.model_choice.reason,
        early_stopping=_policy_words(found.early_stopping),
        early_stopping_reason=found.early_stopping.reason,
        limits=f"{found.limits.trials} trial{'' if found.limits.trials == 1 else 's'} of at most {found.limits.epochs} epochs",
        limits_reason=found.limits.reason,
        hyperparameters=tuple(
            row for name, each in found.model_types.items() for row in _space_rows(each.space, wide.get(name, each.space))
        ),
        portfolio=tuple(
            SeedFacts(
                position=position,
                model_type=seed.model_type,
                configuration=tuple((name, _value(value)) for name, value in seed.configuration.items()),
                best_on=seed.best_on,
            )
            for position, seed in enumerate(found.portfolio, start=1)
        ),
        recipe=tuple((name, str(value)) for name, value in sorted(provenance.recipe.items())),
        backtest=tuple(sorted(provenance.backtest.items())),
        tasks=tuple(sorted(found.tasks)),
    )


def _by_dataset(records: Sequence[TrialRecord]) -> list[list[TrialRecord]]:
    return [[each for each in records if each.dataset == name] for name in sorted({each.dataset for each in records})]


def _dataset(records: Sequence[TrialRecord], mined_from: Sequence[DatasetProvenance]) -> SweptDataset:
    first = records[0]
    scores = [each.validation_score for each in records if each.status not in FAILURES and each.validation_score is not None]
    best = max if first.direction == "maximize" else min
    ends = ends_of(records, mined_from)
    return SweptDataset(
        name=first.dataset,
        task=first.task,
        metric=first.metric,
        family=first.family,
        rows=first.rows,
        row_cap=first.row_cap,
        trials=len(records),
        statuses=tuple(sorted(Counter(each.status for each in records).items())),
        best=best(scores) if scores else None,
        best_known=ends.best if ends is not None else None,
        reference=ends.reference if ends is not None else None,
        ends=ends.told if ends is not None else "",
        direction=first.direction,
        train_seconds=sum(each.train_seconds for each in records),
    )


def _space_rows(mined: SearchSpace, wide: SearchSpace) -> list[HyperparameterFacts]:
    widest = {each.name: each for each in wide.hyperparameters}
    return [
        HyperparameterFacts(
            model_type=mined.model_type,
            name=each.name,
            wide=_interval(widest.get(each.name, each)),
            mined=_interval(each),
            importance=each.importance,
            reason=each.reason,
        )
        for each in mined.hyperparameters
    ]


def _interval(hyperparameter: Hyperparameter) -> Interval:
    domain = hyperparameter.domain
    fixed = None if hyperparameter.searched else _value(hyperparameter.fixed)
    if isinstance(domain, CategoricalDomain):
        return Interval(choices=tuple(_value(choice) for choice in domain.choices), fixed=fixed)
    low, high = float(domain.low), float(domain.high)
    if not hyperparameter.searched and isinstance(hyperparameter.fixed, int | float):
        low = high = float(hyperparameter.fixed)
    return Interval(low=low, high=high, log=domain.log, fixed=fixed)


def _policy_words(policy: EarlyStoppingPolicy) -> str:
    if policy.reduction_factor is None:
        return f"none: every trial runs its {policy.max_epochs} epochs"
    epochs = f"{policy.grace_period} epoch{'s' if policy.grace_period > 1 else ''} at least, {policy.max_epochs} at most"
    return f"asynchronous halving: {epochs}, one in {policy.reduction_factor:g} goes on"


def _value(value: Scalar) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)

"""From trials and a heuristics document to the plain values of a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import median

from experiments.reporting._data import DatasetFacts, HyperparameterFacts, Interval, MinedFacts, Overhead, SeedFacts, TrialDot
from heuristics_db import CategoricalDomain, EarlyStoppingPolicy, HeuristicsDocument, Hyperparameter, Modality, Scalar, SearchSpace
from mining import TrialRecord

ANSWERED = frozenset({"completed", "stopped_early"})


def dataset_facts(records: Sequence[TrialRecord]) -> tuple[DatasetFacts, ...]:
    """Sum up the trials of each dataset, in the order of the datasets' names."""
    return tuple(_dataset(name, [each for each in records if each.dataset == name]) for name in sorted({each.dataset for each in records}))


def trial_dots(records: Sequence[TrialRecord]) -> tuple[TrialDot, ...]:
    """Place each trial between the best trial of its dataset (0) and the median one (1), by validation score."""
    dots = []
    for facts in dataset_facts(records):
        for record in records:
            if record.dataset == facts.name:
                regret = _between(record.validation_score, facts.best, facts.median)
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
        limits=f"{found.limits.trials} trials of at most {found.limits.epochs} epochs",
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


def _dataset(name: str, records: Sequence[TrialRecord]) -> DatasetFacts:
    first = records[0]
    scores = [each.validation_score for each in records if each.status in ANSWERED and each.validation_score is not None]
    best = max if first.direction == "maximize" else min
    return DatasetFacts(
        name=name,
        task=first.task,
        metric=first.metric,
        family=first.family,
        rows=first.rows,
        row_cap=first.row_cap,
        trials=len(records),
        statuses=tuple(sorted(Counter(each.status for each in records).items())),
        best=best(scores) if scores else None,
        median=median(scores) if scores else None,
        direction=first.direction,
        train_seconds=sum(each.train_seconds for each in records),
    )


def _between(score: float | None, best: float | None, reference: float | None) -> float | None:
    if score is None or best is None or reference is None or best == reference:
        return None
    return (score - best) / (reference - best)


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

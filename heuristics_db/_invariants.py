"""The invariants that every heuristics document keeps, checked on each write and each read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from heuristics_db._adaptive import AdaptiveCandidate
from heuristics_db._document import HeuristicsDocument, ModalityHeuristics
from heuristics_db._errors import InvariantError
from heuristics_db._places import figure, one_line, shortened
from heuristics_db._spaces import SeedConfiguration

REQUIRED_VERSIONS = ("ludwig", "torch", "motherlode")


def broken_invariants(document: HeuristicsDocument, *, held_out_fingerprints: Collection[str] = ()) -> list[str]:
    """Return one line for each broken invariant, which begins with the place; empty when all hold.

    The place is written as in ``tabular.tabnet.portfolio[3].trainer.learning_rate: 0.02 outside [2e-5, 0.001]``.
    Each seed lies in its space; each fixed value lies in its domain; the model choice and the portfolios name only model types that the
    document describes, and all of this for each task with heuristics of its own; the versions of Ludwig, torch and this project are there;
    no dataset of the provenance is held out.
    """
    found: list[str] = []
    for name, heuristics in document.modalities.items():
        found += _modality_faults(name, heuristics)
        for task in heuristics.tasks:  # its own parts must fit the pooled ones that it keeps; what is wrong with those was said
            found += [
                fault for fault in _modality_faults(f"{name}.{task}", heuristics.for_task(task)) if _own(fault, name, task) not in found
            ]
    versions = document.provenance.versions
    found += [f"provenance.versions.{name}: missing" for name in REQUIRED_VERSIONS if not versions.get(name)]
    for position, dataset in enumerate(document.provenance.datasets):
        if dataset.role == "held_out" or dataset.fingerprint in held_out_fingerprints:
            found.append(f"provenance.datasets[{position}]: {dataset.name} is a held-out dataset, nothing may be mined from it")
    return [shortened(one_line(fault)) for fault in found]


def check_invariants(document: HeuristicsDocument, *, held_out_fingerprints: Collection[str] = ()) -> None:
    """Raise when ``document`` breaks an invariant (see `broken_invariants`).

    Raises:
        InvariantError: one line with the first broken invariant and how many there are.

    """
    found = broken_invariants(document, held_out_fingerprints=held_out_fingerprints)
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise InvariantError(f"the heuristics document breaks an invariant: {found[0]}{more}")


def _own(fault: str, name: str, task: str) -> str:
    return fault.replace(f"{name}.{task}", name, 1)


def _modality_faults(name: str, heuristics: ModalityHeuristics) -> Iterator[str]:
    order = heuristics.model_choice.order
    for position, model_type in enumerate(order):
        if model_type in order[:position]:
            yield f"{name}.model_choice.order[{position}]: {model_type} is named twice"
        if model_type not in heuristics.model_types:
            yield f"{name}.model_choice.order[{position}]: {model_type} has no search space"
    for model_type, described in heuristics.model_types.items():
        place = f"{name}.{model_type}"
        if described.space.model_type != model_type:
            yield f"{place}.space.model_type: {described.space.model_type}, not {model_type}"
        for hyperparameter in described.space.hyperparameters:
            if not hyperparameter.searched and not hyperparameter.domain.contains(hyperparameter.fixed):
                yield f"{place}.{hyperparameter.name}: the fixed value {figure(hyperparameter.fixed)} lies outside its domain"
        yield from _portfolio_faults(f"{place}.portfolio", described.portfolio, heuristics, {model_type})
    yield from _portfolio_faults(f"{name}.portfolio", heuristics.portfolio, heuristics, set(heuristics.model_types))
    if heuristics.adaptive is not None:
        yield from _portfolio_faults(f"{name}.adaptive", heuristics.adaptive.candidates, heuristics, set(heuristics.model_types))


def _portfolio_faults(
    place: str, portfolio: Sequence[SeedConfiguration | AdaptiveCandidate], heuristics: ModalityHeuristics, allowed: set[str]
) -> Iterator[str]:
    for position, seed in enumerate(portfolio):
        described = heuristics.model_types.get(seed.model_type)
        if described is None or seed.model_type not in allowed:
            yield f"{place}[{position}].model_type: {seed.model_type}, not one of {', '.join(sorted(allowed))}"
            continue
        for misfit in described.space.misfits(seed.configuration):
            yield f"{place}[{position}].{misfit}"

"""Optuna: a journal file (``JournalStorage``) with one study a model type, its seeds enqueued, its distributions in the user attributes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from heuristics_db._errors import HeuristicsError
from heuristics_db._places import figure
from heuristics_db._spaces import CategoricalDomain, Domain, IntDomain
from heuristics_db.exporting._source import Export, Source, lost, searched, settled

# Optuna's codes for the operations of a journal, the direction of a study and the state of a trial.
CREATE_STUDY, SET_STUDY_USER_ATTR, CREATE_TRIAL = 0, 2, 4
MINIMIZE, WAITING = 1, 4
WORKER = "motherlode"
LARGEST_INT = 2**53
"""Optuna keeps whole numbers as floats: larger ones would come back changed."""


def optuna_export(source: Source) -> Export:
    """Return the journal. Studies minimise; their names are such as ``tabular.concat``, best model type first."""
    lines: list[str] = []
    notes: list[str] = []
    for number, model_type in enumerate(source.ordered):
        space = source.heuristics.model_types[model_type].space
        notes += lost(f"{source.place}.{model_type}", space, conditions=False)
        lines += [json.dumps({**each, "worker_id": WORKER}, ensure_ascii=False) for each in _study(source, model_type, number)]
    return Export(files={"heuristics_for_optuna.log": ("\n".join(lines) + "\n").encode()}, notes=tuple(notes))


def _study(source: Source, model_type: str, number: int) -> Iterator[dict[str, Any]]:
    heuristics = source.heuristics
    space = heuristics.model_types[model_type].space
    yield {"op_code": CREATE_STUDY, "study_name": f"{source.place}.{model_type}", "directions": [MINIMIZE]}
    free = searched(space)
    attributes: dict[str, Any] = {
        "heuristics_version": source.version,
        "model_type": model_type,
        "distributions": {each.name: _distribution(each.name, each.domain) for each in free},
        "conditions": {each.name: [each.condition.parent, list(each.condition.values)] for each in free if each.condition},
        "fixed": settled(space),
        "limits": {"trials": heuristics.limits.trials, "epochs": heuristics.limits.epochs},
    }
    for name, value in attributes.items():
        yield {"op_code": SET_STUDY_USER_ATTR, "study_id": number, "user_attr": {name: value}}
    names = {each.name for each in free}
    for seed in source.seeds(model_type):
        yield {
            "op_code": CREATE_TRIAL,
            "study_id": number,
            "datetime_start": None,
            "state": WAITING,
            "value": None,
            "values": None,
            "distributions": {},
            "params": {},
            "user_attrs": {"best_on": list(seed.best_on)},
            "system_attrs": {"fixed_params": {name: value for name, value in seed.configuration.items() if name in names}},
            "intermediate_values": {},
        }


def _distribution(name: str, domain: Domain) -> str:
    """Return a distribution as Optuna's own ``distribution_to_json`` writes it."""
    if isinstance(domain, CategoricalDomain):
        return json.dumps({"name": "CategoricalDistribution", "attributes": {"choices": list(domain.choices)}})
    attributes = {"low": domain.low, "high": domain.high, "log": domain.log}
    if isinstance(domain, IntDomain):
        if max(abs(domain.low), abs(domain.high)) > LARGEST_INT:
            raise HeuristicsError(f"{name}: {figure(domain.low)} … {figure(domain.high)} is too large a range for Optuna")
        return json.dumps({"name": "IntDistribution", "attributes": {**attributes, "step": 1}})
    return json.dumps({"name": "FloatDistribution", "attributes": {**attributes, "step": None}})

"""A document whose spaces have every kind of part, with seeds that can really be trained."""

from __future__ import annotations

import json
from typing import Any

import pytest

from heuristics_db import HeuristicsDocument, check_invariants, read_document
from tests.heuristics_db.conftest import plain_document

VERSION = "ab" * 32


def hyperparameter(name: str, kind: str, *ends: Any, **more: Any) -> dict[str, Any]:
    domain = {"kind": kind, "choices": list(ends)} if kind == "categorical" else {"kind": kind, "low": ends[0], "high": ends[1]}
    domain |= {"log": more.pop("log")} if "log" in more else {}
    return {"name": name, "domain": domain, **more}


SHARED = [
    hyperparameter("trainer.learning_rate", "float", 1e-3, 5e-2, log=True),
    hyperparameter("trainer.batch_size", "categorical", 64, 128),
    hyperparameter("trainer.optimizer.type", "categorical", "adamw", searched=False, fixed="adamw"),
    hyperparameter("trainer.optimizer.weight_decay", "float", 1e-6, 1e-2, log=True),
]
SPACES = {
    "concat": [
        hyperparameter("combiner.num_fc_layers", "int", 1, 3),
        hyperparameter("combiner.residual", "categorical", False, True, condition={"parent": "combiner.num_fc_layers", "values": [2, 3]}),
        hyperparameter("combiner.output_size", "int", 16, 64, log=True),
        hyperparameter("combiner.dropout", "float", 0.0, 0.5),
        hyperparameter("combiner.activation", "categorical", "relu", "elu", weights=[3, 1]),
        hyperparameter("combiner.norm", "categorical", None, "batch", "layer"),
        *SHARED,
    ],
    "tabnet": [
        hyperparameter("combiner.size", "categorical", 8, 16),
        hyperparameter("combiner.num_steps", "int", 2, 3),
        hyperparameter("combiner.bn_virtual_bs", "categorical", None, 128),
        hyperparameter("combiner.relaxation_factor", "float", 1.5, 1.5),
        *SHARED,
    ],
    "ft_transformer": [
        hyperparameter("combiner.hidden_size", "categorical", 16, 32),
        hyperparameter("combiner.num_heads", "categorical", 1, 2),
        hyperparameter("combiner.num_layers", "int", 1, 2),
        *SHARED,
    ],
}
TRAINER = {"trainer.optimizer.type": "adamw", "trainer.optimizer.weight_decay": 1e-4, "trainer.batch_size": 64}
SEEDS = {
    "concat": [
        {
            "combiner.num_fc_layers": 1,
            "combiner.output_size": 32,
            "combiner.dropout": 0.25,
            "combiner.activation": "elu",
            "combiner.norm": "batch",
        },
        {
            "combiner.num_fc_layers": 2,
            "combiner.residual": True,
            "combiner.output_size": 17,
            "combiner.dropout": 0.0,
            "combiner.activation": "relu",
            "combiner.norm": None,
        },
    ],
    "tabnet": [
        {"combiner.size": 16, "combiner.num_steps": 3, "combiner.bn_virtual_bs": 128, "combiner.relaxation_factor": 1.5},
        {"combiner.size": 8, "combiner.num_steps": 2, "combiner.bn_virtual_bs": None, "combiner.relaxation_factor": 1.5},
    ],
    "ft_transformer": [{"combiner.hidden_size": 16, "combiner.num_heads": 2, "combiner.num_layers": 1}],
}
RATES = {"concat": [0.004, 0.0123], "tabnet": [0.02, 0.03], "ft_transformer": [0.001]}


def seeds_of(model_type: str) -> list[dict[str, Any]]:
    """The full configurations of one model type's portfolio."""
    return [seed | TRAINER | {"trainer.learning_rate": rate} for seed, rate in zip(SEEDS[model_type], RATES[model_type], strict=True)]


@pytest.fixture
def document() -> HeuristicsDocument:
    """Three model types, tabnet first in the model choice."""
    data = plain_document()
    portfolios = {name: [{"model_type": name, "configuration": each, "best_on": ["wine"]} for each in seeds_of(name)] for name in SPACES}
    data["modalities"]["tabular"] |= {
        "model_types": {
            name: {"space": {"model_type": name, "hyperparameters": space}, "portfolio": portfolios[name]} for name, space in SPACES.items()
        },
        "portfolio": [seeds[0] for seeds in portfolios.values()],
        "limits": {"trials": 3, "epochs": 2},
        "early_stopping": {"grace_period": 1, "reduction_factor": 3, "max_epochs": 2},
    }
    data["modalities"]["tabular"]["model_choice"]["order"] = ["tabnet", "concat", "ft_transformer"]
    document = read_document(json.dumps(data))
    check_invariants(document)
    return document

"""A heuristics document and a validation of it to vary, and a database of each kind to keep them in."""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from heuristics_db import HeuristicsDocument, HeuristicsStore, ValidationSummary, content_hash

MakeDocument = Callable[..., HeuristicsDocument]
MakeSummary = Callable[..., ValidationSummary]


def plain_document() -> dict[str, Any]:
    """A small document as JSON, to be altered in any place: no part is shared."""
    evidence = {"method": "leave one family out", "trials": 24, "datasets": ["adult", "wine"], "effect": -0.1, "interval": [-0.2, -0.02]}
    concat = {"trainer.learning_rate": 0.003, "trainer.batch_size": 256, "combiner.dropout": 0.1}
    tabnet = {"trainer.learning_rate": 0.02, "trainer.batch_size": 128}

    def space(model_type: str, *more: Mapping[str, Any]) -> dict[str, Any]:
        rate = {"name": "trainer.learning_rate", "domain": {"kind": "float", "low": 0.001, "high": 0.05, "log": True}, "evidence": evidence}
        size = {"name": "trainer.batch_size", "domain": {"kind": "categorical", "choices": [64, 128, 256]}}
        return {"model_type": model_type, "hyperparameters": [rate, size, *more]}

    dropout = {"name": "combiner.dropout", "domain": {"kind": "float", "low": 0, "high": 0.5}, "searched": False, "fixed": 0.1}
    seeds = [{"model_type": "concat", "configuration": concat}, {"model_type": "tabnet", "configuration": tabnet, "best_on": ["wine"]}]
    ends = {"best_score": 0.9, "reference_score": 0.8, "rows": 1000, "trials": 12, "role": "training", "sketch": [1, 2]}
    document: dict[str, Any] = {
        "modalities": {
            "tabular": {
                "model_choice": {
                    "order": ["concat", "tabnet"],
                    "regret": {"concat": 0.2, "tabnet": 0.3},
                    "reason": "lowest",
                    "evidence": evidence,
                },
                "model_types": {
                    "concat": {"space": space("concat", dropout), "portfolio": seeds[:1]},
                    "tabnet": {"space": space("tabnet"), "portfolio": seeds[1:]},
                },
                "portfolio": seeds,
                "early_stopping": {"grace_period": 2, "reduction_factor": 3, "max_epochs": 9},
                "limits": {"trials": 16, "epochs": 9},
            }
        },
        "provenance": {
            "trial_set_hash": "t" * 64,
            "trials": 24,
            "failed_trials": 1,
            "sweeps": ["s1"],
            "datasets": [
                {
                    "name": "adult",
                    "fingerprint": "f-adult",
                    "family": "census",
                    "task": "binary",
                    "metric": "auc",
                    "sketch": [1, 2],
                    **ends,
                },
                {"name": "wine", "fingerprint": "f-wine", "family": "wine", "task": "multiclass", "metric": "log_loss", **ends},
            ],
            "versions": {"ludwig": "0.17.10", "torch": "2.14.1", "motherlode": "0.1.0"},
            "recipe": {"level": 0.5, "seed": 0},
            "untuned_space_hash": "u" * 64,
        },
    }
    copy: dict[str, Any] = json.loads(json.dumps(document))
    return copy


def place(data: Any, path: str) -> tuple[Any, Any]:
    """The container and the key that a slash-separated path leads to."""
    *outer, last = path.split("/")
    for part in outer:
        data = data[int(part) if isinstance(data, list) else part]
    return data, int(last) if isinstance(data, list) else last


@pytest.fixture
def make_document() -> MakeDocument:
    """``make_document({"provenance/recipe/seed": 3})``: the small document with some places altered."""

    def make(changes: Mapping[str, Any] | None = None) -> HeuristicsDocument:
        data = plain_document()
        for path, value in (changes or {}).items():
            container, key = place(data, path)
            container[key] = value
        return HeuristicsDocument.model_validate(data)

    return make


@pytest.fixture
def make_summary() -> MakeSummary:
    """A complete validation of ``document`` in which the candidate's regret is the untuned search's plus ``differences``, by dataset."""

    def make(
        document: HeuristicsDocument, differences: Mapping[str, float] | None = None, *, seeds: tuple[int, ...] = (0, 1, 2), **changes: Any
    ) -> ValidationSummary:
        differences = {"bank": -0.2, "credit": -0.1} if differences is None else differences
        results = [
            {
                "dataset": name,
                "arm": arm,
                "seed": seed,
                "score": 0.8,
                "regret": 0.5 + 0.01 * seed + (difference if arm == "candidate" else 0),
                "trials": 8,
                "epochs": 40,
                "seconds": 12.5,
            }
            for name, difference in differences.items()
            for arm in ("candidate", "untuned")
            for seed in seeds
        ]
        datasets = [
            {
                "name": name,
                "fingerprint": f"f-{name}",
                "family": name,
                "task": "binary",
                "metric": "auc",
                "direction": "maximize",
                "rows": 900,
                "best_score": 0.9,
                "reference_score": 0.7,
            }
            for name in differences
        ]
        data = {
            "validation_id": "v1",
            "version": content_hash(document),
            "suite": "small",
            "suite_hash": "s" * 64,
            "untuned_space_hash": document.provenance.untuned_space_hash,
            "budget": {"trials": 8, "epochs": 9},
            "seeds": seeds,
            "datasets": datasets,
            "results": results,
            "references": [{"dataset": name, "score": 0.85, "regret": 0.25} for name in differences],
            "versions": {"ludwig": "0.17.10"},
            "created_at": datetime(2026, 11, 30, 12, tzinfo=UTC),
        }
        return ValidationSummary.model_validate(data | changes)

    return make


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=[pytest.mark.slow, pytest.mark.postgres])])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database, of each kind that the store can be kept in."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'heuristics.db'}"
    return str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def store(url: str) -> Iterator[HeuristicsStore]:
    """An empty store."""
    with HeuristicsStore(url) as opened:
        yield opened


@pytest.fixture
def validated(store: HeuristicsStore, make_document: MakeDocument, make_summary: MakeSummary) -> Callable[..., str]:
    """Store a document that differs by ``seed``, with a validation that passes the gate of staging; return its id."""

    def make(seed: int, **changes: Any) -> str:
        document = make_document({"provenance/recipe/seed": seed})
        version = store.add(document)
        store.record_validation(version.id, make_summary(document, **changes))
        return version.id

    return make

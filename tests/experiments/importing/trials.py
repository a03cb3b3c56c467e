"""Trials of catalogued datasets, as another home's sweep left them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from automl import untuned_spaces
from dataset_catalog import card
from experiments._trials import trials_file
from mining import TrialRecord
from mining.policies import draw_configurations
from tests.mining.worlds import learning_rate_matters, record

DATASETS = ("adult", "phoneme")


def made(datasets: Sequence[str] = DATASETS, count: int = 4, sweep: str = "there-1", **changes: object) -> list[TrialRecord]:
    found = []
    for place, name in enumerate(datasets):
        described = card(name)
        maximize = described.metric == "auc"
        told = {"dataset": name, "fingerprint": described.fingerprint, "family": described.family, "role": described.role}
        told |= {"task": described.task, "target": described.target, "metric": described.metric, "sweep_id": sweep}
        told |= {"test_score": 0.1 + 0.2, "extra_scores": {"accuracy": 1 / 3}, "direction": "maximize" if maximize else "minimize"}
        for number, configuration in enumerate(draw_configurations(untuned_spaces()["concat"], count, seed=0)):
            loss = learning_rate_matters(f"d{place}", "concat", configuration)
            one = record(f"d{int(maximize)}", "concat", configuration, loss, number=number, trial_id=f"{name}-{number:03d}")
            found.append(one.model_copy(update=told | changes))
    return found


def written(path: Path, records: Sequence[TrialRecord]) -> str:
    path.write_bytes(trials_file(records, path))
    return str(path)

"""The gate's policy as a file, and the error rates of what it asks for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

from experiments._home import Home
from experiments._yaml import read_yaml
from heuristics_db import (
    DEFAULT_POLICY,
    ErrorRate,
    GatePolicy,
    GateRules,
    HeuristicsStore,
    Supposed,
    measured_noise,
    seeds_needed,
    simulate,
)

USUAL_NOISE = 0.05
"""What validations of eight trials a search showed; taken where a database has none of its own to measure."""

NEWEST = 20
"""Versions whose validations tell how noisy they are."""


def policy_file(home: Home) -> Path | None:
    """Return the home's policy file, if it has one."""
    path = home.root / "gate.yaml"
    return path if path.exists() else None


def gate_policy(home: Home) -> GatePolicy:
    """Return what the gates of this home ask for: its policy file where there is one, else the defaults.

    Raises :class:`ExperimentError` when the file is not a policy.
    """
    path = policy_file(home)
    return DEFAULT_POLICY if path is None else read_yaml(path, GatePolicy, "gate policy")


def policy_yaml(policy: GatePolicy) -> str:
    """Return a policy as the file that would say so."""
    return yaml.safe_dump(policy.model_dump(mode="json"), sort_keys=False)


@dataclass(frozen=True)
class SimulatedRates:
    """The error rates of a gate, what was supposed for them, and the seeds a dataset at which all would hold, where they do not."""

    supposed: Supposed
    noise_from: str
    rates: tuple[ErrorRate, ...]
    seeds_needed: int | None


def simulated_rates(
    home: Home, rules: GateRules, *, noise: float | None, gain: float, datasets: int | None, seeds: int | None, look: int
) -> SimulatedRates:
    """Simulate the gate of ``rules``; what is not given is what the rules ask for at least, and the noise of this home's validations."""
    found, source = (noise, "noise as given") if noise is not None else _noise(home)
    supposed = Supposed(
        noise=found, gain=gain, datasets=datasets or max(rules.datasets, rules.reserved), seeds=seeds or rules.seeds, look=look
    )
    rates = simulate(rules, supposed)
    needed = None if all(each.holds for each in rates) or rules.confidence is not None else seeds_needed(rules, supposed)
    return SimulatedRates(supposed, source, rates, needed)


def _noise(home: Home) -> tuple[float, str]:
    with HeuristicsStore(home.database_url) as store:
        newest = [each for each in store.versions(limit=NEWEST) if each.validations]
        summaries = [summary for each in newest for summary in store.validations(each.id)]
    measured = measured_noise(summaries)
    if measured is None:
        return USUAL_NOISE, f"noise of {USUAL_NOISE} supposed: no validation here to measure it by (--noise)"
    return measured, f"noise measured by the {len(summaries)} validations of the newest versions"

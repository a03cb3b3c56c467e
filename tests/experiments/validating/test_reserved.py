"""Datasets that a suite reserves for production, and the gate's policy file of a home."""

from __future__ import annotations

import pytest

from experiments import ExperimentError
from experiments._gate import gate_policy, policy_yaml, simulated_rates
from experiments._home import Home
from experiments.validating import SuiteSpec
from heuristics_db import DEFAULT_POLICY

SUITE = {
    "name": "some",
    "datasets": [
        {"name": "bank", "best": 0.9, "reference": 0.5},
        {"name": "concrete", "best": 5.0, "reference": 16.0, "reserved": True},
    ],
    "model_types": ["concat"],
    "budget": {"trials": 2, "epochs": 2},
    "seeds": [0, 1, 2],
}


def test_only_validations_for_production_look_at_what_is_reserved():
    suite = SuiteSpec.model_validate(SUITE)
    assert [each.name for each in suite.part_for("staging").datasets] == ["bank"]
    assert [each.name for each in suite.part_for("canary").datasets] == ["bank"]
    assert suite.part_for("production") == suite
    assert suite.part_for("staging").suite_hash != suite.suite_hash
    free = SuiteSpec.model_validate(SUITE | {"datasets": SUITE["datasets"][:1]})
    assert free.part_for("staging") == free
    assert free.suite_hash == suite.part_for("staging").suite_hash
    with pytest.raises(ExperimentError, match="all of its datasets are reserved"):
        SuiteSpec.model_validate(SUITE | {"datasets": SUITE["datasets"][1:]}).part_for("staging")


def test_a_home_without_a_policy_file_has_the_defaults(tmp_path):
    assert gate_policy(Home(tmp_path)) == DEFAULT_POLICY


def test_a_policy_file_says_what_differs(tmp_path):
    (tmp_path / "gate.yaml").write_text("default: {margin: 0.02}\nchannels: {canary: {seeds: 7}}\n")
    policy = gate_policy(Home(tmp_path))
    assert (policy.rules("staging").margin, policy.rules("staging").seeds) == (0.02, 3)
    assert (policy.rules("canary").margin, policy.rules("canary").seeds) == (0.1, 7)
    (tmp_path / "gate.yaml").write_text(policy_yaml(policy))
    assert gate_policy(Home(tmp_path)) == policy


@pytest.mark.parametrize("content", ["default: {margin: -1}", "default: {marginn: 1}", "channels: {staging: {seeds: 1}}", "- no", ": :"])
def test_a_file_that_is_no_policy_is_one_line(tmp_path, content):
    (tmp_path / "gate.yaml").write_text(content)
    with pytest.raises(ExperimentError, match=r"gate\.yaml") as caught:
        gate_policy(Home(tmp_path))
    assert "\n" not in str(caught.value)


def test_a_simulation_takes_the_usual_noise_where_none_can_be_measured(tmp_path):
    found = simulated_rates(Home(tmp_path), DEFAULT_POLICY.rules("staging"), noise=None, gain=0.1, datasets=None, seeds=None, look=1)
    assert (found.supposed.noise, found.supposed.datasets, found.supposed.seeds) == (0.05, 2, 3)
    assert "supposed" in found.noise_from
    assert all(rate.holds for rate in found.rates)
    loud = simulated_rates(Home(tmp_path), DEFAULT_POLICY.rules("staging"), noise=0.15, gain=0.3, datasets=2, seeds=3, look=1)
    assert loud.seeds_needed is not None
    assert loud.seeds_needed > 3

"""What a validation found: every search of both arms on every held-out dataset, and the reference beside them."""

from __future__ import annotations

from typing import Literal

from pydantic import AwareDatetime, Field, model_validator

from heuristics_db._spaces import Frozen

Arm = Literal["candidate", "untuned"]
"""``candidate`` searches with the version under test, ``untuned`` with the wide spaces alone, in the same engine at the same budget."""


class ValidationBudget(Frozen):
    """What each search may spend: ``trials`` a search, ``epochs`` at most a trial; ``seconds`` is a limit, ``None`` for none."""

    trials: int = Field(ge=1)
    epochs: int = Field(ge=1)
    seconds: float | None = Field(default=None, gt=0)


class SuiteDataset(Frozen):
    """One held-out dataset of a suite, with the frozen ends of its regret scale (in the dataset's own metric).

    A ``reserved`` dataset is looked at by validations for ``production`` alone.
    """

    name: str
    fingerprint: str
    family: str
    task: str
    metric: str
    direction: Literal["maximize", "minimize"]
    rows: int = Field(ge=1)
    best_score: float
    reference_score: float
    reserved: bool = False


class ArmResult(Frozen):
    """One search: the test score of its best trial (chosen on validation) and what it cost.

    ``regret`` is normalised by the suite's frozen ends and may lie below 0. ``score`` and ``regret`` are ``None`` when the search found
    nothing, and ``error`` says why. ``trials`` and ``epochs`` (over all trials) are what was spent, ``seconds`` the wall time.
    """

    dataset: str
    arm: Arm
    seed: int
    score: float | None
    regret: float | None
    trials: int = Field(ge=0)
    epochs: int = Field(ge=0)
    seconds: float = Field(ge=0)
    failed_trials: int = Field(default=0, ge=0)
    model_type: str | None = None
    error: str | None = None


class ReferenceResult(Frozen):
    """A reference model's test score and normalised regret on one dataset, by the same split, rows and scorer."""

    dataset: str
    score: float
    regret: float
    name: str = "HistGradientBoosting"
    seconds: float = Field(default=0.0, ge=0)


class ValidationSummary(Frozen):
    """All that the gate looks at. ``version`` is the full hash of the version under test; ``suite_hash`` names the suite's revision."""

    validation_id: str = Field(min_length=1)
    version: str = Field(pattern=r"^[0-9a-f]{64}$")
    suite: str = Field(min_length=1)
    suite_hash: str = Field(min_length=1)
    untuned_space_hash: str = Field(min_length=1)
    budget: ValidationBudget
    seeds: tuple[int, ...] = Field(min_length=1)
    datasets: tuple[SuiteDataset, ...] = Field(min_length=1)
    results: tuple[ArmResult, ...]
    references: tuple[ReferenceResult, ...] = ()
    versions: dict[str, str]
    created_at: AwareDatetime

    @model_validator(mode="after")
    def _distinct(self) -> ValidationSummary:
        if len(set(self.seeds)) != len(self.seeds):
            raise ValueError(f"seeds repeat: {list(self.seeds)}")
        for what, names in (("name", [each.name for each in self.datasets]), ("fingerprint", [each.fingerprint for each in self.datasets])):
            if len(set(names)) != len(names):
                raise ValueError(f"two datasets have the same {what}: {names}")
        return self

    def regrets(self, arm: Arm) -> dict[tuple[str, int], float]:
        """Return the regret of each finished search of ``arm``, by dataset and seed."""
        return {(each.dataset, each.seed): each.regret for each in self.results if each.arm == arm and each.regret is not None}

    def differences(self, other: ValidationSummary | None = None) -> dict[str, tuple[float, ...]]:
        """Return, per dataset, the candidate's regret minus the untuned search's, one number a seed that both finished; below 0 is a gain.

        With ``other``, a validation of another version on the same suite: minus that version's regret.
        """
        candidate = self.regrets("candidate")
        baseline = self.regrets("untuned") if other is None else other.regrets("candidate")
        return {
            dataset.name: tuple(
                candidate[dataset.name, seed] - baseline[dataset.name, seed]
                for seed in self.seeds
                if (dataset.name, seed) in candidate and (dataset.name, seed) in baseline
            )
            for dataset in self.datasets
        }

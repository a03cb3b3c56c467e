"""The knobs of mining: all that decides about a document besides the trials themselves."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class MiningRecipe(BaseModel):
    """How to mine. Kept in the document's provenance.

    Regrets are normalised; ``regret_cap`` is where a bad one (and each failure) is cut, so that one exploded loss does not decide a mean.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    portfolio_size: int = Field(default=8, ge=0, description="seeds of a portfolio at most")
    horizon: int = Field(default=20, ge=1, description="trials of the searches that choices are judged by")
    regret_cap: float = Field(default=2.0, ge=1)
    minimal_gain: float = Field(default=0.01, ge=0, description="regret that a choice must gain over the simpler one")
    significance: float = Field(default=0.02, gt=0, lt=1, description="one-sided level of the paired test over families left out")
    permutations: int = Field(default=199, ge=1, description="shuffles of a hyperparameter that its trimming must beat")
    chance: float = Field(default=0.2, gt=0, lt=1, description="chance that a model type without any effect has a hyperparameter trimmed")
    adaptive_candidates: int = Field(default=0, ge=0, description="candidates of the adaptive seeds at most; 0 for fixed seeds alone")
    adaptive_horizon: int = Field(default=30, ge=6, description="trials of the searches that adaptive seeds are judged by")
    adaptive_until: int = Field(default=50, ge=1, description="trials after which the sampler takes over from the adaptive seeds")
    adaptive_significance: float = Field(default=0.1, gt=0, lt=1, description="one-sided level of adaptive against fixed seeds")
    stopping_tolerance: float = Field(default=0.01, ge=0)
    seed: int = 0

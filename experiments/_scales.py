"""The frozen ends of the training datasets' regret scales, so that mined figures don't move as trials arrive."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from experiments._yaml import read_yaml

SCALES_FILE = Path(__file__).parent / "scales" / "training.yaml"


class FrozenEnds(BaseModel):
    """The ends of one dataset's scale on one draw of its rows and one split: validation scores in the dataset's metric.

    ``best`` (regret 0) is the best of a fixed list of scikit-learn baselines, ``reference`` (regret 1) the constant predictor's, both
    fitted on the training part. ``best_by`` names the baseline, ``how`` what it was made with.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: str = Field(min_length=1)
    fingerprint: str
    row_cap: int | None
    split_id: str
    best: float
    reference: float
    best_by: str = ""
    how: str = ""

    def told(self, revision: int) -> str:
        """Say where the ends come from, as provenance and reports do."""
        return f"constant predictor; best: {self.best_by} (frozen in revision {revision}: {self.how})"

    @model_validator(mode="after")
    def _apart(self) -> Self:
        if self.best == self.reference:
            raise ValueError(f"{self.name}: best and reference are equal ({self.best}); regret has no scale")
        return self


class ScaleBook(BaseModel):
    """All frozen ends, under one revision: ends that stand are never changed but by raising it."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    revision: int = Field(ge=1)
    scales: tuple[FrozenEnds, ...] = ()

    @classmethod
    def load(cls, path: Path | None = None) -> Self:
        """Read the book that ships with the project, or the one at ``path``; ``ExperimentError`` in one line when it is none."""
        return read_yaml(path or SCALES_FILE, cls, "book of scales")

    def find(self, fingerprint: str, row_cap: int | None, split_id: str) -> FrozenEnds | None:
        """Return the ends that were frozen for a dataset on these rows and parts, or ``None``."""
        wanted = (fingerprint, row_cap, split_id)
        return next((each for each in self.scales if (each.fingerprint, each.row_cap, each.split_id) == wanted), None)

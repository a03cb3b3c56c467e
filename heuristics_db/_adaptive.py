"""Adaptive seeds: candidates that a search picks from by what it has seen, with the model that picks them."""

from __future__ import annotations

from pydantic import Field, model_validator

from heuristics_db._spaces import Evidence, Frozen, Scalar


class AdaptiveCandidate(Frozen):
    """One configuration that may be picked: its mean log-regret over the families, and how datasets differ in it (``factors``)."""

    model_type: str
    configuration: dict[str, Scalar]
    mean: float
    factors: tuple[float, ...]


class AdaptiveSeeds(Frozen):
    """A Gaussian model of the log-regret of ``candidates`` on a new dataset, and when a search follows it.

    ``log(regret + offset)`` of the candidates is their ``mean``, plus ``factors`` times standard normal weights of the dataset's own
    (variance ``factor_variance``), plus a smooth part (Matérn 5/2 of the distance in the search space, ``kernel_variance`` and
    ``kernel_length``; nothing between model types), plus a part of each candidate's own (variance ``noise``). Level and scale of the new
    dataset's metric are unknown. A search tries its first ``after`` seeds in their order (the candidates' order where the portfolio has
    fewer), picks by the model until it has ``until`` trials, and hands over to the sampler.
    """

    candidates: tuple[AdaptiveCandidate, ...] = Field(min_length=1)
    offset: float = Field(gt=0)
    factor_variance: float = Field(ge=0)
    kernel_variance: float = Field(ge=0)
    kernel_length: float = Field(gt=0)
    noise: float = Field(gt=0)
    after: int = Field(ge=1)
    until: int = Field(ge=1)
    reason: str = ""
    evidence: Evidence | None = None

    @model_validator(mode="after")
    def _alike(self) -> AdaptiveSeeds:
        widths = {len(each.factors) for each in self.candidates}
        if len(widths) > 1:
            raise ValueError(f"candidates have {' and '.join(str(each) for each in sorted(widths))} factors; all need as many")
        return self

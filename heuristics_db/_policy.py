"""The gate's policy: what each channel asks of a version. Data, to be kept in a file; the defaults are here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from pydantic import Field

from heuristics_db._spaces import Frozen


class Thresholds(Frozen):
    """What is asked of a version. Differences are in normalised regret, the version's minus the other's: below 0 is a gain.

    Enough is looked at: ``datasets``, ``families``, and ``seeds`` on each dataset, with ``reserved`` datasets that validations for this
    channel alone look at. Where there are such, the bounds rest on them, and only looks at them count.

    By the one-sided upper bound of the mean paired difference (variance pooled over datasets), the version is better than the untuned
    search (below 0) and no worse than the version in the channel (below ``margin``); on no dataset its estimate is worse than either by
    more than ``margin``. ``alpha`` is the chance, over all looks at the same held-out datasets together, that a version gets through a
    bound that is not better: the look of number k spends ``alpha / (k (k + 1))`` of it.

    ``environment`` of ``equal`` refuses a validation under other versions of Ludwig or torch than the version was mined under; ``note``
    says so only. With a ``confidence`` (at the first look; more at each that follows), the bound against the untuned search by a bootstrap
    over families must be below 0 as well: the gain would be there on other families, too.
    """

    datasets: int = Field(default=2, ge=1)
    families: int = Field(default=2, ge=1)
    seeds: int = Field(default=3, ge=2)
    reserved: int = Field(default=0, ge=0)
    margin: float = Field(default=0.1, gt=0)
    alpha: float = Field(default=0.1, gt=0, lt=0.5)
    environment: Literal["note", "equal"] = "note"
    confidence: float | None = Field(default=None, gt=0.5, lt=1)


class GateRules(Thresholds):
    """What one channel asks for."""

    channel: str

    def level(self, look: int) -> float:
        """Return the confidence of the bounds at the look of this number (from 1); over all looks the error stays within ``alpha``."""
        return 1 - self.alpha * _share(look)

    def family_level(self, look: int) -> float:
        """Return the level of the bootstrap over families at this look: ``confidence`` at the first, more at each that follows."""
        return 1 - (1 - (self.confidence or 0)) * 2 * _share(look)


def _share(look: int) -> float:
    """Return what the look of this number may spend; the shares of all looks add up to 1, however many there are."""
    k = max(look, 1)
    return 1 / (k * (k + 1))


STAGING = Thresholds()
PRODUCTION = Thresholds(datasets=4, families=4, seeds=5, reserved=3, margin=0.05)


class GatePolicy(Frozen):
    """The rules of each channel by name, and those of any other channel (``default``)."""

    default: Thresholds = STAGING
    channels: dict[str, Thresholds] = Field(default_factory=lambda: {"production": PRODUCTION})

    def rules(self, channel: str) -> GateRules:
        """Return what ``channel`` asks for."""
        return GateRules(channel=channel, **self.channels.get(channel, self.default).model_dump())


DEFAULT_POLICY = GatePolicy()

GATES: Mapping[str, GateRules] = MappingProxyType({name: DEFAULT_POLICY.rules(name) for name in ("staging", "production")})
"""The rules of the two channels that there always are, unless a policy says otherwise."""

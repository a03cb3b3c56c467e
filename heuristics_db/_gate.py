"""The gate: the rules that a version must pass before a channel may point at it. Pure; nothing is read or written."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from statistics import fmean
from types import MappingProxyType

import numpy as np
from pydantic import Field

from heuristics_db._canonical import content_hash
from heuristics_db._document import HeuristicsDocument
from heuristics_db._spaces import Frozen
from heuristics_db._summary import ValidationSummary

RESAMPLES = 4000
BOOTSTRAP_SEED = 20_201_130


class GateRules(Frozen):
    """What one channel asks for. Regret differences are candidate minus untuned, in normalised regret; below 0 is a gain.

    ``mean_difference`` bounds the mean over datasets, ``worst_difference`` the mean over seeds on the worst dataset. With a ``confidence``
    the one-sided upper bound of the mean, by a paired bootstrap over families and seeds, must lie at or below ``bound`` too; the error
    probability is divided by the number of looks at the same held-out datasets (Bonferroni), so that trying again is not free.
    """

    channel: str
    datasets: int = Field(default=2, ge=1)
    families: int = Field(default=2, ge=1)
    seeds: int = Field(default=3, ge=1)
    mean_difference: float = 0.0
    worst_difference: float = Field(default=0.1, ge=0)
    confidence: float | None = Field(default=None, gt=0.5, lt=1)
    bound: float = 0.0


GATES: Mapping[str, GateRules] = MappingProxyType(
    {
        "staging": GateRules(channel="staging"),
        "production": GateRules(channel="production", datasets=4, families=4, worst_difference=0.05, confidence=0.95),
    }
)
"""The rules of each channel, unless others are given."""


class Check(Frozen):
    """One rule, whether it held, and the figures it was decided on."""

    name: str
    passed: bool
    detail: str


class GateVerdict(Frozen):
    """What the gate said: passed only when each check passed."""

    channel: str
    version: str
    passed: bool
    checks: tuple[Check, ...]

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it did not pass: one line a failed check; empty when it passed."""
        return tuple(f"{check.name}: {check.detail}" for check in self.checks if not check.passed)


def decide(
    summary: ValidationSummary, rules: GateRules, document: HeuristicsDocument, *, looks: int = 1, version: str | None = None
) -> GateVerdict:
    """Put a validated version before the gate of ``rules.channel``.

    Args:
        summary: what the validation of ``document`` found.
        rules: what the channel asks for.
        document: the version's document.
        looks: how many validations have looked at these held-out datasets so far, this one included.
        version: the document's content hash; worked out when not given.

    """
    version = version or content_hash(document)
    checks = (
        _same_version(summary, version),
        _same_untuned(summary, document),
        _held_out(summary, document),
        _enough(summary, rules),
        _complete(summary),
        _no_failure(summary),
        _budget(summary),
        _differs(summary),
        _mean(summary, rules),
        _worst(summary, rules),
        *((_confident(summary, rules, rules.confidence, looks),) if rules.confidence is not None else ()),
    )
    return GateVerdict(channel=rules.channel, version=version, passed=all(check.passed for check in checks), checks=checks)


def _same_version(summary: ValidationSummary, version: str) -> Check:
    same = summary.version == version
    detail = "the validation is of this version" if same else f"the validation is of {summary.version[:12]}, not of {version[:12]}"
    return Check(name="version", passed=same, detail=detail)


def _same_untuned(summary: ValidationSummary, document: HeuristicsDocument) -> Check:
    same = summary.untuned_space_hash == document.provenance.untuned_space_hash
    detail = (
        "the untuned search's spaces are those that were fixed before mining"
        if same
        else "the untuned search's spaces changed after mining"
    )
    return Check(name="untuned search", passed=same, detail=detail)


def _held_out(summary: ValidationSummary, document: HeuristicsDocument) -> Check:
    mined = document.provenance.datasets
    fingerprints, families = {each.fingerprint for each in mined}, {each.family for each in mined}
    leaks = [each.name for each in summary.datasets if each.fingerprint in fingerprints or each.family in families]
    detail = f"also mined from, themselves or by family: {', '.join(leaks)}" if leaks else "no validation dataset or family was mined from"
    return Check(name="held out", passed=not leaks, detail=detail)


def _enough(summary: ValidationSummary, rules: GateRules) -> Check:
    found = {
        "datasets": len(summary.datasets),
        "families": len({each.family for each in summary.datasets}),
        "seeds": len(set(summary.seeds)),
    }
    wanted = {"datasets": rules.datasets, "families": rules.families, "seeds": rules.seeds}
    passed = all(found[name] >= wanted[name] for name in wanted)
    told = (
        f"{found[name]} {name} ({'at least' if found[name] >= wanted[name] else 'too few: at least'} {wanted[name]})" for name in wanted
    )
    detail = ", ".join(told)
    return Check(name="enough", passed=passed, detail=detail)


def _complete(summary: ValidationSummary) -> Check:
    wanted = {(each.name, arm, seed) for each in summary.datasets for arm in ("candidate", "untuned") for seed in summary.seeds}
    found = Counter((each.dataset, each.arm, each.seed) for each in summary.results)
    missing, extra = wanted - found.keys(), found.keys() - wanted
    repeated = [key for key, count in found.items() if count > 1]
    passed = not missing and not extra and not repeated
    detail = f"{len(wanted)} searches of {len(wanted)}"
    if not passed:
        detail = f"{len(missing)} searches missing, {len(repeated)} repeated, {len(extra)} not in the suite, of {len(wanted)}"
    return Check(name="complete", passed=passed, detail=detail)


def _no_failure(summary: ValidationSummary) -> Check:
    failed = [each for each in summary.results if each.error is not None or each.score is None or each.regret is None]
    detail = "no search failed"
    if failed:
        first = failed[0]
        detail = f"{len(failed)} searches failed, first {first.arm} on {first.dataset}, seed {first.seed}: {first.error or 'no score'}"
    return Check(name="no failure", passed=not failed, detail=detail)


def _budget(summary: ValidationSummary) -> Check:
    budget = summary.budget
    over = [each for each in summary.results if each.trials > budget.trials or each.epochs > budget.trials * budget.epochs]
    detail = f"at most {budget.trials} trials of {budget.epochs} epochs a search"
    if over:
        detail = f"{len(over)} searches spent more than {detail.removeprefix('at most ')}"
    return Check(name="budget", passed=not over, detail=detail)


def _differs(summary: ValidationSummary) -> Check:
    """Seeds that are the same make searches that are the same when nothing else differs: no worse, and nothing to promote."""
    came_to: dict[str, dict[tuple[str, int], tuple[object, ...]]] = {"candidate": {}, "untuned": {}}
    for each in summary.results:
        came_to[each.arm][each.dataset, each.seed] = (each.score, each.regret, each.model_type, each.trials, each.epochs)
    pairs = came_to["candidate"].keys() & came_to["untuned"].keys()
    other = sum(came_to["candidate"][pair] != came_to["untuned"][pair] for pair in pairs)
    detail = f"{other} of {len(pairs)} pairs of searches came to something else"
    return Check(
        name="differs", passed=other > 0, detail=detail if other else "the candidate did what the untuned search does, in every search"
    )


def _dataset_means(summary: ValidationSummary) -> dict[str, float]:
    return {name: fmean(values) for name, values in summary.differences().items() if values}


def _mean(summary: ValidationSummary, rules: GateRules) -> Check:
    means = _dataset_means(summary)
    if not means:
        return Check(name="mean difference", passed=False, detail="no dataset and seed that both searches finished")
    mean = fmean(means.values())
    detail = f"candidate minus untuned {mean:+.4f} in normalised regret (at most {rules.mean_difference:+.4f})"
    return Check(name="mean difference", passed=mean <= rules.mean_difference, detail=detail)


def _worst(summary: ValidationSummary, rules: GateRules) -> Check:
    means = _dataset_means(summary)
    if not means:
        return Check(name="worst dataset", passed=False, detail="no dataset and seed that both searches finished")
    name = max(means, key=lambda each: means[each])
    detail = f"{name} {means[name]:+.4f} (at most {rules.worst_difference:+.4f})"
    return Check(name="worst dataset", passed=means[name] <= rules.worst_difference, detail=detail)


def _confident(summary: ValidationSummary, rules: GateRules, confidence: float, looks: int) -> Check:
    level = 1 - (1 - confidence) / max(looks, 1)
    bound = upper_bound(summary, level)
    if bound is None:
        return Check(name="confidence", passed=False, detail="no dataset and seed that both searches finished")
    detail = f"upper bound of the mean difference {bound:+.4f} at {level:.2%}, look {max(looks, 1)} (at most {rules.bound:+.4f})"
    return Check(name="confidence", passed=bound <= rules.bound, detail=detail)


def upper_bound(summary: ValidationSummary, level: float) -> float | None:
    """Return the one-sided upper bound at ``level`` of the mean paired regret difference, or ``None`` where nothing is paired.

    A two-stage bootstrap (Davison & Hinkley, 1997, section 3.8): families are drawn with replacement, whole, since their datasets are not
    independent; then seeds within each dataset. Plain percentiles are too sure of themselves with few families, so the level is widened to
    what Student's t asks for (the expanded percentile bound; Hesterberg, 2015). The random numbers are fixed: same summary, same bound.
    """
    differences = {name: np.asarray(values) for name, values in summary.differences().items() if values}
    if not differences:
        return None
    members: dict[str, list[str]] = {}
    for each in summary.datasets:
        if each.name in differences:
            members.setdefault(each.family, []).append(each.name)
    families = list(members.values())
    random = np.random.default_rng(BOOTSTRAP_SEED)
    means = {name: random.choice(values, (RESAMPLES, len(families), len(values))).mean(axis=2) for name, values in differences.items()}
    # per resample: draw as many families as there are; each drawn family brings all its datasets, with seeds drawn anew at each draw
    totals = np.stack([sum((means[name] for name in names), np.zeros((RESAMPLES, len(families)))) for names in families])
    sizes = np.array([len(names) for names in families])
    drawn = random.integers(len(families), size=(RESAMPLES, len(families)))
    draws = np.arange(len(families))
    summed = totals[drawn, np.arange(RESAMPLES)[:, None], draws[None, :]].sum(axis=1)
    return float(np.quantile(summed / sizes[drawn].sum(axis=1), _expanded(level, len(families))))


def _expanded(level: float, families: int) -> float:
    """Return the percentile that stands for ``level`` with so few families; with one, nothing is known but its worst."""
    from scipy.stats import norm, t  # imported here: the rest of the store does without SciPy

    if families < 2:
        return 1.0
    return float(norm.cdf(math.sqrt(families / (families - 1)) * t.ppf(level, families - 1)))

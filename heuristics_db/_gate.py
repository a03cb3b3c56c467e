"""The gate: the rules that a version must pass before a channel may point at it. Pure; nothing is read or written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from heuristics_db._bounds import Estimate, Floats, bootstrapped, pooled
from heuristics_db._canonical import content_hash
from heuristics_db._document import HeuristicsDocument
from heuristics_db._policy import GateRules
from heuristics_db._spaces import Frozen
from heuristics_db._summary import ValidationSummary

UNPAIRED = "no dataset and seed that both searches finished"


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


class Incumbent(NamedTuple):
    """The version that the channel points at, and its validation on the same suite, if there is one."""

    version: str
    summary: ValidationSummary | None


def decide(
    summary: ValidationSummary,
    rules: GateRules,
    document: HeuristicsDocument,
    *,
    looks: int = 1,
    version: str | None = None,
    incumbent: Incumbent | None = None,
) -> GateVerdict:
    """Put a validated version before the gate of ``rules.channel``.

    Args:
        summary: what the validation of ``document`` found.
        rules: what the channel asks for.
        document: the version's document.
        looks: how many validations have looked at the datasets that the bounds rest on (see `decisive`) so far, this one included.
        version: the document's content hash; worked out when not given.
        incumbent: the version that the channel points at; ``None`` when it points at none, or at this one.

    """
    version = version or content_hash(document)
    checks = (
        _same_version(summary, version),
        _same_untuned(summary, document),
        _held_out(summary, document),
        _provenance(document),
        _environment(summary, document, rules),
        _enough(summary, rules),
        _complete(summary),
        _no_failure(summary),
        _budget(summary),
        _differs(summary),
        *_against("the untuned search", summary.differences(), summary, rules, looks, below=0.0),
        *_against_incumbent(summary, rules, looks, incumbent),
        *((_other_families(summary, rules, looks),) if rules.confidence is not None else ()),
    )
    return GateVerdict(channel=rules.channel, version=version, passed=all(check.passed for check in checks), checks=checks)


def decisive(summary: ValidationSummary, rules: GateRules) -> frozenset[str]:
    """Return the names of the datasets that the bounds rest on: the reserved ones where the rules ask for such, else all."""
    return frozenset(each.name for each in summary.datasets if each.reserved or not rules.reserved)


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


def _provenance(document: HeuristicsDocument) -> Check:
    provenance = document.provenance
    unknown = [each.name for each in provenance.datasets if not (each.fingerprint and each.sketch)]
    missing = [
        name
        for name, there in {
            "the trial set's hash": provenance.trial_set_hash,
            "trials": provenance.trials,
            "sweeps": provenance.sweeps,
            "datasets": provenance.datasets,
            "the recipe": provenance.recipe,
            f"fingerprint or sketch of {', '.join(unknown)}": not unknown,
        }.items()
        if not there
    ]
    detail = (
        f"missing: {'; '.join(missing)}" if missing else f"{provenance.trials} trials on {len(provenance.datasets)} datasets, all named"
    )
    return Check(name="provenance", passed=not missing, detail=detail)


def _environment(summary: ValidationSummary, document: HeuristicsDocument, rules: GateRules) -> Check:
    mined, here = document.provenance.versions, summary.versions
    other = [
        f"{name} {version} when mined, {here[name]} when validated"
        for name, version in sorted(mined.items())
        if here.get(name, version) != version
    ]
    detail = "; ".join(other) if other else "the versions that it was mined under"
    return Check(name="environment", passed=not other or rules.environment == "note", detail=detail)


def _enough(summary: ValidationSummary, rules: GateRules) -> Check:
    found = {
        "datasets": len(summary.datasets),
        "families": len({each.family for each in summary.datasets}),
        "seeds": len(set(summary.seeds)),
        "reserved datasets": sum(each.reserved for each in summary.datasets),
    }
    wanted = {"datasets": rules.datasets, "families": rules.families, "seeds": rules.seeds, "reserved datasets": rules.reserved}
    told = [
        f"{found[name]} {name} ({'at least' if found[name] >= least else 'too few: at least'} {least})"
        for name, least in wanted.items()
        if least
    ]
    return Check(name="enough", passed=all(found[name] >= least for name, least in wanted.items()), detail=", ".join(told))


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


def _against(
    whom: str, differences: dict[str, tuple[float, ...]], summary: ValidationSummary, rules: GateRules, looks: int, *, below: float
) -> Iterator[Check]:
    paired = {name: np.asarray(values, dtype=float) for name, values in differences.items() if values}
    deciding = [values for name, values in paired.items() if name in decisive(summary, rules)]
    if not deciding:
        yield Check(name=f"against {whom}", passed=False, detail=UNPAIRED)
        return
    yield _bounded(f"against {whom}", pooled(deciding), rules.level(looks), looks, below)
    name, worst = max(((name, float(values.mean())) for name, values in paired.items()), key=lambda each: each[1])
    detail = f"{name} {worst:+.4f} against {whom} (at most {rules.margin:+.4f})"
    yield Check(name="worst dataset", passed=worst <= rules.margin, detail=detail)


def _bounded(name: str, estimate: Estimate, level: float, looks: int, below: float) -> Check:
    if not estimate.freedom:
        return Check(name=name, passed=False, detail="one seed a dataset: how much seeds differ can't be told")
    bound = float(estimate.upper(level))
    detail = (
        f"difference {float(estimate.mean):+.4f} in normalised regret, upper bound {bound:+.4f} (below {below:+.4f}) at {level:.2%}, "
        f"look {max(looks, 1)}"
    )
    return Check(name=name, passed=bound < below, detail=detail)


def _against_incumbent(summary: ValidationSummary, rules: GateRules, looks: int, incumbent: Incumbent | None) -> Iterator[Check]:
    if incumbent is None:
        return
    short, other = incumbent.version[:12], incumbent.summary
    if other is None:
        detail = f"{short} has no validation on suite {summary.suite} as it is now: lode validate SUITE.yaml --version {short}"
        yield Check(name=f"against the version in {rules.channel}", passed=False, detail=detail)
        return
    differences = summary.differences(other)
    alone = [name for name, values in differences.items() if len(values) < len(summary.seeds)]
    if alone:
        detail = f"{short} has not finished the same searches on {_listed(alone)}: lode validate SUITE.yaml --version {short} --again"
        yield Check(name=f"against the version in {rules.channel}", passed=False, detail=detail)
        return
    yield from _against(f"the version in {rules.channel}", differences, summary, rules, looks, below=rules.margin)


def _listed(names: Sequence[str]) -> str:
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]


def _other_families(summary: ValidationSummary, rules: GateRules, looks: int) -> Check:
    level = rules.family_level(looks)
    bound = upper_bound(summary, level, only=decisive(summary, rules))
    if bound is None:
        return Check(name="other families", passed=False, detail=UNPAIRED)
    detail = f"upper bound {bound:+.4f} (below {0:+.4f}) at {level:.2%}, look {max(looks, 1)}, had other families been drawn"
    return Check(name="other families", passed=bound < 0, detail=detail)


def upper_bound(summary: ValidationSummary, level: float, *, only: frozenset[str] | None = None) -> float | None:
    """Return the upper bound at ``level`` of the mean difference from the untuned search by a bootstrap over families and seeds.

    ``only`` takes these datasets alone. ``None`` where nothing is paired.
    """
    differences = summary.differences()
    members: dict[str, list[Floats]] = {}
    for each in summary.datasets:
        if differences[each.name] and (only is None or each.name in only):
            members.setdefault(each.family, []).append(np.asarray(differences[each.name], dtype=float))
    return bootstrapped(list(members.values()), level) if members else None

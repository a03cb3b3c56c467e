"""How versions, documents, verdicts, differences and history look to people."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from experiments.commands._output import print_table, tell

if TYPE_CHECKING:
    from heuristics_db import (
        Change,
        Choice,
        Difference,
        ErrorRate,
        Evidence,
        GateVerdict,
        HeuristicsDocument,
        HistoryEntry,
        ModalityHeuristics,
        Supposed,
        Version,
    )

LONGEST = 100
"""Characters of a value that a comparison shows."""


def print_versions(versions: Iterable[Version]) -> None:
    """One line a version."""
    columns = ("version", "state", "channels", "validations", "created (UTC)", "note")
    rows = ((v.short, v.state, ", ".join(v.channels), v.validations, f"{v.created_at:%Y-%m-%d %H:%M:%S}", v.note) for v in versions)
    print_table("", columns, rows)


def print_document(version: Version, document: HeuristicsDocument) -> None:
    """All that a version says, and what it was mined from."""
    provenance = document.provenance
    channels = f", in {' and '.join(version.channels)}" if version.channels else ""
    failed = f", {provenance.failed_trials} of them failed" if provenance.failed_trials else ""
    tell(f"version {version.id}\n{version.state}{channels}, {version.validations} validations")
    tell(f"mined from {provenance.trials} trials{failed}; sweeps: {', '.join(provenance.sweeps) or 'none'}")
    tell(f"with {', '.join(f'{name} {value}' for name, value in sorted(provenance.versions.items()))}\n")
    for place, heuristics in _places(document):
        _print_modality(place, heuristics)
    columns = ("dataset", "family", "task", "rows", "trials", "metric", "best", "reference")
    rows = ((d.name, d.family, d.task, d.rows, d.trials, d.metric, d.best_score, d.reference_score) for d in provenance.datasets)
    print_table("mined from", columns, rows)


def print_verdict(verdict: GateVerdict) -> None:
    """Each rule of the gate, and whether it held."""
    rows = (("passed" if check.passed else "FAILED", check.name, check.detail) for check in verdict.checks)
    title = f"the gate of {verdict.channel}: {verdict.version[:12]} {'passes' if verdict.passed else 'does not pass'}"
    print_table(title, ("verdict", "rule", "figures"), rows)


def print_differences(before: str, after: str, found: Iterable[Difference]) -> None:
    """One line a difference; what is not there is a dash."""
    rows = (
        (each.path, None if each.kind == "added" else _short(each.before), None if each.kind == "removed" else _short(each.after))
        for each in found
    )
    print_table(f"{before} → {after}", ("where", before, after), rows)


def print_history(entries: Iterable[HistoryEntry]) -> None:
    """One line an entry, oldest first."""
    columns = ("at (UTC)", "what", "version", "channel", "before", "by", "note")
    rows = (
        (
            f"{each.at:%Y-%m-%d %H:%M:%S}",
            each.action.replace("_", " ") + (", gate overridden" if each.overridden else ""),
            each.version[:12],
            each.channel,
            each.previous and each.previous[:12],
            each.by,
            each.note or _why(each),
        )
        for each in entries
    )
    print_table("", columns, rows)


def print_rates(channel: str, supposed: Supposed, rates: Iterable[ErrorRate]) -> None:
    """One line a kind of version: how often the gate refuses it, and whether that is as it should be."""
    rows = (
        (
            "holds" if each.holds else "FAILS",
            each.scenario,
            f"{each.refused:.1%}",
            f"at most {each.at_most:.0%}" if each.at_most is not None else f"at least {each.at_least:.0%}",
            ", ".join(f"{name} {share:.1%}" for name, share in each.rules.items() if share >= 0.0005),
        )
        for each in rates
    )
    title = (
        f"the gate of {channel}: {supposed.datasets} datasets, {supposed.seeds} seeds, noise {supposed.noise:.3f}, "
        f"gain {supposed.gain:g}, look {supposed.look}"
    )
    print_table(title, ("", "a version", "refused", "wanted", "by"), rows)


def print_changes(before: str, after: str, found: Iterable[Change]) -> None:
    """One line a change, with what each side rests on."""
    before, after = _named(before), _named(after)
    rows = ((each.place, each.kind, each.before, each.after, _rests_on(each)) for each in found)
    print_table(f"{before} → {after}", ("where", "what", before, after, "rests on"), rows)


def print_choices(choices: Iterable[Choice]) -> None:
    """One line a choice: what was chosen, why, and what it rests on."""
    columns = ("choice", "value", "reason", "method", "trials", "datasets", "effect", "interval", "unit")
    print_table("", columns, ((each.where, each.value, each.reason, *_evidence_cells(each.evidence)) for each in choices))


def print_choice(choice: Choice) -> None:
    """All that is known of one choice, a line each."""
    evidence = choice.evidence
    tell(f"{choice.where}: {choice.value}")
    for name, value in (("why", choice.reason), ("importance", choice.importance)):
        if value not in ("", None):
            tell(f"  {name}: {value:.4g}" if isinstance(value, float) else f"  {name}: {value}")
    if evidence is None:
        tell("  no evidence is recorded for it")
    else:
        effect = "not measured" if evidence.effect is None else f"{evidence.effect:+.4g} {evidence.unit}"
        interval = f", from {evidence.interval[0]:+.4g} to {evidence.interval[1]:+.4g}" if evidence.interval else ""
        tell(f"  found by: {evidence.method}, over {evidence.trials} trials\n  effect: {effect}{interval}")
        tell(f"  datasets ({len(evidence.datasets)}): {', '.join(evidence.datasets) or 'none named'}")
        if evidence.note:
            tell(f"  note: {evidence.note}")
    if choice.seeds:
        rows = ((each.place, _value(each.value), ", ".join(each.best_on)) for each in choice.seeds)
        print_table("what the seeds take", ("seed", "value", "best on"), rows)


def _places(document: HeuristicsDocument) -> Iterator[tuple[str, ModalityHeuristics]]:
    """Yield what searches follow, by modality, and by modality and task where a task has heuristics of its own."""
    for modality, heuristics in document.modalities.items():
        yield modality, heuristics
        for task in heuristics.tasks:
            yield f"{modality}.{task}", heuristics.for_task(task)


def _print_modality(modality: str, heuristics: ModalityHeuristics) -> None:
    from heuristics_db import hyperparameter_text, limits_text, seed_text, stopping_text

    choice, limits = heuristics.model_choice, heuristics.limits
    rows = ((name, choice.regret.get(name), "yes" if name in choice.order else "no") for name in heuristics.model_types)
    print_table(f"{modality}: model types ({choice.reason})", ("model type", "mean regret", "searched"), rows)
    for model_type, described in heuristics.model_types.items():
        spaces = ((each.name, hyperparameter_text(each), each.importance, each.reason) for each in described.space.hyperparameters)
        print_table(f"{modality}, {model_type}: search space", ("hyperparameter", "domain", "importance", "why"), spaces)
    seeds = ((position, seed.model_type, seed_text(seed), ", ".join(seed.best_on)) for position, seed in enumerate(heuristics.portfolio))
    if heuristics.portfolio:
        print_table(f"{modality}: portfolio, in the order of trying", ("", "model type", "configuration", "best on"), seeds)
    else:
        tell(f"{modality}: no portfolio (see limits)")
    policies = [
        ("early stopping", stopping_text(heuristics.early_stopping), heuristics.early_stopping.reason),
        ("limits", limits_text(limits), limits.reason),
    ]
    print_table(f"{modality}: policies", ("policy", "value", "why"), policies)


def _evidence_cells(evidence: Evidence | None) -> tuple[object, ...]:
    if evidence is None:
        return (None,) * 6
    interval = f"{evidence.interval[0]:+.4g} … {evidence.interval[1]:+.4g}" if evidence.interval else None
    return (evidence.method, evidence.trials, len(evidence.datasets), evidence.effect, interval, evidence.unit)


def _named(ref: str) -> str:
    return ref if len(ref) <= 16 else ref[:12]


def _rests_on(change: Change) -> str:
    from heuristics_db import evidence_text

    old, new = evidence_text(change.evidence_before), evidence_text(change.evidence_after)
    return f"before: {old}\nnow: {new}" if old and new and old != new else new or old


def _value(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else _short(value)


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _why(entry: HistoryEntry) -> str:
    checks = entry.detail.get("verdict", {}).get("checks", ())
    failed = [f"{check['name']}: {check['detail']}" for check in checks if not check["passed"]]
    return "; ".join(failed) or str(entry.detail.get("suite", ""))

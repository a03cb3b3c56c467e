"""Why a run did what it did: the same facts as JSON for machines and as Markdown for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from automl._plan import Budget, SearchPlan
from automl._search import SearchResult
from automl._tables import ReadyTable
from automl._trial import TrialResult

_PARTS = ("training", "validation", "test")


def data_reasons(ready: ReadyTable, source: str, notes: tuple[str, ...]) -> dict[str, Any]:
    """Say what the table is: rows, parts, target, task, features, dropped columns, and what was changed on the way."""
    table = ready.table
    return {
        "source": source,
        "fingerprint": table.fingerprint,
        "rows": len(table.frame),
        "row_cap": table.row_cap,
        "parts": {name: int((table.split == part).sum()) for part, name in enumerate(_PARTS)},
        "target": ready.target,
        "task": table.task,
        "positive_class": table.positive,
        "features": [column.model_dump(include={"name", "feature", "type", "reason"}) for column in ready.columns],
        "dropped": dict(ready.dropped),
        "notes": [*notes, *ready.notes],
    }


def plan_reasons(plan: SearchPlan, budget: Budget, seed: int) -> dict[str, Any]:
    """Say what the search follows: which heuristics version, model types, seeds, stopping, budget."""
    stopping = plan.early_stopping
    return {
        "heuristics": plan.label,
        "model_types": list(plan.model_order),
        "seeds": [{"model_type": each.model_type, "best_on": list(each.best_on)} for each in plan.portfolio],
        "early_stopping": {
            "grace_period": stopping.grace_period,
            "reduction_factor": stopping.reduction_factor,
            "reason": stopping.reason,
        },
        "budget": {"trials": budget.trials, "seconds": budget.seconds, "epochs": budget.epochs},
        "seed": seed,
        "remarks": list(plan.remarks),
    }


def search_reasons(found: SearchResult) -> dict[str, Any]:
    """Say which trials were run, which was chosen and why; the test score stands with the chosen one alone."""
    trials = [
        {"trial": number, "origin": origin, **_trial(result)}
        for number, (result, origin) in enumerate(zip(found.trials, found.origins, strict=True), 1)
    ]
    best = found.best
    chosen: dict[str, Any] | None = None
    if best is not None:
        number = next(place for place, each in enumerate(found.trials, 1) if each is best)
        chosen = {
            "trial": number,
            "why": f"the best validation {best.metric} of {len(trials)} trials",
            "model_type": best.model_type,
            "hyperparameters": dict(best.hyperparameters),
            "metric": best.metric,
            "validation_score": best.validation_score,
            "test_score": best.test_score,
            "test_extra_scores": dict(best.extra_scores),
            "parameters": best.n_parameters,
            "versions": dict(best.versions),
        }
    return {"trials": trials, "chosen": chosen, "seconds": round(found.seconds, 3)}


def as_markdown(reasons: Mapping[str, Any]) -> str:
    """Write reasons for people."""
    data, plan, chosen = reasons["data"], reasons["plan"], reasons["chosen"]
    parts = ", ".join(f"{count} {name}" for name, count in data["parts"].items())
    lines = [
        f"# Why this model for `{data['target']}`",
        "",
        f"- Data: {data['source']}, {data['rows']} rows ({parts}).",
        f"- Task: {data['task']}" + (f", positive class `{data['positive_class']}`." if data["positive_class"] is not None else "."),
        f"- Heuristics: {plan['heuristics']}; model types in this order: {', '.join(plan['model_types'])}; {len(plan['seeds'])} seeds.",
        f"- Stopping: {plan['early_stopping']['reason'] or 'as the heuristics say'}.",
        f"- Chosen on validation: {chosen['model_type']} (trial {chosen['trial']}), "
        f"{chosen['metric']} {_number(chosen['validation_score'])}; on the test part, looked at only now: {_number(chosen['test_score'])}.",
    ]
    lines += [f"- {note}." for note in [*data["notes"], *plan["remarks"]]]
    lines += ["", "## Columns", "", "| column | used as | why |", "| --- | --- | --- |"]
    lines += [_row(each["name"], each["type"], each["reason"]) for each in data["features"]]
    lines += [_row(name, "dropped", reason) for name, reason in data["dropped"].items()]
    lines += ["", "## Trials", "", "| trial | from | model type | status | epochs | validation |", "| --- | --- | --- | --- | --- | --- |"]
    lines += [
        _row(each["trial"], each["origin"], each["model_type"], each["status"], each["epochs"], _number(each["validation_score"]))
        for each in reasons["trials"]
    ]
    lines += ["", "## Hyperparameters", "", "| name | value |", "| --- | --- |"]
    lines += [_row(name, value) for name, value in sorted(chosen["hyperparameters"].items())]
    return "\n".join(lines) + "\n"


def _trial(result: TrialResult) -> dict[str, Any]:
    return {
        "trial_id": result.trial_id,
        "model_type": result.model_type,
        "hyperparameters": dict(result.hyperparameters),
        "status": result.status,
        "epochs": len(result.curve),
        "validation_score": result.validation_score,
        "seconds": round(result.wall_seconds, 3),
        "error": result.error,
    }


def _row(*cells: object) -> str:
    texts = (str(cell).replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ") for cell in cells)
    return "| " + " | ".join(texts) + " |"


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.5g}"

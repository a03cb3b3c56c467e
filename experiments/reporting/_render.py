"""From a report's data to one self-contained HTML page: no network, every value escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from experiments.reporting._charts import importance_chart, regret_chart, space_chart, trial_chart
from experiments.reporting._data import HyperparameterFacts, MinedFacts, ReportData
from heuristics_db import Arm, ValidationSummary

TEMPLATES = Path(__file__).parent / "templates"


def render(data: ReportData) -> str:
    """Draw the page. The same data give the same page, but for plotly's own element ids, which are fixed here."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update({"score": _score, "regret": _regret, "minutes": _minutes, "join_words": _join_words})
    return environment.get_template("report.html.j2").render(
        data=data,
        charts=_charts(data),
        means=_means(data.validation),
        plotly_js=_plotly_source(),
        groups=_groups(data.mined),
        searched=_searched(data.mined),
    )


def write_report(data: ReportData, path: Path) -> Path:
    """Write the page to ``path`` (folders are made) and return it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".part")
    temporary.write_text(render(data), encoding="utf-8")
    return temporary.replace(path)


def _charts(data: ReportData) -> dict[str, Any]:
    charts: dict[str, Any] = {}
    if data.dots and data.datasets:
        charts["trials"] = _html(trial_chart(data.dots, data.datasets), "trials")
    for model_type, rows in _groups(data.mined).items():
        if any(row.importance is not None for row in rows):
            charts[f"importance-{model_type}"] = _html(importance_chart(rows), f"importance-{model_type}")
        if any(row.wide.low is not None for row in rows):
            charts[f"space-{model_type}"] = _html(space_chart(rows), f"space-{model_type}")
    if data.validation is not None and any(each.regret is not None for each in data.validation.results):
        charts["regret"] = _html(regret_chart(data.validation), "regret")
    return charts


def _html(figure: Any, name: str) -> Any:
    from markupsafe import Markup
    from plotly.io import to_html

    config = {"displaylogo": False, "responsive": True, "modeBarButtonsToRemove": ["select2d", "lasso2d"], "displayModeBar": False}
    drawn = to_html(figure, full_html=False, include_plotlyjs=False, div_id=f"chart-{name}", config=config)
    return Markup(drawn)  # noqa: S704 - plotly's own markup; labels are escaped in _charts' JSON, and text by plotly's sanitiser


def _plotly_source() -> Any:
    from markupsafe import Markup
    from plotly.offline import get_plotlyjs

    return Markup(get_plotlyjs())  # noqa: S704 - the library's own script


def _groups(mined: MinedFacts | None) -> dict[str, list[HyperparameterFacts]]:
    groups: dict[str, list[HyperparameterFacts]] = {}
    for row in mined.hyperparameters if mined is not None else ():
        groups.setdefault(row.model_type, []).append(row)
    return groups


def _searched(mined: MinedFacts | None) -> frozenset[str]:
    return frozenset(name for name, _ in mined.model_order) if mined is not None else frozenset()


def _means(validation: ValidationSummary | None) -> Mapping[str, Mapping[str, float]]:
    """Mean regret by dataset and arm; the row ``all`` is the mean over datasets."""
    if validation is None:
        return {}
    means: dict[str, dict[str, float]] = {}
    arms: Sequence[Arm] = ("candidate", "untuned")
    for dataset in validation.datasets:
        for arm in arms:
            regrets = [regret for (name, _), regret in validation.regrets(arm).items() if name == dataset.name]
            if regrets:
                means.setdefault(dataset.name, {})[arm] = fmean(regrets)
    for reference in validation.references:
        means.setdefault(reference.dataset, {})["reference"] = reference.regret
    whole = {arm: [row[arm] for row in means.values() if arm in row] for arm in (*arms, "reference")}
    means["all"] = {arm: fmean(values) for arm, values in whole.items() if values}
    return means


def _score(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def _regret(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _minutes(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 60 else f"{seconds / 60:.1f} min"


def _join_words(values: Iterable[object]) -> str:
    return ", ".join(str(value) for value in values)

"""The report's charts: plotly figures that read in light and in dark (transparent, text in the page's own colour)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from experiments.reporting._data import HyperparameterFacts, Interval, SweptDataset, TrialDot
from heuristics_db import ReferenceResult, ValidationSummary

PALETTE = ("#3b82c4", "#d9822b", "#3f9d6b", "#a85fb0", "#c0504d", "#7a8599")
ARM_COLOURS = {"candidate": "#3b82c4", "untuned": "#d9822b"}
ARM_SYMBOLS = {"candidate": "circle", "untuned": "diamond"}
GRID = "rgba(128,128,128,.25)"
NEUTRAL = "#8a8f98"
WIDEST_REGRET = 1.5


def trial_chart(dots: Sequence[TrialDot], datasets: Sequence[SweptDataset]) -> Any:
    """Draw one dot a trial: normalised regret of its validation score, a row a dataset, a colour a model type.

    Regret above ``WIDEST_REGRET`` is drawn at the edge, so that one diverged trial does not flatten the rest.
    """
    import plotly.graph_objects as go

    figure = go.Figure()
    model_types = sorted({dot.model_type for dot in dots})
    names = [each.name for each in datasets]
    for index, model_type in enumerate(model_types):
        mine = [dot for dot in dots if dot.model_type == model_type and dot.regret is not None and dot.dataset in names]
        offset = (index - (len(model_types) - 1) / 2) * 0.26
        figure.add_scatter(
            x=[min(float(dot.regret or 0), WIDEST_REGRET) for dot in mine],
            y=[names.index(dot.dataset) + offset for dot in mine],
            mode="markers",
            name=model_type,
            marker={"color": PALETTE[index % len(PALETTE)], "size": 7, "opacity": 0.75},
            customdata=[[dot.dataset, dot.status, dot.seconds, dot.regret] for dot in mine],
            hovertemplate="%{customdata[0]} · "
            + model_type
            + "<br>regret %{customdata[3]:.3f} · %{customdata[1]} · %{customdata[2]:.1f} s<extra></extra>",
        )
    _style(figure, height=110 + 52 * len(names))
    figure.update_yaxes(tickvals=list(range(len(names))), ticktext=names, range=[len(names) - 0.4, -0.6], showgrid=False, zeroline=False)
    figure.update_xaxes(title_text="normalised regret (0 = best known, 1 = reference; at most 1.5 shown)", zeroline=False)
    return figure


def importance_chart(rows: Sequence[HyperparameterFacts]) -> Any:
    """Draw the importance of each hyperparameter of one model type, the greatest on top."""
    import plotly.graph_objects as go

    known = sorted((row.importance or 0.0, row.name) for row in rows if row.importance is not None)
    figure = go.Figure()
    figure.add_bar(x=[value for value, _ in known], y=[name for _, name in known], orientation="h", marker={"color": PALETTE[0]}, width=0.6)
    figure.update_traces(hovertemplate="%{y}: %{x:.3f}<extra></extra>")
    _style(figure, height=80 + 26 * len(known))
    figure.update_xaxes(title_text="importance (share of variance)", rangemode="tozero")
    figure.update_yaxes(showgrid=False, automargin=True)
    return figure


def space_chart(rows: Sequence[HyperparameterFacts]) -> Any:
    """Draw what mining left of each numeric domain of one model type: the wide domain in grey, the mined one over it.

    Each line is scaled to its own wide domain (log where the domain is).
    """
    import plotly.graph_objects as go

    numeric = [row for row in rows if row.wide.low is not None]
    figure = go.Figure()
    for index, row in enumerate(numeric):
        figure.add_scatter(
            x=[0, 1],
            y=[index, index],
            mode="lines",
            line={"color": "rgba(128,128,128,.35)", "width": 12},
            showlegend=False,
            hoverinfo="skip",
        )
        low, high = _place(row.mined, row.wide)
        figure.add_scatter(
            x=[low, high],
            y=[index, index],
            mode="lines+markers" if high - low < 0.02 else "lines",
            line={"color": PALETTE[2], "width": 12},
            marker={"size": 12, "color": PALETTE[2]},
            showlegend=False,
            hovertemplate=f"{row.name}<br>wide {row.wide.text}<br>mined {row.mined.text}<extra></extra>",
        )
    _style(figure, height=80 + 30 * len(numeric))
    figure.update_yaxes(
        tickvals=list(range(len(numeric))),
        ticktext=[row.name for row in numeric],
        range=[len(numeric) - 0.4, -0.6],
        showgrid=False,
        zeroline=False,
        automargin=True,
    )
    figure.update_xaxes(
        range=[-0.03, 1.03],
        showticklabels=False,
        showgrid=False,
        zeroline=False,
        title_text="kept (green) of the wide domain",
    )
    return figure


def regret_chart(validation: ValidationSummary) -> Any:
    """Draw normalised regret on the held-out datasets: one mark a seed and arm, a bar at each arm's mean, HGB as a dashed line."""
    import plotly.graph_objects as go

    figure = go.Figure()
    names = [each.name for each in validation.datasets]
    for index, arm in enumerate(ARM_COLOURS):
        mine = [result for result in validation.results if result.arm == arm and result.regret is not None]
        offset = (index - 0.5) * 0.3
        figure.add_scatter(
            x=[result.regret for result in mine],
            y=[names.index(result.dataset) + offset for result in mine],
            mode="markers",
            name=arm,
            marker={"color": ARM_COLOURS[arm], "symbol": ARM_SYMBOLS[arm], "size": 11, "opacity": 0.8},
            customdata=[[result.dataset, result.seed, result.score, result.trials] for result in mine],
            hovertemplate="%{customdata[0]} · "
            + arm
            + " · seed %{customdata[1]}<br>regret %{x:.4f} · score %{customdata[2]:.4f}<extra></extra>",
        )
        for position, name in enumerate(names):
            regrets = [result.regret for result in mine if result.dataset == name and result.regret is not None]
            if regrets:
                mean = sum(regrets) / len(regrets)
                _bar(figure, mean, position + offset, ARM_COLOURS[arm])
    _hgb_marks(figure, validation.references, names)
    _style(figure, height=150 + 90 * len(names))
    figure.update_yaxes(
        tickvals=list(range(len(names))),
        ticktext=names,
        range=[len(names) - 0.45, -0.55],
        showgrid=False,
        zeroline=False,
        automargin=True,
    )
    found = [each.regret for each in validation.results if each.regret is not None]
    figure.update_xaxes(
        title_text="normalised regret on the test part (0 = best known, 1 = constant predictor; lower is better)",
        range=_padded([*found, *(each.regret for each in validation.references)]),
        zeroline=False,
    )
    return figure


def _padded(values: Sequence[float]) -> list[float]:
    """Return a range that holds ``values`` and 0, with a margin for the marks."""
    low, high = min(0.0, *values), max(0.0, *values)
    margin = 0.06 * (high - low) or 0.1
    return [low - margin, high + margin]


def _bar(figure: Any, x: float, y: float, colour: str) -> None:
    figure.add_scatter(
        x=[x, x],
        y=[y - 0.13, y + 0.13],
        mode="lines",
        line={"color": colour, "width": 3},
        showlegend=False,
        hovertemplate=f"mean {x:.4f}<extra></extra>",
    )


def _hgb_marks(figure: Any, references: Sequence[ReferenceResult], names: Sequence[str]) -> None:
    shown = False
    for reference in references:
        position = names.index(reference.dataset)
        figure.add_scatter(
            x=[reference.regret] * 2,
            y=[position - 0.36, position + 0.36],
            mode="lines",
            name="HistGradientBoosting",
            legendgroup="hgb",
            showlegend=not shown,
            line={"color": NEUTRAL, "width": 2, "dash": "dash"},
            hovertemplate=f"HistGradientBoosting {reference.regret:.4f}<extra></extra>",
        )
        shown = True


def _place(mined: Interval, wide: Interval) -> tuple[float, float]:
    low = mined.low if mined.low is not None else wide.low
    high = mined.high if mined.high is not None else wide.high
    return _share(float(low or 0), wide), _share(float(high or 0), wide)


def _share(value: float, wide: Interval) -> float:
    low, high = float(wide.low or 0), float(wide.high or 0)
    if high <= low:
        return 0.5
    if wide.log and low > 0 and value > 0:
        return (math.log(value) - math.log(low)) / (math.log(high) - math.log(low))
    return (value - low) / (high - low)


def _style(figure: Any, *, height: int) -> None:
    figure.update_layout(
        template="none",
        height=height,
        margin={"l": 8, "r": 12, "t": 30, "b": 46},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": "system-ui, sans-serif", "size": 13, "color": NEUTRAL},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0},
        hovermode="closest",
    )
    figure.update_layout(showlegend=any(trace.name and trace.showlegend is not False for trace in figure.data))
    figure.update_xaxes(gridcolor=GRID, automargin=True, title_font_size=13)
    figure.update_yaxes(automargin=True, ticklabelstandoff=6)

"""``lode demo``: the whole loop on real data, from one command."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from experiments._home import Home
from experiments.commands import _output

if TYPE_CHECKING:
    from experiments._demo import DemoOutcome
    from experiments.reporting import Stage

_A_LINE_EVERY = 20.0
_WIDE_ENOUGH = 130
"""Columns of a terminal from which on there is room beside the bar for what ended last."""


def demo(
    short: Annotated[bool, typer.Option("--short", help="Fewer configurations and trials: every stage, in a third of the time.")] = False,
    workers: Annotated[int | None, typer.Option("--workers", min=1, help="Trials at a time (default: one a core).")] = None,
    dry_run: _output.DryRunOption = False,
    as_json: _output.JsonOption = False,
) -> None:
    """Run the whole loop on real data: sweep six training datasets, mine them, validate on two held-out ones, ask the gate, report.

    What was run before is taken from the journal. A gate that refuses is an honest end of the demo: it is said in words, exit code 0.
    """
    home = Home.find()
    if dry_run:
        _show_plan(home, short, as_json)
        return
    from experiments._demo import run_demo

    with _Display() as display:
        outcome = run_demo(home, display, short=short, workers=workers)
    if as_json:
        _output.print_json(_facts(home, outcome))
    else:
        _summarise(home, outcome)


class _Display:
    """Shows the stages on stderr: a bar where that is a terminal, a line now and then where it is not."""

    def __init__(self) -> None:
        self._bars = _output.progress()
        self._live = _output.err.is_terminal
        self._task: Any = None
        self._title = ""
        self._spoke = 0.0

    def __enter__(self) -> _Display:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def begin(self, number: int, of: int, title: str) -> None:
        self._spoke = time.monotonic()
        self._title = f"[{number}/{of}] {title}"
        self._task = self._bars.add_task(_escaped(self._title), total=None)
        if not self._live:
            _output.say(f"{self._title} …")

    def step(self, done: int, of: int, text: str) -> None:
        shown = f"{self._title}  {text}" if _output.err.width >= _WIDE_ENOUGH else self._title
        self._bars.update(self._task, completed=done, total=of, description=_escaped(shown))
        now = time.monotonic()
        if self._live or now - self._spoke < _A_LINE_EVERY:
            return
        self._spoke = now
        _output.say(f"      {done} of {of}  {text}")

    def say(self, text: str) -> None:
        _output.say(f"      {text}")

    def end(self, stage: Stage) -> None:
        self._bars.remove_task(self._task)
        _output.say(f"{stage.name:<9} {_time(stage.seconds):>8}  {stage.detail}")


def _escaped(text: str) -> str:
    return text.replace("[", r"\[")


def _show_plan(home: Home, short: bool, as_json: bool) -> None:
    from experiments.sweeping import find_sweep, load_sweep
    from experiments.validating import find_suite, load_suite

    name = "demo-short" if short else "demo"
    spec, suite = load_sweep(find_sweep(name)), load_suite(find_suite(name))
    if as_json:
        _output.print_json({"home": home.root, "sweep": spec, "suite": suite})
        return
    searches = 2 * len(suite.datasets) * len(suite.seeds)
    _output.out.print(
        f"would sweep {_names(spec.datasets)} ({', '.join(spec.model_types or ())}, {spec.configurations.count} configurations each, "
        f"{spec.epochs} epochs), mine, and validate on {', '.join(each.name for each in suite.datasets)} with {searches} searches of "
        f"{suite.budget.trials} trials; state in {home.root}",
        markup=False,
    )


def _names(datasets: Any) -> str:
    return ", ".join(datasets) if isinstance(datasets, tuple) else f"all {datasets.role} datasets"


def _summarise(home: Home, outcome: DemoOutcome) -> None:
    from experiments._demo import gate_words
    from experiments.tracking import ui_command
    from experiments.validating import regret_rows, rounded

    columns = ["held-out dataset", "metric", "candidate", "untuned search", "HistGradientBoosting"]
    _output.print_table(
        "mean normalised regret on the test part (0 best known, 1 constant predictor; lower is better)",
        columns,
        rounded(regret_rows(outcome.validation)),
    )
    sweep = outcome.sweep
    lines = [
        f"swept      {sweep.planned} trials on {len(sweep.tally.datasets)} datasets ({sweep.reused} from before, {sweep.failed} failed)",
        f"overhead   {outcome.overhead.per_trial:.2f} s a trial (wall minus training, in the worker)",
        f"mined      version {outcome.version.short}: lode db show {outcome.version.short}",
        f"validated  {sum(each.trials for each in outcome.validation.results)} trials in {len(outcome.validation.results)} searches",
        f"gate       {gate_words(outcome.gate)}",
        f"journal    {home.journal}",
        f"tracking   {ui_command(home)}",
        f"report     {outcome.report}",
        f"time       {_time(outcome.seconds)} in all",
        "next       lode automl run YOUR.csv --target COLUMN --time-budget 2m   (lode: in .venv/bin)",
    ]
    for line in lines:
        _output.out.print(line, markup=False)


def _facts(home: Home, outcome: DemoOutcome) -> dict[str, Any]:
    from experiments._demo import gate_words
    from experiments.tracking import ui_command
    from experiments.validating import regret_rows

    names = ("dataset", "metric", "candidate", "untuned", "hist_gradient_boosting")
    sweep = outcome.sweep
    return {
        "sweep": {
            "sweep_id": sweep.sweep_id,
            "trials": sweep.planned,
            "ran": sweep.ran,
            "reused": sweep.reused,
            "failed": sweep.failed,
            "statuses": sweep.statuses,
        },
        "overhead_seconds_a_trial": outcome.overhead.per_trial,
        "version": outcome.version,
        "regret": [dict(zip(names, row, strict=True)) for row in regret_rows(outcome.validation)],
        "validation": outcome.validation,
        "validation_reused": outcome.reused,
        "gate": outcome.gate,
        "gate_words": gate_words(outcome.gate),
        "stages": outcome.stages,
        "seconds": outcome.seconds,
        "paths": {"home": home.root, "journal": home.journal, "report": Path(outcome.report), "view": ui_command(home)},
    }


def _time(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 60 else f"{seconds / 60:.1f} min"

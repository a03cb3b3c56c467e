"""``lode mine``: from the journal's trials to a candidate version of the heuristics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from experiments._home import Home
from experiments.commands import _output

if TYPE_CHECKING:
    from heuristics_db import CategoricalDomain, FloatDomain, HeuristicsDocument, Hyperparameter, IntDomain, SeedConfiguration


def mine(
    sweep: Annotated[
        list[str] | None, typer.Option("--sweep", "-s", help="Mine this sweep; may be given again. All training trials otherwise.")
    ] = None,
    note: Annotated[str, typer.Option("--note", help="Kept with the version, for the history.")] = "",
    dry_run: _output.DryRunOption = False,
    as_json: _output.JsonOption = False,
) -> None:
    """Mine search spaces, seeds, model choice and early stopping from training trials, and store them as a candidate version."""
    from experiments._mine import mine_sweeps, not_mined
    from experiments._store import open_store
    from heuristics_db import content_hash

    home = Home.find()
    document = mine_sweeps(home, sweep or [])
    version = None if dry_run else content_hash(document)
    if not dry_run:
        with open_store(home) as store:
            version = store.add(document, note=note or f"mined from {', '.join(document.provenance.sweeps)}", by="lode mine").id
    if as_json:
        _output.print_json({"version": version, "stored": not dry_run, "document": document})
        return
    _show(document)
    _warn_of_open_sweeps(home, document.provenance.sweeps)
    if others := {} if sweep else not_mined(home):
        _output.say(f"not mined, for their role: {', '.join(f'{count} {role} trials' for role, count in others.items())}")
    if version is None:
        _output.say("dry run: nothing was stored")
    else:
        _output.out.print(f"candidate {version}", markup=False)
        _output.say(f"next, on held-out datasets: lode validate demo --version {version[:12]}")


def _warn_of_open_sweeps(home: Home, sweeps: Iterable[str]) -> None:
    """Say which sweeps have trials still to run: what is mined from them now is mined from a part."""
    from experiments import ExperimentError
    from experiments.journaling import Journal
    from experiments.sweeping import planned_sweeps, sweep_status

    planned = set(planned_sweeps(Journal(home.journal)))
    for sweep_id in sweeps:
        if sweep_id not in planned:
            continue
        try:
            status = sweep_status(home, sweep_id)
        except ExperimentError:  # a plan of another time, which this code cannot read
            continue
        if not status.complete:
            how = "lode sweep status shows how far it is" if status.running else f"lode sweep resume {status.sweep_id} finishes it"
            _output.warn(f"only {status.tally.done} of {status.tally.planned} trials of sweep {status.sweep_id} are done; {how}")


def _show(document: HeuristicsDocument) -> None:
    from mining import OBSERVED

    provenance = document.provenance
    left_out = {name.removeprefix("left_out."): int(count) for name, count in provenance.backtest.items() if name.startswith("left_out.")}
    told = "".join(f", {count} left out as {name}" for name, count in left_out.items() if count)
    _output.say(f"{provenance.trials} trials of {len(provenance.datasets)} datasets, {provenance.failed_trials} failed{told}")
    own = sum(each.reference == OBSERVED for each in provenance.datasets)
    frozen = len(provenance.datasets) - own
    _output.say(f"the ends of the regret scale are frozen for {frozen} datasets" + (f", taken from the trials for {own}" if own else ""))
    for modality, found in document.modalities.items():
        _output.print_table(
            f"{modality}: model types",
            ["model type", "mean regret", "searched", "seeds of its own"],
            [
                [name, regret, "yes" if name in found.model_choice.order else "no", len(found.model_types[name].portfolio)]
                for name, regret in found.model_choice.regret.items()
            ],
        )
        _output.say(found.model_choice.reason)
        for name, heuristics in found.model_types.items():
            _output.print_table(
                f"{modality}: {name}",
                ["hyperparameter", "importance", "space", "why"],
                [[each.name, each.importance, _space(each), each.reason] for each in heuristics.space.hyperparameters],
            )
        if found.portfolio:
            _output.print_table(
                f"{modality}: portfolio",
                ["", "model type", "configuration", "best on"],
                [[place, seed.model_type, _configuration(seed), ", ".join(seed.best_on)] for place, seed in enumerate(found.portfolio, 1)],
            )
        _output.say(found.limits.reason)
        _output.say(f"early stopping: {found.early_stopping.reason}")


def _space(hyperparameter: Hyperparameter) -> str:
    domain: FloatDomain | IntDomain | CategoricalDomain = hyperparameter.domain
    if not hyperparameter.searched:
        return f"fixed at {hyperparameter.fixed}"
    if domain.kind == "categorical":
        return ", ".join(str(choice) for choice in domain.choices)
    return f"{domain.low:g} to {domain.high:g}{' (log)' if domain.log else ''}"


def _configuration(seed: SeedConfiguration) -> str:
    return ", ".join(
        f"{name.rpartition('.')[2]}={value:.3g}" if isinstance(value, float) else f"{name.rpartition('.')[2]}={value}"
        for name, value in seed.configuration.items()
    )

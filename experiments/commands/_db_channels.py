"""``lode db promote|rollback|retire|gate``: moving channels, and the gate before them."""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._errors import ExperimentError
from experiments._home import Home
from experiments.commands import _db_tables as tables
from experiments.commands._db_shared import CHECK_FAILED, By, Channel, Expected, Note, Ref, caller, open_database
from experiments.commands._output import DryRunOption, JsonOption, print_json, say, tell, warn


def promote(
    ref: Ref,
    channel: Channel = "staging",
    by: By = "",
    note: Note = "",
    expected: Expected = None,
    override: Annotated[bool, typer.Option("--override", help="Promote it though the gate refuses; with --reason.")] = False,
    reason: Annotated[str, typer.Option("--reason", help="Why the gate is overridden; the history keeps it.")] = "",
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Point a channel at a version when its validation passes the channel's gate; exit 1 when it does not."""
    if override != bool(reason.strip()):
        raise ExperimentError("--override and --reason go together: the history keeps why a gate was overridden")
    with open_database() as store:
        version = store.version(ref)
        if dry_run:
            verdict = store.check_gate(version.id, channel)
        else:
            verdict = store.promote(
                version.id, channel, by=by or caller(), note=note, expected=expected, override=reason if override else None
            )
        channels = store.channels()
    moved = verdict.passed or override
    if as_json:
        print_json({"verdict": verdict, "channels": channels, "dry_run": dry_run, "overridden": override and not verdict.passed})
    else:
        tables.print_verdict(verdict)
        if moved:
            tell(f"{channel} {'would point' if dry_run else 'now points'} at {version.short}")
    if not verdict.passed and override:
        warn(f"the gate of {channel} refuses {version.short} ({len(verdict.reasons)} rules), and is overridden: {reason}")
    if not moved:
        raise typer.Exit(CHECK_FAILED)


def rollback(
    channel: Channel = "staging",
    steps: Annotated[int, typer.Option("--steps", min=1, help="How many versions back.")] = 1,
    by: By = "",
    note: Note = "",
    expected: Expected = None,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Point a channel back at a version that stood there before."""
    with open_database() as store:
        if dry_run:
            version = store.rollback_target(channel, steps=steps)
        else:
            version = store.rollback(channel, steps=steps, by=by or caller(), note=note, expected=expected)
    if as_json:
        print_json({"channel": channel, "version": version, "dry_run": dry_run})
    else:
        tell(f"{channel} {'would point' if dry_run else 'points'} at {version.short} again")


def retire(ref: Ref, by: By = "", note: Note = "", dry_run: DryRunOption = False, as_json: JsonOption = False) -> None:
    """Withdraw a version for good: it stays readable, and can't be promoted any more."""
    with open_database() as store:
        version = store.version(ref) if dry_run else store.retire(ref, by=by or caller(), note=note)
    if as_json:
        print_json({"version": version, "dry_run": dry_run})
    else:
        tell(f"{version.short} {'would be' if dry_run else 'is'} retired")


def gate(
    channel: Channel = "staging",
    simulated: Annotated[bool, typer.Option("--simulate", help="Print how often the gate errs; exit 1 when too often.")] = False,
    noise: Annotated[
        float | None, typer.Option("--noise", min=0, help="Standard deviation of a difference from seed to seed; measured unless given.")
    ] = None,
    gain: Annotated[float, typer.Option("--gain", help="How much better than the untuned search versions are, in regret.")] = 0.1,
    datasets: Annotated[int | None, typer.Option("--datasets", min=1, help="Datasets looked at; the fewest that the rules take.")] = None,
    seeds: Annotated[int | None, typer.Option("--seeds", min=1, help="Seeds a dataset; the fewest that the rules take.")] = None,
    look: Annotated[int, typer.Option("--look", min=1, help="Which look at these datasets it is.")] = 1,
    as_json: JsonOption = False,
) -> None:
    """Show what a channel's gate asks for, as the policy file has it (gate.yaml in the home; what it leaves out is as here)."""
    from experiments._gate import gate_policy, policy_file, policy_yaml, simulated_rates

    home = Home.find()
    policy = gate_policy(home)
    if not simulated:
        if as_json:
            print_json({"policy": policy, "rules": policy.rules(channel), "file": policy_file(home)})
        else:
            typer.echo(policy_yaml(policy), nl=False)
        return
    found = simulated_rates(home, policy.rules(channel), noise=noise, gain=gain, datasets=datasets, seeds=seeds, look=look)
    if as_json:
        print_json(found)
    else:
        tables.print_rates(channel, found.supposed, found.rates)
        say(found.noise_from)
        if found.seeds_needed is not None:
            say(f"with {found.seeds_needed} seeds a dataset all would hold")
    if not all(each.holds for each in found.rates):
        raise typer.Exit(CHECK_FAILED)


def gc(by: By = "", note: Note = "", dry_run: DryRunOption = False, as_json: JsonOption = False) -> None:
    """Let go of the documents of retired versions that no channel ever pointed at; their history stays."""
    with open_database() as store:
        found = store.gc(by=by or caller(), note=note, dry_run=dry_run)
    if as_json:
        print_json({"versions": found, "dry_run": dry_run})
        return
    for version in found:
        tell(version[:12])
    say(f"{len(found)} versions {'would be' if dry_run else 'were'} collected")


def upgrade(dry_run: DryRunOption = False, as_json: JsonOption = False) -> None:
    """Bring the database to the newest schema; a SQLite file of an older one is copied beside itself first."""
    from heuristics_db import upgrade_database

    home = Home.find()
    done = upgrade_database(home.database_url, dry_run=dry_run)
    if as_json:
        print_json({"before": done.before, "after": done.after, "copy": done.copy, "dry_run": dry_run})
    elif done.before == done.after:
        tell(f"the database has schema {done.after} already")
    else:
        kept = f"; the file as it was: {done.copy}" if done.copy else ""
        tell(f"schema {done.before or 'of none'} {'would become' if dry_run else 'is now'} {done.after}{kept}")

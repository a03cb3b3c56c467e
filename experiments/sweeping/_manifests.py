"""Sweeps that were begun: their manifests, how far they are, and which one is meant."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from filelock import FileLock, Timeout

from experiments._errors import ExperimentError, ExperimentWarning
from experiments._home import Home
from experiments._yaml import validated
from experiments.journaling import Journal
from experiments.sweeping._plan import SweepManifest
from experiments.sweeping._tally import SweepTally
from experiments.tracking import SweepRun

_LOCK_SECONDS = 2.0
"""Who looks whether a sweep is running holds its lock for a moment."""


@dataclass(frozen=True)
class SweepStatus:
    """How far a sweep is; ``running`` says that a process is working on it now."""

    sweep_id: str
    created_at: datetime
    running: bool
    tally: SweepTally

    @property
    def complete(self) -> bool:
        """Whether every planned trial is settled."""
        return self.tally.done == self.tally.planned


def read_manifest(journal: Journal, sweep_id: str) -> SweepManifest:
    """Return the manifest of ``sweep_id``; raises :class:`ExperimentError` when there is none, or none that can be read."""
    content = journal.manifest(sweep_id)
    if content is None:
        known = journal.sweeps()
        if sweep_id in known:
            raise ExperimentError(
                f"{sweep_id} has trials in {journal.root} and no plan: they were imported, or a search ran them; "
                f"lode trials list --sweep {sweep_id} shows them"
            )
        near = difflib.get_close_matches(sweep_id, known, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(known)}" if known else "none was begun here"
        raise ExperimentError(f"no sweep {sweep_id!r} in {journal.root}; {hint}")
    path = journal.folder(sweep_id) / "plan.json"
    found = validated(content, SweepManifest, f"{path} is no plan of this version (`lode sweep run` of the sweep's file writes it anew)")
    if found.sweep_id != sweep_id:
        raise ExperimentError(f"{path} is the plan of {found.sweep_id}; run the file of sweep {sweep_id} again, which writes its plan anew")
    return found


def planned_sweeps(journal: Journal) -> list[str]:
    """Return the ids of all sweeps whose plan can be read, the one worked on last at the end; of each other one it warns."""
    found = []
    for sweep_id in journal.sweeps():
        try:
            if journal.manifest(sweep_id) is not None:
                read_manifest(journal, sweep_id)
                found.append(sweep_id)
        except (ExperimentError, OSError) as error:
            warnings.warn(f"left out: {error}", ExperimentWarning, stacklevel=2)
    return found


def begin_manifest(journal: Journal, manifest: SweepManifest) -> SweepManifest:
    """Keep the plan of a sweep that begins; of one that goes on, what its file says now of budget, limits and tries.

    Returns the plan as it is kept: one that goes on was made when it began.
    """
    if journal.write_manifest(manifest.sweep_id, manifest.model_dump(mode="json")):
        return manifest
    try:
        before = read_manifest(journal, manifest.sweep_id)
    except ExperimentError:  # written by another version: the same id, so the same trials
        journal.note(manifest.sweep_id, "plan", manifest.model_dump(mode="json"))
        return manifest
    kept = manifest.model_copy(update={"created_at": before.created_at})
    if before.spec != manifest.spec:
        journal.note(manifest.sweep_id, "plan", kept.model_dump(mode="json"))
    return kept


def sweep_status(home: Home, sweep_id: str) -> SweepStatus:
    """Return how far ``sweep_id`` is; raises :class:`ExperimentError` when there is no such sweep."""
    journal = Journal(home.journal)
    manifest = read_manifest(journal, sweep_id)
    tally = SweepTally.of(manifest, journal.records(sweep_id))
    return SweepStatus(sweep_id, manifest.created_at, _is_running(home, sweep_id), tally)


def unfinished_sweep(home: Home) -> str:
    """Return the sweep worked on last that is not complete; raises :class:`ExperimentError` when there is none."""
    for sweep_id in reversed(planned_sweeps(Journal(home.journal))):
        if not sweep_status(home, sweep_id).complete:
            return sweep_id
    raise ExperimentError(f"no unfinished sweep in {home.journal}; `lode sweep status` lists what there is")


def sweep_run(home: Home, sweep_id: str) -> SweepRun:
    """Describe ``sweep_id`` for MLflow; a group of trials without a sweep's plan (a validation) is described by its id alone."""
    journal = Journal(home.journal)
    content = journal.manifest(sweep_id)
    if content is None or "spec" not in content:
        if sweep_id not in journal.sweeps():
            read_manifest(journal, sweep_id)
        return SweepRun(sweep_id, sweep_id)
    return describe(read_manifest(journal, sweep_id))


def describe(manifest: SweepManifest) -> SweepRun:
    """Describe a sweep for MLflow."""
    spec = manifest.spec
    parameters = {
        "datasets": ", ".join(each.name for each in manifest.datasets),
        "model_types": ", ".join(dict.fromkeys(each.model_type for each in manifest.trials)),
        "configurations": str(spec.configurations.count),
        "sampler": spec.configurations.sampler,
        "sampler_seed": str(spec.configurations.seed),
        "seeds": ", ".join(map(str, spec.seeds)),
        "epochs": str(spec.epochs),
        "row_cap": str(spec.row_cap),
        "planned_trials": str(len(manifest.trials)),
    }
    if spec.portfolio is not None:
        parameters["portfolio"] = spec.portfolio.version or spec.portfolio.file or f"{len(spec.portfolio.seeds)} configurations"
    if spec.stopping is not None:
        parameters["stopping"] = f"halving: after {spec.stopping.grace_period} epochs, by {spec.stopping.reduction_factor:g}"
    tags = {"lode.untuned_space_hash": manifest.untuned_space_hash} | {f"version.{name}": each for name, each in manifest.versions.items()}
    began = int(manifest.created_at.timestamp() * 1000)
    return SweepRun(manifest.sweep_id, spec.name, parameters=parameters, tags=tags, started=began)


@contextmanager
def alone(home: Home, sweep_id: str) -> Iterator[None]:
    """Hold a sweep so that no second driver runs it; raises :class:`ExperimentError` when one does. A killed driver lets go by itself."""
    lock = _lock(home, sweep_id)
    try:
        lock.acquire(timeout=_LOCK_SECONDS)
    except Timeout as error:
        raise ExperimentError(
            f"sweep {sweep_id} is being run by another process; `lode sweep status {sweep_id}` shows how far it is"
        ) from error
    try:
        yield
    finally:
        lock.release()


def _is_running(home: Home, sweep_id: str) -> bool:
    lock = _lock(home, sweep_id)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return True
    except OSError:  # a journal that may be read alone: whoever works on it is elsewhere
        return False
    lock.release()
    return False


def _lock(home: Home, sweep_id: str) -> FileLock:
    folder = home.journal / sweep_id
    folder.mkdir(parents=True, exist_ok=True)
    return FileLock(folder / "sweep.lock")

"""Gathers a report's data from the journal and the heuristics database."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from automl import engine_versions, untuned_spaces
from experiments._errors import ExperimentError
from experiments._home import Home
from experiments.journaling import Journal
from experiments.reporting._collect import mined_facts, overhead, swept_datasets, trial_dots
from experiments.reporting._data import ReportData, Stage
from heuristics_db import GateVerdict, HeuristicsStore, ValidationSummary, Version
from mining import TrialRecord


def gather(
    home: Home,
    store: HeuristicsStore,
    ref: str | None = None,
    *,
    sweeps: Sequence[str] = (),
    title: str = "",
    stages: Sequence[Stage] = (),
    notes: Sequence[str] = (),
) -> ReportData:
    """Collect all that is known of one heuristics version: the trials that it was mined from, its choices, its newest validation, the gate.

    Args:
        home: where the journal is.
        store: the heuristics database.
        ref: the version, by hash, prefix or channel; the newest one when not given.
        sweeps: the sweeps whose trials are shown; those that the version was mined from when not given, or all when there is no version.
        title: of the page.
        stages: how long each stage of the run took, when the report is of a run.
        notes: remarks that stand below the gate's verdict.

    Raises:
        ExperimentError: there is neither a version nor a trial to report on.
        HeuristicsError: there is no version ``ref``.

    """
    version = _version(store, ref)
    document = store.get(version.id) if version is not None else None
    journal = Journal(home.journal)
    chosen = tuple(sweeps) or (document.provenance.sweeps if document is not None else tuple(journal.sweeps()))
    records = _training_trials(journal, chosen)
    if version is None and not records:
        raise ExperimentError(f"nothing to report on in {home.root}: run a sweep first (lode sweep run demo) or name a version")
    own = document is not None and set(chosen) <= set(document.provenance.sweeps)
    mined_from = document.provenance.datasets if document is not None and own else ()
    validation = next(reversed(store.validations(version.id)), None) if version is not None else None
    return ReportData(
        title=title or (f"Heuristics version {version.short}" if version is not None else "Sweeps"),
        created_at=datetime.now(UTC),
        datasets=swept_datasets(records, mined_from),
        dots=trial_dots(records, mined_from),
        overhead=overhead(records) if records else None,
        mined=mined_facts(document, version=version.id, state=version.state, wide=untuned_spaces())
        if document is not None and version is not None and "tabular" in document.modalities
        else None,
        validation=validation,
        gates=_gates(store, version, validation),
        promoted=version.channels if version is not None else (),
        stages=tuple(stages),
        paths=tuple(_paths(home, chosen, validation)),
        versions=tuple(sorted((document.provenance.versions if document is not None else engine_versions()).items())),
        notes=tuple(notes),
    )


def report_path(home: Home, data: ReportData) -> Path:
    """Return where the report on ``data`` is written unless another place is asked for.

    One that tells of the stages of a demo has a place of its own: a later report on the same version does not know them.
    """
    name = data.mined.version[:12] if data.mined is not None else "sweeps"
    return home.reports / f"{'demo-' if data.stages else ''}{name}.html"


def _version(store: HeuristicsStore, ref: str | None) -> Version | None:
    if ref is not None:
        return store.version(ref)
    return next(iter(store.versions()), None)


def _training_trials(journal: Journal, sweeps: Sequence[str]) -> list[TrialRecord]:
    known = set(journal.sweeps())
    found: dict[str, TrialRecord] = {}
    for sweep_id in sweeps:
        if sweep_id in known:
            found |= {record.trial_id: record for record in journal.records(sweep_id) if record.role == "training"}
    return [found[trial_id] for trial_id in sorted(found)]


def _gates(store: HeuristicsStore, version: Version | None, validation: ValidationSummary | None) -> tuple[GateVerdict, ...]:
    if version is None or validation is None:
        return ()
    return (store.check_gate(version.id, "staging"),)


def _paths(home: Home, sweeps: Sequence[str], validation: ValidationSummary | None) -> list[tuple[str, str]]:
    found = [(f"trials of {sweep_id}", str(home.journal / sweep_id)) for sweep_id in sweeps]
    if validation is not None:
        found.append(("trials of the validation", str(home.journal / validation.validation_id)))
    return [*found, ("heuristics database", _without_password(home.database_url)), ("tracking", _without_password(home.tracking_uri))]


def _without_password(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    host = rest.rpartition("@")[2]
    return f"{scheme}{separator}{host}"

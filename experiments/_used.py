"""What was ever tried on which content, by the journal: a role that was used is never changed."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from typing import Literal

from experiments._errors import ExperimentError, ExperimentWarning
from experiments._home import Home
from experiments.journaling import Journal


def used_content(journal: Journal, role: Literal["training", "held_out", "user"] | None = None) -> dict[str, frozenset[str]]:
    """Return the names that datasets had when trials of ``role`` (of any unless given) ran on them, by the fingerprint of their content."""
    found: dict[str, set[str]] = {}
    for record in journal.records(role=role):
        found.setdefault(record.fingerprint, set()).add(record.dataset)
    return {fingerprint: frozenset(names) for fingerprint, names in found.items()}


def was_used(home: Home, name: str, fingerprints: Collection[str]) -> bool:
    """Say whether the journal holds a trial of any role on a dataset of this ``name``, or on content with one of ``fingerprints``.

    Raises :class:`ExperimentError` when a record cannot be read: it may be one.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", ExperimentWarning)
            used = used_content(Journal(home.journal))
    except ExperimentWarning as warning:
        raise ExperimentError(f"nobody can say whether {name} was used: {warning}") from None
    return any(fingerprint in fingerprints or name in names for fingerprint, names in used.items())

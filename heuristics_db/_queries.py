"""What the store reads within one transaction."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pydantic import ValidationError
from sqlalchemy import Connection, func, select

from heuristics_db._canonical import first_fault, hash_of, read_document
from heuristics_db._channels import CHANNELS, channel_head, channels, retired
from heuristics_db._document import HeuristicsDocument
from heuristics_db._errors import HeuristicsError
from heuristics_db._records import Version
from heuristics_db._summary import ValidationSummary
from heuristics_db._tables import EVENTS, VALIDATIONS, VERSIONS


def resolve(connection: Connection, ref: str) -> str:
    """Return the full id that ``ref`` stands for: a channel, a full hash, or a unique prefix of at least four digits.

    Raises:
        HeuristicsError: it stands for nothing, or for more than one version.

    """
    if ref in CHANNELS:
        held = channel_head(connection, ref).version
        if held is None:
            raise HeuristicsError(f"{ref} points at no version yet: promote one (lode db promote VERSION --channel {ref})")
        return held
    prefix = ref.strip().lower()
    if not re.fullmatch(r"[0-9a-f]{4,64}", prefix):
        raise HeuristicsError(f"{ref!r} names no version: give a hash, at least 4 digits of one, or a channel ({', '.join(CHANNELS)})")
    query = select(VERSIONS.c.id).where(VERSIONS.c.id.startswith(prefix)).order_by(VERSIONS.c.id).limit(2)
    found = connection.execute(query).scalars().all()
    if not found:
        raise HeuristicsError(f"no heuristics version {ref} in the database: lode db list shows those that are there")
    if len(found) > 1:
        raise HeuristicsError(f"{ref} stands for more than one version, {found[0][:12]} and {found[1][:12]} among them: give more digits")
    return str(found[0])


def stored_content(connection: Connection, version: str) -> str:
    """Return the canonical JSON of a version as it was written, after a look at whether it still is that.

    Raises:
        HeuristicsError: it is not.

    """
    data = str(connection.execute(select(VERSIONS.c.document).where(VERSIONS.c.id == version)).scalar_one())
    if hash_of(data) != version:
        raise HeuristicsError(f"version {version[:12]} was altered in the database: its content no longer has that hash")
    return data


def stored_document(connection: Connection, version: str) -> HeuristicsDocument:
    """Return the document of a version.

    Raises:
        HeuristicsError: it is no longer what was written, or it was written under a newer schema.

    """
    return read_document(stored_content(connection, version), where=f"version {version[:12]}")


def stored_versions(connection: Connection) -> list[Version]:
    """Return all versions, newest first."""
    counted = select(VALIDATIONS.c.version, func.count()).group_by(VALIDATIONS.c.version)
    counts: dict[str, int] = dict(connection.execute(counted).tuples().all())
    gone, heads = retired(connection), channels(connection)
    query = (
        select(VERSIONS.c.id, VERSIONS.c.created_at, VERSIONS.c.note)
        .join(EVENTS, EVENTS.c.version == VERSIONS.c.id)
        .where(EVENTS.c.action.in_(("added", "imported")))
        .order_by(EVENTS.c.sequence.desc())
    )
    return [
        Version(
            id=row.id,
            state="retired" if row.id in gone else "validated" if counts.get(row.id) else "candidate",
            created_at=row.created_at,
            note=row.note,
            channels=tuple(name for name in CHANNELS if heads.get(name) == row.id),
            validations=counts.get(row.id, 0),
        )
        for row in connection.execute(query)
    ]


def stored_summaries(connection: Connection) -> Iterator[tuple[str, ValidationSummary]]:
    """Yield the recorded validations, oldest first, with their ids.

    Raises:
        HeuristicsError: one is no longer what was written, or can't be read.

    """
    for row in connection.execute(select(VALIDATIONS.c.id, VALIDATIONS.c.summary).order_by(VALIDATIONS.c.sequence)):
        if hash_of(row.summary) != row.id:
            raise HeuristicsError(f"validation {row.id[:12]} was altered in the database: its content no longer has that hash")
        try:
            yield row.id, ValidationSummary.model_validate_json(row.summary)
        except ValidationError as error:
            raise HeuristicsError(f"validation {row.id[:12]} can't be read by this Motherlode: {first_fault(error)}") from error


def stored_records(connection: Connection, version: str) -> tuple[str, ...]:
    """Return the canonical JSON of a version's validations as it was written, oldest first; raise as `stored_summaries` does."""
    wanted = {record for record, summary in stored_summaries(connection) if summary.version == version}
    rows = connection.execute(select(VALIDATIONS.c.id, VALIDATIONS.c.summary).order_by(VALIDATIONS.c.sequence))
    return tuple(row.summary for row in rows if row.id in wanted)

"""What the store reads within one transaction."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Connection, Row, Select, func, select

from heuristics_db._canonical import first_fault, hash_of, read_document
from heuristics_db._channels import CHANNELS, channel_head, channels
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
    prefix = ref.strip().lower()
    if not re.fullmatch(r"[0-9a-f]{4,64}", prefix):
        return _channels_version(connection, ref)
    # a range, since the database's own order serves it: LIKE needs one by bytes
    query = select(VERSIONS.c.id).where(VERSIONS.c.id >= prefix, VERSIONS.c.id <= prefix.ljust(64, "f")).order_by(VERSIONS.c.id).limit(2)
    found = connection.execute(query).scalars().all()
    if not found:
        raise HeuristicsError(f"no heuristics version {ref} in the database: lode db list shows those that are there")
    if len(found) > 1:
        raise HeuristicsError(f"{ref} stands for more than one version, {found[0][:12]} and {found[1][:12]} among them: give more digits")
    return str(found[0])


def _channels_version(connection: Connection, ref: str) -> str:
    held = channel_head(connection, ref).version
    if held is not None:
        return held
    if ref in CHANNELS:
        raise HeuristicsError(f"{ref} points at no version yet: promote one (lode db promote VERSION --channel {ref})")
    known = ", ".join(dict.fromkeys((*CHANNELS, *channels(connection))))
    raise HeuristicsError(f"{ref!r} names no version: give a hash, at least 4 digits of one, or a channel ({known})")


def stored_content(connection: Connection, version: str) -> str:
    """Return the canonical JSON of a version as it was written, after a look at whether it still is that.

    Raises:
        HeuristicsError: it is not.

    """
    data = str(connection.execute(select(VERSIONS.c.document).where(VERSIONS.c.id == version)).scalar_one())
    if not data and is_collected(connection, version):
        raise HeuristicsError(f"version {version[:12]} was retired, and its document collected (lode db gc): only its history is left")
    if hash_of(data) != version:
        raise HeuristicsError(f"version {version[:12]} was altered in the database: its content no longer has that hash")
    return data


def stored_document(connection: Connection, version: str) -> HeuristicsDocument:
    """Return the document of a version.

    Raises:
        HeuristicsError: it is no longer what was written, or it was written under a newer schema.

    """
    return read_document(stored_content(connection, version), where=f"version {version[:12]}")


def is_collected(connection: Connection, version: str) -> bool:
    """Say whether the document of a version was collected."""
    query = select(EVENTS.c.sequence).where(EVENTS.c.version == version, EVENTS.c.action == "collected").limit(1)
    return connection.execute(query).first() is not None


def stored_version(connection: Connection, version: str) -> Version:
    """Return what is known of one version, by its full id."""
    row = connection.execute(_described().where(ADDED.c.version == version)).one()
    return _version(row, _pointing(connection))


def stored_versions(connection: Connection, *, limit: int | None = None) -> list[Version]:
    """Return the versions, newest first; of more than ``limit``, the newest. Those whose documents were collected are left out."""
    pointing = _pointing(connection)
    query = _described().where(ADDED.c.version.not_in(_having("collected"))).order_by(ADDED.c.sequence.desc()).limit(limit)
    return [_version(row, pointing) for row in connection.execute(query).all()]


ADDED = EVENTS.alias("added")


def _described() -> Select[Any]:
    """Select each version by its first row of the history: in SQLite, what stands behind a long document is slow to read."""
    counted = select(func.count()).where(VALIDATIONS.c.version == ADDED.c.version).correlate(ADDED)
    return select(
        ADDED.c.version,
        ADDED.c.at,
        ADDED.c.note,
        ADDED.c.version.in_(_having("retired")).label("retired"),
        counted.scalar_subquery().label("validations"),
    ).where(ADDED.c.action.in_(("added", "imported")))


def _having(action: str) -> Select[Any]:
    return select(EVENTS.c.version).where(EVENTS.c.action == action)


def _pointing(connection: Connection) -> dict[str, tuple[str, ...]]:
    """Return, by version, the channels that point at it."""
    found: dict[str, tuple[str, ...]] = {}
    for name, version in channels(connection).items():
        found[version] = (*found.get(version, ()), name)
    return found


def _version(row: Row[Any], pointing: Mapping[str, tuple[str, ...]]) -> Version:
    version, at, note, gone, validations = tuple(row)
    return Version(
        id=version,
        state="retired" if gone else "validated" if validations else "candidate",
        created_at=at,
        note=note,
        channels=pointing.get(version, ()),
        validations=validations,
    )


def stored_summaries(connection: Connection, version: str | None = None) -> Iterator[tuple[str, ValidationSummary]]:
    """Yield the recorded validations, of one version or of all, oldest first, with their ids.

    Raises:
        HeuristicsError: one is no longer what was written, or can't be read.

    """
    for row in _records(connection, version):
        try:
            yield row.id, ValidationSummary.model_validate_json(row.summary)
        except ValidationError as error:
            raise HeuristicsError(f"validation {row.id[:12]} can't be read by this Motherlode: {first_fault(error)}") from error


def stored_records(connection: Connection, version: str) -> tuple[str, ...]:
    """Return the canonical JSON of a version's validations as it was written, oldest first; raise as `stored_summaries` does."""
    return tuple(row.summary for row in _records(connection, version))


def _records(connection: Connection, version: str | None) -> Iterator[Row[str, str]]:
    query = select(VALIDATIONS.c.id, VALIDATIONS.c.summary).order_by(VALIDATIONS.c.sequence)
    if version is not None:
        query = query.where(VALIDATIONS.c.version == version)
    for row in connection.execute(query):
        if hash_of(row.summary) != row.id:
            raise HeuristicsError(f"validation {row.id[:12]} was altered in the database: its content no longer has that hash")
        yield row

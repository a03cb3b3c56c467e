"""Writing versions and validations, each with its row of the history, within one write transaction."""

from __future__ import annotations

from sqlalchemy import Connection, select

from heuristics_db._canonical import hash_of
from heuristics_db._errors import HeuristicsError
from heuristics_db._history import append, now, plain
from heuristics_db._looks import check_look
from heuristics_db._queries import is_collected
from heuristics_db._records import Action
from heuristics_db._summary import ValidationSummary
from heuristics_db._tables import VALIDATIONS, VERSIONS


def add_content(connection: Connection, content: str, schema_version: int, *, note: str, by: str, action: Action) -> str:
    """Store a document's canonical JSON and return its version's id; the same content again changes nothing.

    Raises:
        HeuristicsError: it was here before, was retired, and its document was collected.

    """
    version, at = hash_of(content), now()
    if connection.execute(select(VERSIONS.c.id).where(VERSIONS.c.id == version)).first() is not None:
        if is_collected(connection, version):
            raise HeuristicsError(f"version {version[:12]} was retired, and its document collected: it does not come back")
        return version
    row = {"id": version, "schema_version": schema_version, "document": content, "note": plain(note, "note"), "created_at": at}
    connection.execute(VERSIONS.insert().values(row))
    append(connection, action, version, by=by, note=note, at=at)
    return version


def record(
    connection: Connection, version: str, summary: ValidationSummary, content: str, *, look: int | None, by: str, imported: bool
) -> str:
    """Store a validation's canonical JSON and return its id; the same again changes nothing.

    Raises:
        HeuristicsError: the summary is of another version, or the look was not this validation's.

    """
    found, at = hash_of(content), now()
    if summary.version != version:
        raise HeuristicsError(f"the validation is of version {summary.version[:12]}, not of {version[:12]}")
    if connection.execute(select(VALIDATIONS.c.id).where(VALIDATIONS.c.id == found)).first() is not None:
        return found
    if look is not None:
        check_look(connection, look, summary)
    row = {
        "id": found,
        "version": version,
        "suite_hash": summary.suite_hash,
        "summary": content,
        "imported": int(imported),
        "created_at": at,
    }
    connection.execute(VALIDATIONS.insert().values(row))
    detail = {"validation": found, "suite": summary.suite, "imported": imported, "look": look}
    append(connection, "validated", version, by=by, detail=detail, at=at)
    return found

"""The canonical JSON of a document, and the content hash that names a version."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pydantic import BaseModel, ValidationError

from heuristics_db._document import SCHEMA_VERSION, HeuristicsDocument
from heuristics_db._errors import HeuristicsError
from heuristics_db._places import figure, one_line, place_of, shortened


def canonical_json(document: BaseModel) -> bytes:
    """Return the one way of writing ``document``: UTF-8, keys sorted, no spaces, every field present.

    Floats are written as Python's shortest exact form, so that reading and writing again gives the same bytes.
    """
    return rewritten(document.model_dump(mode="json")).encode()


def content_hash(document: BaseModel) -> str:
    """Return the SHA-256 of the canonical JSON, as 64 hexadecimal digits.

    It names what is written now. A version that was stored by an earlier Motherlode keeps the name that it got then, though this one
    would write a field more: ask the store for a stored version's id.
    """
    return hash_of(canonical_json(document).decode())


def rewritten(plain: Any) -> str:
    """Return JSON data in canonical form, neither adding nor leaving out a field."""
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def hash_of(canonical: str) -> str:
    """Return the SHA-256 of canonical JSON that was written before, as 64 hexadecimal digits."""
    return hashlib.sha256(canonical.encode()).hexdigest()


def parsed(data: str | bytes, *, where: str) -> Any:
    """Return what JSON says; raise :class:`HeuristicsError` where it says nothing, or more deeply nested than anything of ours."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise HeuristicsError(f"{where} is not JSON: {shortened(one_line(str(error)))}") from error


def read_document(data: str | bytes, *, where: str = "the document") -> HeuristicsDocument:
    """Read a heuristics document from JSON.

    Raises:
        HeuristicsError: ``data`` is not JSON, was written under a newer schema, or does not follow the schema; the line names the place.

    """
    plain = parsed(data, where=where)
    found = plain.get("schema_version", SCHEMA_VERSION) if isinstance(plain, dict) else SCHEMA_VERSION
    if isinstance(found, int) and found > SCHEMA_VERSION:
        raise HeuristicsError(
            f"{where} has schema version {figure(found)}, this Motherlode reads up to {SCHEMA_VERSION}: upgrade Motherlode"
        )
    try:
        return HeuristicsDocument.model_validate_json(data)
    except ValidationError as error:
        raise HeuristicsError(f"{where} is not a heuristics document: {first_fault(error, plain)}") from error


def first_fault(error: ValidationError, data: Any = None) -> str:
    """Say in one line where in ``data`` and why pydantic refused it, and how many faults more there are."""
    faults = error.errors(include_url=False, include_context=False)
    fault = faults[0]
    reason = fault["msg"].removeprefix("Value error, ")
    if reason.startswith("Input should be") and not isinstance(fault["input"], dict | list | tuple):
        reason = f"{reason[0].lower()}{reason[1:]}, not {figure(fault['input'])}"
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return f"{place_of(data, fault['loc'])}: {shortened(one_line(reason))}{more}"

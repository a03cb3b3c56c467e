"""The canonical JSON of a document, and the content hash that names a version."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pydantic import BaseModel, ValidationError

from heuristics_db._document import SCHEMA_VERSION, HeuristicsDocument
from heuristics_db._errors import HeuristicsError


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


def read_document(data: str | bytes, *, where: str = "the document") -> HeuristicsDocument:
    """Read a heuristics document from JSON.

    Raises:
        HeuristicsError: ``data`` is not JSON, was written under a newer schema, or does not follow the schema.

    """
    try:
        plain = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise HeuristicsError(f"{where} is not JSON: {error}") from error
    found = plain.get("schema_version", SCHEMA_VERSION) if isinstance(plain, dict) else SCHEMA_VERSION
    if isinstance(found, int) and found > SCHEMA_VERSION:
        raise HeuristicsError(f"{where} has schema version {found}, this Motherlode reads up to {SCHEMA_VERSION}: upgrade Motherlode")
    try:
        return HeuristicsDocument.model_validate_json(data)
    except ValidationError as error:
        raise HeuristicsError(f"{where} is not a heuristics document: {first_fault(error)}") from error


def first_fault(error: ValidationError) -> str:
    """Say in one line where and why pydantic refused, and how many faults more there are."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    place = ".".join(str(part) for part in faults[0]["loc"]) or "the whole"
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return f"{place}: {faults[0]['msg']}{more}"

"""A heuristics version as one JSON file, to carry from one database to another."""

from __future__ import annotations

import json
from typing import Literal

from pydantic import ValidationError

from heuristics_db._canonical import content_hash, first_fault, read_document
from heuristics_db._document import HeuristicsDocument
from heuristics_db._errors import HeuristicsError
from heuristics_db._spaces import Frozen
from heuristics_db._summary import ValidationSummary

FORMAT = "motherlode heuristics version"


class Release(Frozen):
    """A version with the validations that were recorded of it. ``version`` is the document's content hash."""

    format: Literal["motherlode heuristics version"] = "motherlode heuristics version"
    format_version: Literal[1] = 1
    version: str
    note: str = ""
    document: HeuristicsDocument
    validations: tuple[ValidationSummary, ...] = ()


def write_release(release: Release) -> bytes:
    """Return the file's content: JSON for people to read, keys sorted, always the same bytes for the same release."""
    return json.dumps(release.model_dump(mode="json"), sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def read_release(data: bytes, *, where: str) -> Release:
    """Read a release, or a bare heuristics document, from JSON.

    Raises:
        HeuristicsError: ``data`` is neither, or its content is not what its version says.

    """
    try:
        plain = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise HeuristicsError(f"{where} is not JSON: {error}") from error
    if not (isinstance(plain, dict) and plain.get("format") == FORMAT):
        document = read_document(data, where=where)
        return Release(version=content_hash(document), document=document)
    try:
        release = Release.model_validate_json(data)
    except ValidationError as error:
        raise HeuristicsError(f"{where} can't be read as an exported version: {first_fault(error)}") from error
    found = content_hash(release.document)
    if found != release.version:
        raise HeuristicsError(f"{where} was altered: it says version {release.version[:12]}, its content is {found[:12]}")
    foreign = [each for each in release.validations if each.version != found]
    if foreign:
        raise HeuristicsError(f"{where} has a validation of another version, {foreign[0].version[:12]}")
    return release

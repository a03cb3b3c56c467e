"""A heuristics version as one JSON file, to carry from one database to another."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import ValidationError

from heuristics_db._canonical import canonical_json, first_fault, hash_of, read_document, rewritten
from heuristics_db._document import HeuristicsDocument
from heuristics_db._errors import HeuristicsError
from heuristics_db._spaces import Frozen
from heuristics_db._summary import ValidationSummary

FORMAT: Literal["motherlode heuristics version"] = "motherlode heuristics version"


class _File(Frozen):
    """The file's outer form. Its document and validations stay JSON here: what names them is what was written, not how it is read now."""

    format: Literal["motherlode heuristics version"] = FORMAT
    format_version: Literal[1] = 1
    version: str
    note: str = ""
    document: dict[str, Any]
    validations: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class Release:
    """A version with the validations that were recorded of it.

    ``content`` is the document's canonical JSON as it was first written, whose hash ``version`` is, and ``records`` are the validations'
    in the same way. A newer schema reads them with its defaults filled in, and must not write them so.
    """

    version: str
    note: str
    content: str
    records: tuple[str, ...]
    document: HeuristicsDocument
    validations: tuple[ValidationSummary, ...]


def write_release(*, version: str, note: str, content: str, records: tuple[str, ...]) -> bytes:
    """Return the file's content: JSON for people to read, keys sorted, always the same bytes for the same release."""
    file = _File(version=version, note=note, document=json.loads(content), validations=tuple(json.loads(each) for each in records))
    return json.dumps(file.model_dump(mode="json"), sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False).encode() + b"\n"


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
        bare = canonical_json(document).decode()
        return Release(version=hash_of(bare), note="", content=bare, records=(), document=document, validations=())
    try:
        file = _File.model_validate(plain)
        validations = tuple(ValidationSummary.model_validate_json(json.dumps(each)) for each in file.validations)
        content, records = rewritten(file.document), tuple(rewritten(each) for each in file.validations)
    except ValueError as error:
        fault = first_fault(error) if isinstance(error, ValidationError) else str(error)
        raise HeuristicsError(f"{where} can't be read as an exported version: {fault}") from error
    document = read_document(content, where=where)
    found = hash_of(content)
    if found != file.version:
        raise HeuristicsError(f"{where} was altered: it says version {file.version[:12]}, its content is {found[:12]}")
    foreign = [each for each in validations if each.version != found]
    if foreign:
        raise HeuristicsError(f"{where} has a validation of another version, {foreign[0].version[:12]}")
    return Release(version=found, note=file.note, content=content, records=records, document=document, validations=validations)

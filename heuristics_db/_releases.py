"""A heuristics version as one JSON file, to carry from one database to another."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field, ValidationError

from heuristics_db._canonical import canonical_json, first_fault, hash_of, parsed, read_document, rewritten
from heuristics_db._document import HeuristicsDocument
from heuristics_db._errors import HeuristicsError
from heuristics_db._places import figure, one_line, shortened
from heuristics_db._spaces import Frozen
from heuristics_db._summary import ValidationSummary

FORMAT: Literal["motherlode heuristics version"] = "motherlode heuristics version"

LARGEST_FILE = 64 * 1024 * 1024
"""Bytes of the largest file that is read: some thousand times what a version of many model types and datasets takes."""

MOST_VALIDATIONS = 10_000
LONGEST_NOTE = 10_000


class _File(Frozen):
    """The file's outer form. Its document and validations stay JSON here: what names them is what was written, not how it is read now.

    ``checksum`` is the SHA-256 of the canonical JSON of all the rest. It finds what got lost or changed on the way; it proves nothing about
    who wrote the file. Files of the first format have none.
    """

    format: Literal["motherlode heuristics version"] = FORMAT
    format_version: Literal[1, 2] = 2
    version: str = Field(pattern=r"^[0-9a-f]{64}$")
    note: str = Field(default="", max_length=LONGEST_NOTE)
    document: dict[str, Any]
    validations: tuple[dict[str, Any], ...] = Field(default=(), max_length=MOST_VALIDATIONS)
    checksum: str | None = None


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
    plain = file.model_dump(mode="json") | {"checksum": _checksum(file.model_dump(mode="json"))}
    return json.dumps(plain, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def read_release(data: bytes, *, where: str) -> Release:
    """Read a release, or a bare heuristics document, from JSON.

    Raises:
        HeuristicsError: ``data`` is neither, is larger than `LARGEST_FILE`, or its content is not what its version or its checksum says.

    """
    if len(data) > LARGEST_FILE:
        raise HeuristicsError(f"{where} is larger than {LARGEST_FILE // 2**20} MiB: no heuristics version is")
    plain = parsed(data, where=where)
    if not (isinstance(plain, dict) and plain.get("format") == FORMAT):
        document = read_document(data, where=where)
        bare = canonical_json(document).decode()
        return Release(version=hash_of(bare), note="", content=bare, records=(), document=document, validations=())
    try:
        file = _File.model_validate(plain)
        validations = tuple(ValidationSummary.model_validate_json(json.dumps(each)) for each in file.validations)
        content, records = rewritten(file.document), tuple(rewritten(each) for each in file.validations)
        found, checksum = hash_of(content), _checksum(plain)
    except (ValueError, RecursionError) as error:
        fault = first_fault(error, plain) if isinstance(error, ValidationError) else shortened(one_line(str(error)))
        raise HeuristicsError(f"{where} can't be read as an exported version: {fault}") from error
    document = read_document(content, where=where)
    if found != file.version:
        raise HeuristicsError(f"{where} was altered: it says version {file.version[:12]}, its content is {found[:12]}")
    if file.format_version > 1 and checksum != file.checksum:
        raise HeuristicsError(f"{where} was altered: its checksum is {checksum[:12]}, it says {figure(file.checksum)}")
    foreign = [each for each in validations if each.version != found]
    if foreign:
        raise HeuristicsError(f"{where} has a validation of another version, {foreign[0].version[:12]}")
    return Release(version=found, note=file.note, content=content, records=records, document=document, validations=validations)


def _checksum(plain: dict[str, Any]) -> str:
    return hash_of(rewritten({name: value for name, value in plain.items() if name != "checksum"}))

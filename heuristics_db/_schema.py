"""The JSON Schema of a heuristics document."""

from __future__ import annotations

from typing import Any

from heuristics_db._document import SCHEMA_VERSION, HeuristicsDocument


def document_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a document of this schema version.

    It tells the form. That seeds lie in their spaces, that nothing held out stands in the provenance and the other invariants,
    `broken_invariants` tells.
    """
    schema = HeuristicsDocument.model_json_schema(mode="validation")
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$comment": f"schema version {SCHEMA_VERSION}"}
    return head | schema

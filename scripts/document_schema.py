"""Write docs/reference/heuristics-document.schema.json anew from the models: ``python scripts/document_schema.py``."""

from __future__ import annotations

import json
from pathlib import Path

from heuristics_db import document_schema

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "heuristics-document.schema.json"


def written() -> str:
    """Return the file's text."""
    return json.dumps(document_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PAGE.write_text(written())

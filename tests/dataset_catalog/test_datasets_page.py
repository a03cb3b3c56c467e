"""The page that lists the datasets says what the cards say."""

import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_follows_the_cards() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "dataset_tables.py"))
    page = script["PAGE"].read_text(encoding="utf-8")
    assert script["written"](page) == page, "run scripts/dataset_tables.py"
    assert page.count("\n| ") >= 36

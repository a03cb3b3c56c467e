"""docs/reference/profile.md tells every field of a profile, as the code defines it."""

from pathlib import Path

from dataset_catalog.profiling import PROFILE_VERSION, described_fields

PAGE = Path(__file__).parents[3] / "docs/reference/profile.md"


def test_the_table_is_that_of_the_model():
    text = PAGE.read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| `")]
    assert rows == [[f"`{name}`", unit or "–", definition, origin] for name, unit, definition, origin in described_fields()]
    assert f"version {PROFILE_VERSION}" in text

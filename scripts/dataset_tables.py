"""Write the tables of docs/reference/datasets.md anew from the cards: ``python scripts/dataset_tables.py``."""

from pathlib import Path

from dataset_catalog import DatasetCard, archives, cards

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "datasets.md"
MARK = "<!-- written by scripts/dataset_tables.py: {} -->"
ROLES = ("training", "held_out", "unused")


def table(role: str) -> str:
    """Return the Markdown table of the shipped datasets of one role."""
    lines = ["| name | what | task | rows | family | from | licence |", "| --- | --- | --- | ---: | --- | --- | --- |"]
    return "\n".join([*lines, *(row(card) for card in cards() if card.role == role)])


def row(card: DatasetCard) -> str:
    """Return the line of one dataset."""
    archive = archives()[str(card.loader.package)]
    source = "apt's own lists" if archive.client == "apt_lists" else f"{archive.client}: {archive.requirement}"
    rows = f"{card.rows:,}, drifts" if card.drifts else f"{card.rows:,}"
    return f"| {card.name} | {card.title} | {card.task} | {rows} | {card.family} | {source} | {card.licence} |"


def written(page: str) -> str:
    """Return ``page`` with what stands between the marks of each role written anew."""
    for role in ROLES:
        start, end = MARK.format(role), MARK.format(f"end of {role}")
        before, _, rest = page.partition(start)
        after = rest.partition(end)[2]
        page = f"{before}{start}\n\n{table(role)}\n\n{end}{after}"
    return page


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

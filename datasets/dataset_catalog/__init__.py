"""The dataset catalogue: cards, archives, fingerprints, splits, profiles and roles.

Each name is imported when it is first asked for: cards and roles are read without pandas and what else loads tables.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataset_catalog._cards import DatasetCard, Loader, Modality, OwnCheck, Reference, SplitRule, Task, read_card
    from dataset_catalog._catalog import Catalog, card, cards, load
    from dataset_catalog._errors import CatalogError, NotHereError
    from dataset_catalog._load import Dataset, load_address, load_card, load_frame, load_unverified
    from dataset_catalog._progress import ByteProgress, Progress
    from dataset_catalog._roles import LockedRole, RoleBook, dump_roles
    from dataset_catalog.content import FINGERPRINT_VERSION, NEAR_DUPLICATE, SKETCH_SIZE, canonical_order, fingerprint, similarity, sketch
    from dataset_catalog.profiling import PROFILE_VERSION, Profile, profile
    from dataset_catalog.reading import read_table, table_notes
    from dataset_catalog.sources import Archive, archives, fetch, open_table
    from dataset_catalog.splitting import PartedRows, Split, cap_rows, make_split, part_rows

__all__ = [
    "FINGERPRINT_VERSION",
    "NEAR_DUPLICATE",
    "PROFILE_VERSION",
    "SKETCH_SIZE",
    "Archive",
    "ByteProgress",
    "Catalog",
    "CatalogError",
    "Dataset",
    "DatasetCard",
    "Loader",
    "LockedRole",
    "Modality",
    "NotHereError",
    "OwnCheck",
    "PartedRows",
    "Profile",
    "Progress",
    "Reference",
    "RoleBook",
    "Split",
    "SplitRule",
    "Task",
    "archives",
    "canonical_order",
    "cap_rows",
    "card",
    "cards",
    "dump_roles",
    "fetch",
    "fingerprint",
    "load",
    "load_address",
    "load_card",
    "load_frame",
    "load_unverified",
    "make_split",
    "open_table",
    "part_rows",
    "profile",
    "read_card",
    "read_table",
    "similarity",
    "sketch",
    "table_notes",
]

_PLACES = {
    "_cards": "DatasetCard Loader Modality OwnCheck Reference SplitRule Task read_card",
    "_catalog": "Catalog card cards load",
    "_errors": "CatalogError NotHereError",
    "_load": "Dataset load_address load_card load_frame load_unverified",
    "_progress": "ByteProgress Progress",
    "_roles": "LockedRole RoleBook dump_roles",
    "content": "FINGERPRINT_VERSION NEAR_DUPLICATE SKETCH_SIZE canonical_order fingerprint similarity sketch",
    "profiling": "PROFILE_VERSION Profile profile",
    "reading": "read_table table_notes",
    "sources": "Archive archives fetch open_table",
    "splitting": "PartedRows Split cap_rows make_split part_rows",
}

_MODULES = {name: module for module, names in _PLACES.items() for name in names.split()}

if not TYPE_CHECKING:  # a type checker would take every name for one of ours

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = globals()[name] = getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

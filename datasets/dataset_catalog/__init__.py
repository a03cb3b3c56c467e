"""The dataset catalogue: cards, archives, fingerprints, splits, profiles and roles."""

from dataset_catalog._errors import CatalogError
from dataset_catalog._fingerprint import FINGERPRINT_VERSION, canonical_order, fingerprint
from dataset_catalog._split import Split, cap_rows, make_split
from dataset_catalog._tables import read_table, table_notes

__all__ = [
    "FINGERPRINT_VERSION",
    "CatalogError",
    "Split",
    "canonical_order",
    "cap_rows",
    "fingerprint",
    "make_split",
    "read_table",
    "table_notes",
]

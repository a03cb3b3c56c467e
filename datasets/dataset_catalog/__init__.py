"""The dataset catalogue: cards, archives, fingerprints, splits, profiles and roles."""

from dataset_catalog._archives import Archive, archives, fetch
from dataset_catalog._cards import DatasetCard, Loader, OwnCheck, Reference, SplitRule, card, read_card
from dataset_catalog._errors import CatalogError
from dataset_catalog._fingerprint import FINGERPRINT_VERSION, canonical_order, fingerprint
from dataset_catalog._listing import cards
from dataset_catalog._load import Dataset, load, load_card, load_unverified
from dataset_catalog._profile import PROFILE_VERSION, Profile, profile
from dataset_catalog._roles import LockedRole, RoleBook, dump_roles
from dataset_catalog._sketch import NEAR_DUPLICATE, SKETCH_SIZE, similarity, sketch
from dataset_catalog._split import Split, cap_rows, make_split
from dataset_catalog._tables import read_table, table_notes

__all__ = [
    "FINGERPRINT_VERSION",
    "NEAR_DUPLICATE",
    "PROFILE_VERSION",
    "SKETCH_SIZE",
    "Archive",
    "CatalogError",
    "Dataset",
    "DatasetCard",
    "Loader",
    "LockedRole",
    "OwnCheck",
    "Profile",
    "Reference",
    "RoleBook",
    "Split",
    "SplitRule",
    "archives",
    "canonical_order",
    "cap_rows",
    "card",
    "cards",
    "dump_roles",
    "fetch",
    "fingerprint",
    "load",
    "load_card",
    "load_unverified",
    "make_split",
    "profile",
    "read_card",
    "read_table",
    "similarity",
    "sketch",
    "table_notes",
]

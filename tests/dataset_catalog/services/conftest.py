"""What the tests of services share: a server on this machine, and a cache whose content can be compared."""

from collections.abc import Iterator

import pytest

from tests.dataset_catalog.services.loopback import Loopback, serving


@pytest.fixture
def loopback() -> Iterator[Loopback]:
    """A server that answers 404 until it is told more."""
    with serving() as server:
        yield server

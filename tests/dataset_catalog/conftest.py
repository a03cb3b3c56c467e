"""What tests of several parts of the catalogue share."""

import socket
from typing import Any

import pytest


@pytest.fixture
def no_such_host(monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a host whose name nobody knows: asked of this process alone, so that no test needs a name server."""
    ask = socket.getaddrinfo

    def told(host: Any, *more: Any, **options: Any) -> Any:
        if host == "nowhere.invalid":
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return ask(host, *more, **options)

    monkeypatch.setattr(socket, "getaddrinfo", told)
    return "http://nowhere.invalid"

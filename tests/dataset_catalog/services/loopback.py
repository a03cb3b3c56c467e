"""A server on this machine that speaks what a service speaks: each test says what it answers, and sees what was asked."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from tests.loopback import Handler, listening


@dataclass
class Answer:
    """What is sent for one path. ``cut``: only so many bytes of the body, then the line is closed. ``wait``: seconds before it."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    wait: float = 0.0


@dataclass
class Loopback:
    """The server: ``paths`` maps a path to its answer, or to what makes one from the request's headers."""

    url: str
    paths: dict[str, Answer | Callable[[dict[str, str]], Answer]] = field(default_factory=dict)
    asked: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)

    def count(self, method: str, path: str) -> int:
        """How often ``path`` was asked for."""
        return sum((each[0], each[1]) == (method, path) for each in self.asked)


@contextmanager
def serving() -> Iterator[Loopback]:
    """A server that answers 404 until it is told more."""
    state = Loopback(url="")

    class Answering(Handler):
        def do_GET(self) -> None:
            path, headers = unquote(urlsplit(self.path).path), dict(self.headers.items())
            state.asked.append((self.command, path, headers))
            found = state.paths.get(path, Answer(b"no such thing", 404))
            answer = found(headers) if callable(found) else found
            if answer.wait:
                time.sleep(answer.wait)
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if "Content-Length" not in answer.headers:
                self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(answer.body if answer.cut is None else answer.body[: answer.cut])
            if answer.cut is not None:
                self.close_connection = True

        do_HEAD = do_GET

    with listening(Answering) as state.url:
        yield state

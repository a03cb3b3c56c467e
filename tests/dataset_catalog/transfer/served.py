"""HTTP servers on the loopback that behave as servers in the wild do: cut connections, changed content, no ranges, refusals."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.loopback import Handler, listening

CONTENT = bytes(range(256)) * 4000  # about 1 MB
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def left(folder: Path) -> list[str]:
    """Return the names of what lies in ``folder``, locks aside."""
    return sorted(path.name for path in folder.iterdir() if not path.name.endswith(".lock"))


@dataclass
class Served:
    """What is served, how, and what was asked for. ``cuts`` are after how many bytes of a body the connection is dropped, one an answer.

    ``aside``: an answer to a range begins so many bytes after what was asked for.
    """

    content: bytes
    tag: str | None = '"v1"'
    ranges: bool = True
    length: bool = True
    chunked: bool = False
    cuts: list[int] = field(default_factory=list)
    refusals: list[int] = field(default_factory=list)
    slow: float = 0.0
    aside: int = 0
    asked: list[dict[str, str]] = field(default_factory=list)
    location: str | None = None
    address: str = ""

    def ranged(self) -> list[str | None]:
        return [headers.get("range") for headers in self.asked]


def _handler(served: Served) -> type[Handler]:
    class Wild(Handler):
        def do_GET(self) -> None:
            served.asked.append({name.lower(): value for name, value in self.headers.items()} | {"path": self.path})
            self.close_connection = True
            if served.refusals:
                self.send_response(served.refusals.pop(0))
                self._nothing()
                return
            if served.location and self.path != served.location:
                self.send_response(302)
                self.send_header("Location", served.location)
                self._nothing()
                return
            self._answer()

        def _nothing(self) -> None:
            self.send_header("Content-Length", "0")
            self.send_header("Connection", "close")
            self.end_headers()

        def _answer(self) -> None:
            content, start = served.content, 0
            wanted = self.headers.get("Range")
            if wanted and served.ranges and self.headers.get("If-Range") in (None, served.tag):
                start = int(wanted.removeprefix("bytes=").rstrip("-")) + served.aside
                if start >= len(content):
                    self.send_response(416)
                    self._nothing()
                    return
                self.send_response(206)
                self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
            else:
                self.send_response(200)
            if served.tag:
                self.send_header("ETag", served.tag)
            if served.chunked:
                self.send_header("Transfer-Encoding", "chunked")
            elif served.length:
                self.send_header("Content-Length", str(len(content) - start))
            self.send_header("Connection", "close")
            self.end_headers()
            self._body(content[start:])

        def _body(self, body: bytes) -> None:
            cut = served.cuts.pop(0) if served.cuts else len(body)
            for begin in range(0, cut, 1 << 14):
                piece = body[begin : min(begin + (1 << 14), cut)]
                self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece) if served.chunked else piece)
                self.wfile.flush()
                if served.slow:
                    time.sleep(served.slow)
            if served.chunked and cut >= len(body):
                self.wfile.write(b"0\r\n\r\n")

        def handle(self) -> None:
            try:
                super().handle()
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

    return Wild


@contextmanager
def serving(served: Served) -> Iterator[Served]:
    """Serve until the context ends; ``served.address`` is where."""
    with listening(_handler(served)) as served.address:
        yield served

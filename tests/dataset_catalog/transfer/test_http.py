"""Downloads over HTTP: what breaks off is gone on with, what changed is read anew, and nothing torn is taken for whole."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from dataset_catalog import CatalogError
from dataset_catalog.sources import transfer
from tests.dataset_catalog.progress import Told
from tests.dataset_catalog.transfer.served import CONTENT, SHA256, left
from tests.loopback import dead_url

ROOT = Path(__file__).parents[3]


def test_a_whole_file_comes_once(tmp_path: Path, served: Any) -> None:
    told = Told()
    to = tmp_path / "deep" / "data.csv"
    assert transfer(served.address + "/data.csv", to, sha256=SHA256, size=len(CONTENT), progress=told) == to
    assert to.read_bytes() == CONTENT
    transfer(served.address + "/data.csv", to, sha256=SHA256)
    transfer(served.address + "/data.csv", to)
    assert len(served.asked) == 1
    assert left(to.parent) == ["data.csv"]
    assert told.bytes[-1][1:] == (len(CONTENT), len(CONTENT))
    seen = [done for _, done, _ in told.bytes]
    assert seen == sorted(seen)
    assert seen.count(len(CONTENT)) == 1


def test_sentences_alone_will_do(tmp_path: Path, served: Any) -> None:
    said: list[str] = []
    transfer(served.address + "/x?token=secret", tmp_path / "x", progress=said.append)
    assert said == [f"fetching {served.address}/x"]


def test_what_breaks_off_is_gone_on_with(tmp_path: Path, served: Any) -> None:
    served.cuts = [300_000, 300_000]
    transfer(served.address + "/x", tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == CONTENT
    assert served.ranged() == [None, "bytes=300000-", "bytes=600000-"]
    assert served.asked[1]["if-range"] == '"v1"'


def test_a_later_call_goes_on_too(tmp_path: Path, served: Any) -> None:
    served.cuts, served.refusals = [300_000], []
    served.cuts += [0] * 10
    with pytest.raises(CatalogError, match="300000 bytes are kept") as caught:
        transfer(served.address + "/x", tmp_path / "x")
    assert "\n" not in str(caught.value)
    assert left(tmp_path) == ["x.part", "x.part.json"]
    served.cuts, served.asked = [], []
    told = Told()
    transfer(served.address + "/x", tmp_path / "x", progress=told)
    assert (tmp_path / "x").read_bytes() == CONTENT
    assert served.ranged() == ["bytes=300000-"]
    assert any("going on" in sentence for sentence in told.sentences)
    assert left(tmp_path) == ["x"]


def test_all_there_but_the_renaming(tmp_path: Path, served: Any) -> None:
    served.cuts = [len(CONTENT) - 1] + [0] * 10
    with pytest.raises(CatalogError):
        transfer(served.address + "/x", tmp_path / "x")
    (tmp_path / "x.part").write_bytes(CONTENT)
    served.cuts, served.asked = [], []
    transfer(served.address + "/x", tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == CONTENT
    assert served.ranged() == [f"bytes={len(CONTENT) - 1}-"]


@pytest.mark.parametrize("new", [CONTENT[::-1], CONTENT[::-1] * 2, b"short"])
def test_changed_content_is_read_anew(tmp_path: Path, served: Any, new: bytes) -> None:
    served.cuts = [300_000] + [0] * 10
    with pytest.raises(CatalogError):
        transfer(served.address + "/x", tmp_path / "x")
    served.cuts, served.content, served.tag = [], new, '"v2"'
    transfer(served.address + "/x", tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == new


def test_content_of_the_same_tag_and_another_length_is_read_anew(tmp_path: Path, served: Any) -> None:
    served.cuts = [300_000] + [0] * 10
    with pytest.raises(CatalogError):
        transfer(served.address + "/x", tmp_path / "x")
    served.cuts, served.content, served.asked = [], CONTENT[::-1] * 2, []
    transfer(served.address + "/x", tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == CONTENT[::-1] * 2
    assert served.ranged() == ["bytes=300000-", None]


def test_an_answer_from_another_place_is_not_joined_on(tmp_path: Path, served: Any) -> None:
    served.cuts, served.aside = [300_000], 7
    transfer(served.address + "/x", tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == CONTENT
    assert served.ranged() == [None, "bytes=300000-", None]


def test_bytes_of_another_address_are_not_gone_on_with(tmp_path: Path, served: Any) -> None:
    served.cuts = [300_000] + [0] * 10
    with pytest.raises(CatalogError):
        transfer(served.address + "/x", tmp_path / "x")
    served.cuts, served.content, served.asked = [], CONTENT[::-1], []
    transfer(served.address + "/other", tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == CONTENT[::-1]
    assert served.ranged() == [None]


def test_a_server_that_ignores_if_range(tmp_path: Path, served: Any) -> None:
    served.cuts = [300_000] + [0] * 10
    with pytest.raises(CatalogError):
        transfer(served.address + "/x", tmp_path / "x")
    served.cuts, served.content, served.tag = [], CONTENT[::-1], None  # the handler then continues whatever it is asked
    served.asked = []
    with pytest.raises(CatalogError, match="SHA-256"):
        transfer(served.address + "/x", tmp_path / "x", sha256=SHA256)
    assert left(tmp_path) == []


def test_without_ranges_it_starts_again(tmp_path: Path, served: Any) -> None:
    served.ranges, served.cuts = False, [300_000]
    transfer(served.address + "/x", tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == CONTENT
    assert len(served.asked) == 2


def test_without_a_tag_only_a_checked_download_goes_on(tmp_path: Path, served: Any) -> None:
    served.tag, served.cuts = None, [300_000]
    transfer(served.address + "/x", tmp_path / "x")
    assert served.ranged() == [None, None]
    served.asked, served.cuts = [], [300_000]
    transfer(served.address + "/y", tmp_path / "y", sha256=SHA256)
    assert served.ranged() == [None, "bytes=300000-"]
    assert (tmp_path / "y").read_bytes() == CONTENT


def test_chunked_answers(tmp_path: Path, served: Any) -> None:
    served.chunked, served.cuts = True, [300_000]
    transfer(served.address + "/x", tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == CONTENT


def test_an_answer_without_length_could_be_torn(tmp_path: Path, served: Any) -> None:
    served.length = False
    with pytest.raises(CatalogError, match="how long the file is"):
        transfer(served.address + "/x", tmp_path / "x")
    served.cuts = [300_000]
    transfer(served.address + "/x", tmp_path / "x", sha256=SHA256, size=len(CONTENT))
    assert (tmp_path / "x").read_bytes() == CONTENT


def test_other_content_than_pinned_is_thrown_away(tmp_path: Path, served: Any) -> None:
    (tmp_path / "x").write_bytes(b"as it was")
    with pytest.raises(CatalogError, match="SHA-256"):
        transfer(served.address + "/x", tmp_path / "x", sha256="0" * 64)
    assert (tmp_path / "x").read_bytes() == b"as it was"
    with pytest.raises(CatalogError, match="another file"):
        transfer(served.address + "/x", tmp_path / "x", size=17)
    assert left(tmp_path) == ["x"]


def test_a_wrong_file_that_is_there_is_replaced(tmp_path: Path, served: Any) -> None:
    (tmp_path / "x").write_bytes(CONTENT[::-1])
    transfer(served.address + "/x", tmp_path / "x", sha256=SHA256.upper())
    assert (tmp_path / "x").read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("refusals", "message"),
    [([404], "404: there is no such file"), ([403], "403: it denies access"), ([401], "401"), ([410], "gone"), ([503] * 9, "503")],
)
def test_refusals_are_told_in_one_line(tmp_path: Path, served: Any, refusals: list[int], message: str) -> None:
    served.refusals = refusals
    with pytest.raises(CatalogError, match=message) as caught:
        transfer(served.address + "/x?secret=1", tmp_path / "x")
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)
    assert left(tmp_path) == []


def test_passing_refusals_pass(tmp_path: Path, served: Any) -> None:
    served.refusals = [503, 500, 429]
    transfer(served.address + "/x", tmp_path / "x")
    assert len(served.asked) == 4


def test_redirects_keep_the_range(tmp_path: Path, served: Any) -> None:
    served.location, served.cuts = "/elsewhere", [300_000]
    transfer(served.address + "/x", tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == CONTENT
    assert [(each["path"], each.get("range")) for each in served.asked][-1] == ("/elsewhere", "bytes=300000-")


def test_nobody_there(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="refused") as caught:
        transfer(f"{dead_url()}/x", tmp_path / "x")
    assert "\n" not in str(caught.value)


def test_a_host_that_there_is_not(tmp_path: Path, no_such_host: str) -> None:
    with pytest.raises(CatalogError, match="no such host") as caught:
        transfer(f"{no_such_host}/x", tmp_path / "x")
    assert "\n" not in str(caught.value)
    assert left(tmp_path) == []


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://", "not an address"),
        ("http://[::1", "not an address"),
        ("nonsense://x/y", "not opened"),
        ("zip::s3://a/b", "not opened"),
        ("memory://x", "not opened"),
        ("file:///etc/passwd", "not opened"),
        ("ftp://127.0.0.1:9/x", "refused"),
    ],
)
def test_no_such_place(tmp_path: Path, url: str, message: str) -> None:
    with pytest.raises(CatalogError, match=message) as caught:
        transfer(url, tmp_path / "x")
    assert "\n" not in str(caught.value)
    assert left(tmp_path) == []


def test_a_server_without_tls(tmp_path: Path, served: Any) -> None:
    with pytest.raises(CatalogError, match="not secure") as caught:
        transfer(served.address.replace("http", "https") + "/x", tmp_path / "x")
    assert "\n" not in str(caught.value)


def test_a_certificate_that_nobody_vouches_for(tmp_path: Path, served: Any) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = dt.datetime.now(dt.UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
    certificate = builder.not_valid_before(now).not_valid_after(now + dt.timedelta(days=1)).sign(key, hashes.SHA256())
    pem = tmp_path / "self-signed.pem"
    unlocked = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    pem.write_bytes(unlocked + certificate.public_bytes(serialization.Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def shake_hands() -> None:
            connection, _ = listening.accept()
            with contextlib.suppress(OSError):
                context.wrap_socket(connection, server_side=True).close()

        thread = threading.Thread(target=shake_hands)
        thread.start()
        with pytest.raises(CatalogError, match=r"not secure.*self.signed") as caught:
            transfer(f"https://127.0.0.1:{listening.getsockname()[1]}/x?secret=1", tmp_path / "x")
        thread.join()
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_no_room_to_keep_it(tmp_path: Path, served: Any) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(CatalogError, match="cannot be kept there"):
        transfer(served.address + "/x", tmp_path / "file" / "x")
    assert served.asked == []


def started(address: str, to: Path) -> subprocess.Popen[bytes]:
    code = f"from pathlib import Path; from dataset_catalog.sources import transfer; transfer({address!r}, Path({str(to)!r}))"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "datasets")}
    return subprocess.Popen([sys.executable, "-c", code], env=environment, stderr=subprocess.PIPE)


def until(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def test_a_killed_download_is_gone_on_with(tmp_path: Path, served: Any) -> None:
    served.slow = 0.02
    to = tmp_path / "x"
    process = started(served.address + "/x", to)
    try:
        until(lambda: to.with_name("x.part").exists() and to.with_name("x.part").stat().st_size > 0)
        process.send_signal(signal.SIGKILL)
    finally:
        process.wait()
        process.stderr.close()
    here = to.with_name("x.part").stat().st_size
    assert 0 < here < len(CONTENT)
    assert not to.exists()
    served.slow, served.asked = 0.0, []
    transfer(served.address + "/x", to, sha256=SHA256)
    assert served.ranged() == [f"bytes={here}-"]


def test_two_processes_download_once(tmp_path: Path, served: Any) -> None:
    served.slow = 0.01
    to = tmp_path / "x"
    both = [started(served.address + "/x", to) for _ in range(2)]
    for process in both:
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said.decode()
    assert to.read_bytes() == CONTENT
    assert len(served.asked) == 1
    with contextlib.suppress(FileNotFoundError):
        to.with_name("x.lock").unlink()
    assert left(tmp_path) == ["x"]

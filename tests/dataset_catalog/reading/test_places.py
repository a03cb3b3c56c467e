"""Awkward places: names, pipes, devices, folders, rights, locales."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from dataset_catalog import CatalogError, read_table
from dataset_catalog.reading import _opening

ROOT = Path(__file__).parents[3]


def one_line(path: Path, message: str) -> None:
    with pytest.raises(CatalogError, match=message) as caught:
        read_table(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["a b.csv", "名前.csv", "a'b\"c.csv", "-x.csv", "noending", "a.tar.gz", " .csv", "x%20y.csv", "a#b.csv"])
def test_names(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"a,b\n1,x\n")
    assert len(read_table(tmp_path / name)) == 1


def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.csv"))
    path.write_bytes(b"a,b\n1,x\n")
    assert len(read_table(path)) == 1


def test_no_file_and_a_folder(tmp_path: Path) -> None:
    one_line(tmp_path / "nothing.csv", "no such file")
    one_line(tmp_path, "is a folder")
    one_line(tmp_path / ("x" * 300), "cannot be read")
    one_line(tmp_path / "a\0b", "cannot be read")


def test_links(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"a,b\n1,x\n")
    (tmp_path / "link").symlink_to("t.csv")
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "dangling").symlink_to("gone")
    assert len(read_table(tmp_path / "link")) == 1
    one_line(tmp_path / "circle", "cannot be read")
    one_line(tmp_path / "dangling", "no such file")


def test_no_right_to_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n1,x\n")
    path.chmod(0)
    before = os.geteuid()
    try:
        if before == 0:  # who may do everything is not kept out
            os.seteuid(65534)
        one_line(path, "cannot be read \\(Permission denied\\)")
    finally:
        os.seteuid(before)


def test_devices() -> None:
    one_line(Path("/dev/null"), "a device or a socket")
    one_line(Path("/dev/zero"), "a device or a socket")


def test_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(b"a,b\n" + b"1,x\n" * 100_000))
    writer.start()
    assert len(read_table(pipe)) == 100_000
    writer.join()


def test_what_a_shell_hands_over() -> None:
    """``lode … <(zcat t.csv.gz)`` names an open pipe."""
    reading, writing = os.pipe()
    writer = threading.Thread(target=lambda: (os.write(writing, b"a,b\n1,x\n"), os.close(writing)))
    writer.start()
    try:
        assert len(read_table(Path(f"/dev/fd/{reading}"))) == 1
    finally:
        writer.join()
        os.close(reading)


def test_a_pipe_that_nobody_writes_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_opening, "PIPE_SECONDS", 0.05)
    os.mkfifo(tmp_path / "pipe")
    one_line(tmp_path / "pipe", "nobody has written to")


@pytest.mark.parametrize(
    "locale", [{"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}, {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR"}]
)
def test_locales_change_nothing(tmp_path: Path, locale: dict[str, str]) -> None:
    (tmp_path / "çı.csv").write_bytes("TITLE;ı\n1,5;é\n2,5;x\n".encode())
    (tmp_path / "t.arff").write_bytes(
        b"@RELATION T\n@ATTRIBUTE I INTEGER\n@ATTRIBUTE d DATE 'dd MMM yyyy'\n@DATA\n1,'03 May 2020'\n2,'04 Jun 2020'\n"
    )
    code = (
        "import json, sys; from pathlib import Path; from dataset_catalog import read_table\n"
        "frames = [read_table(path) for path in sorted(Path(sys.argv[1]).iterdir())]\n"
        "print(json.dumps([[list(frame.columns), frame.astype(str).values.tolist()] for frame in frames]))"
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))}
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        env={**kept, **locale, "PYTHONPATH": str(ROOT / "datasets")},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert json.loads(done.stdout) == [
        [["I", "d"], [["1", "2020-05-03"], ["2", "2020-06-04"]]],
        [["TITLE", "ı"], [["1.5", "é"], ["2.5", "x"]]],
    ]

"""Files are whole or absent, and what could not be written leaves nothing behind."""

import resource
from pathlib import Path

import pytest

from experiments._whole_files import put, put_if_absent


def test_content_is_replaced_or_left_as_asked(tmp_path: Path) -> None:
    path = tmp_path / "new" / "x"
    put(path, b"one")
    put(path, b"two")
    assert put_if_absent(path, b"three") is False
    assert path.read_bytes() == b"two"
    assert [each.name for each in path.parent.iterdir()] == ["x"]


def test_a_write_that_fails_leaves_what_was_there_and_no_bytes_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "x"
    put(path, b"one")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            put(path, b"2" * 2000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_bytes() == b"one"
    assert [each.name for each in tmp_path.iterdir()] == ["x"]

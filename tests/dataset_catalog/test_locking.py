"""Whoever waits for another process is told what for, waits as long as it gets on, and gives up when it does not."""

import itertools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from filelock import FileLock

from dataset_catalog import CatalogError
from dataset_catalog._locking import alone
from dataset_catalog._sizes import sizes_at


@contextmanager
def held(path: Path) -> Iterator[Callable[[], None]]:
    """Another holder of the lock at ``path``; it lets go when the answer is called, or at the end."""
    holding, done = threading.Event(), threading.Event()

    def hold() -> None:
        with FileLock(path):
            holding.set()
            done.wait(60)

    other = threading.Thread(target=hold)
    other.start()
    assert holding.wait(60)
    try:
        yield done.set
    finally:
        done.set()
        other.join()


def test_nobody_is_told_of_a_lock_that_is_free(tmp_path: Path) -> None:
    told: list[str] = []
    for _ in range(2):
        with alone(tmp_path / "x.lock", "fetching x", told.append):
            pass
    assert told == []


def test_a_holder_that_gets_no_further_is_given_up(tmp_path: Path) -> None:
    told: list[str] = []
    with (
        held(tmp_path / "x.lock"),
        pytest.raises(CatalogError) as refused,
        alone(tmp_path / "x.lock", "fetching x", told.append, patience=0.1),
    ):
        pass
    assert told == ["waiting for another process that is fetching x"]
    assert str(refused.value).startswith("another process that is fetching x has got no further for 0.1 seconds; is it stuck?")
    assert str(tmp_path / "x.lock") in str(refused.value)


def test_a_holder_that_gets_on_is_waited_for_longer_than_patience(tmp_path: Path) -> None:
    looks = itertools.count()
    with held(tmp_path / "x.lock") as let_go:

        def reached() -> int:
            look = next(looks)
            if look == 5:
                let_go()
            return look

        with alone(tmp_path / "x.lock", "fetching x", reached=reached, patience=0.1):
            assert next(looks) > 5


def test_the_lock_is_free_again_after_a_fault(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), alone(tmp_path / "x.lock", "fetching x"):
        raise ZeroDivisionError
    with alone(tmp_path / "x.lock", "fetching x", patience=0.1):
        pass


def test_sizes_are_of_a_file_of_all_below_a_folder_or_of_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder" / "below").mkdir(parents=True)
    (tmp_path / "folder" / "one").write_bytes(b"1")
    (tmp_path / "folder" / "below" / "two").write_bytes(b"22")
    assert sorted(sizes_at(tmp_path / "folder")) == [1, 2]
    assert sizes_at(tmp_path / "folder" / "one") == [1]
    assert sizes_at(tmp_path / "nothing") == []

"""Real relatives of catalogued datasets, from the real archives: found where they share rows, and only there."""

from pathlib import Path

import pytest

from benchmarks.near_duplicates import REAL, RECODED, as_expected


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("datasets")


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", [*REAL, *RECODED])
def test_a_relative_is_found_where_it_shares_rows(name: str, cache: Path) -> None:
    assert as_expected(name, cache)

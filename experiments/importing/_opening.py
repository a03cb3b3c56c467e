"""Opens somebody else's Parquet file, first in a process of its own.

What a damaged or a malicious file does to the library that reads it (it may end the process, or ask for all memory) happens to that one.
Run as a script, this module reads the file to its end and exits with 0; it imports nothing else of ours, so as to start at once.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS_AT_A_TIME = 256
_MOST_COLUMNS = 2_000
_MOST_BATCH = 2**28
_MOST_MEMORY = 2**33
_PATIENCE = 900.0
_TOO_LARGE = 4


class TooLargeError(ValueError):
    """A file that holds more than is read."""


def whole_and_fit(path: Path) -> bool:
    """Read ``path`` to its end in another process; ``False`` when that cannot be done. Raises :class:`TooLargeError`."""
    try:
        command = [sys.executable, "-P", __file__, str(path.absolute())]
        done = subprocess.run(command, capture_output=True, timeout=_PATIENCE, check=False)  # noqa: S603 - our own script
    except subprocess.TimeoutExpired:
        return False
    if done.returncode == _TOO_LARGE:
        raise TooLargeError
    return done.returncode == 0


def read_batches(path: Path) -> tuple[pa.Schema, int, Iterator[pa.RecordBatch]]:
    """Return the columns of ``path``, how many rows it says to have, and the rows, some at a time; texts as dictionaries.

    A text that is repeated a million times is in memory once. Raises :class:`TooLargeError`, and what pyarrow raises.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pq.read_schema(path)
    if len(schema) > _MOST_COLUMNS:
        raise TooLargeError
    texts = [field.name for field in schema if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)]
    file = pq.ParquetFile(path, read_dictionary=texts, page_checksum_verification=True)

    def batches() -> Iterator[pa.RecordBatch]:
        with file:
            for batch in file.iter_batches(batch_size=_ROWS_AT_A_TIME, use_threads=False):
                if batch.nbytes > _MOST_BATCH:
                    raise TooLargeError
                yield batch

    return schema, file.metadata.num_rows, batches()


def _main() -> int:
    for limit, most in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_AS, _MOST_MEMORY)):
        with suppress(ValueError, OSError):  # not everywhere
            resource.setrlimit(limit, (most, most))
    try:
        for _ in read_batches(Path(sys.argv[1]))[2]:
            pass
    except (TooLargeError, MemoryError):
        return _TOO_LARGE
    return 0


if __name__ == "__main__":
    sys.exit(_main())

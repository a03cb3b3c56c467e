"""Files with a few bytes changed, lost or doubled, a hundred a format: a table or one line, never anything else."""

from __future__ import annotations

import gzip
import io
import random
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from dataset_catalog import CatalogError, read_table

FRAME = pd.DataFrame({"a": [1, 2, 3], "b": ["x", 'y "z"', None], "c": [1.5, None, -2.0], "d": [True, False, True]})
ARFF = """@relation t
@attribute a numeric
@attribute 'b c' {x,'y \\'z'}
@attribute d date 'yyyy-MM-dd'
@data
1,x,2020-01-02
{1 'y \\'z', 2 2020-01-03}
?,?,?
"""


def written(how: Callable[[io.BytesIO], None]) -> bytes:
    stream = io.BytesIO()
    how(stream)
    return stream.getvalue()


FORMATS = {
    "t.csv": FRAME.to_csv(index=False).encode(),
    "t16.csv": FRAME.to_csv(index=False, sep=";").encode("utf-16"),
    "t.csv.gz": gzip.compress(FRAME.to_csv(index=False).encode(), mtime=0),
    "t.csv.zst": pa.compress(FRAME.to_csv(index=False).encode(), codec="zstd", asbytes=True),
    "t.jsonl": FRAME.to_json(orient="records", lines=True).encode(),
    "t.json": FRAME.to_json(orient="records").encode(),
    "t.arff": ARFF.encode(),
    "t.parquet": written(lambda stream: FRAME.to_parquet(stream)),
    "t.feather": written(lambda stream: FRAME.to_feather(stream)),
    "t.orc": written(lambda stream: FRAME.to_orc(stream, index=False)),
    "t.xlsx": written(lambda stream: FRAME.to_excel(stream, index=False, engine="xlsxwriter")),
    "t.zip": written(lambda stream: FRAME.to_csv(stream, index=False, compression={"method": "zip", "archive_name": "t.csv"})),
}


def damaged(content: bytes, chance: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(chance.randint(1, 3)):
        place, kind = chance.randrange(len(changed)), chance.randrange(5)
        if kind == 0:
            changed[place] ^= 1 << chance.randrange(8)
        elif kind == 1:
            changed[place] = chance.choice(b"\x00\",;\n\r'{}[]?\\@%\xff")
        elif kind == 2 and place:
            del changed[place:]
        elif kind == 3:
            changed[place:place] = changed[place : place + 20]
        elif len(changed) > 20:
            del changed[place : place + 15]
    return bytes(changed)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.filterwarnings("ignore")
def test_damage(tmp_path: Path, name: str) -> None:
    chance = random.Random(name)
    assert len(read_table(put(tmp_path / name, FORMATS[name]))) == 3
    said: list[str] = []
    for _ in range(100):
        path = put(tmp_path / name, damaged(FORMATS[name], chance))
        try:
            read_table(path)
        except CatalogError as error:
            said.append(str(error))
    assert not any("\n" in line for line in said)


def put(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path

"""ARFF as Weka, OpenML and people write it."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scipy.io import arff as scipys

from dataset_catalog import read_table

HEAD = b"@relation t\n@attribute a numeric\n@attribute b {x,y}\n@data\n"

READ: list[tuple[str, bytes, dict[str, list[Any]], str | None]] = [
    ("numbers and nominal values", HEAD + b"1,x\n2.5,y\n?,?\n", {"a": [1.0, 2.5, None], "b": ["x", "y", None]}, None),
    ("whole numbers", HEAD + b"1,x\n2,y\n", {"a": [1, 2], "b": ["x", "y"]}, None),
    (
        "comments, capitals, blanks, old line ends",
        b"% of old\r\n\r\n@RELATION 'a b'\r\n@ATTRIBUTE\ta\tREAL\r\n% more\r\n"
        b"@Attribute b { x , 'y z' }\r\n@DATA\r\n% last\r\n 1 , x \r\n\r\n2,'y z'\r\n",
        {"a": [1, 2], "b": ["x", "y z"]},
        None,
    ),
    (
        "quotes and escapes",
        b"@relation t\n@attribute 'it\\'s' string\n@attribute \"b c\" {'x,1',\"y}\",'%z'}\n@data\n"
        b"'a, \\'b\\'','x,1'\n\"say \\\"c\\\"\\n\\u00e9\",\"y}\"\n'?','%z'\n",
        {"it's": ["a, 'b'", 'say "c"\né', "?"], "b c": ["x,1", "y}", "%z"]},
        None,
    ),
    ("nominal values that look like numbers are text", b"@relation t\n@attribute a {01,2}\n@data\n01\n2\n", {"a": ["01", "2"]}, None),
    (
        "dates",
        b"@relation t\n@attribute d date\n@attribute e date \"yyyy-MM-dd HH:mm:ss\"\n@attribute f DATE 'dd/MM/yy'\n@data\n"
        b"2001-04-03T12:12:12,\"2001-04-03 12:59:55\",'03/04/01'\n?,?,?\n",
        {"d": ["2001-04-03T12:12:12", None], "e": ["2001-04-03T12:59:55", None], "f": ["2001-04-03T00:00:00", None]},
        None,
    ),
    ("sparse rows", HEAD + b"{0 1.5, 1 y}\n{}\n{1 'x'}\n{ 0 ? }\n", {"a": [1.5, 0.0, 0.0, None], "b": ["y", "x", "x", "x"]}, None),
    (
        "sparse rows that leave out text",
        b"@relation t\n@attribute a numeric\n@attribute s string\n@data\n{1 'it, }'}\n{0 3}\n",
        {"a": [0, 3], "s": ["it, }", None]},
        "left out by 1 of",
    ),
    ("weights of rows", HEAD + b"1,x,{5}\n{1 y},{0.5}\n", {"a": [1, 0], "b": ["x", "y"]}, "weights"),
    ("blanks between cells", HEAD + b"1 x\n2\ty\n", {"a": [1, 2], "b": ["x", "y"]}, None),
    ("a name twice", b"@relation t\n@attribute a numeric\n@attribute a numeric\n@data\n1,2\n", {"a": [1], "a.1": [2]}, "earlier"),
    ("letters of other scripts", "@relation t\n@attribute 名前 {β}\n@data\nβ\n".encode(), {"名前": ["β"]}, None),
    ("infinity and exponents", HEAD + b"1e3,x\n-inf,y\n", {"a": [1000.0, float("-inf")], "b": ["x", "y"]}, None),
]

REFUSED: list[tuple[str, bytes, str]] = [
    ("a row too long", HEAD + b"1,x\n1,x,2\n", "line 6 has 3 cells, there are 2 attributes"),
    ("no number", HEAD + b"1,x\none,y\n", "line 6 has 'one' in 'a', which is numeric"),
    ("no number but for Python", HEAD + b"1,x\n1_000,y\n", "line 6 has '1_000' in 'a', which is numeric"),
    ("no such value", HEAD + b"1,z\n", "line 5 has 'z' in 'b', whose list of values lacks it"),
    ("no such date", b"@relation t\n@attribute d date\n@data\nyesterday\n", "line 4 has 'yesterday' in 'd'"),
    ("a date pattern of another world", b"@relation t\n@attribute d date 'yyyy-QQ'\n@data\n1\n", "line 2 has a date pattern with 'QQ'"),
    ("no data", b"@relation t\n@attribute a numeric\n", "no @data"),
    ("no rows", HEAD, "0 rows"),
    ("no attributes", b"@relation t\n@data\n1\n", "no attributes"),
    ("a kind that is none", b"@relation t\n@attribute a colour\n@data\n1\n", "line 2 gives 'a' the kind 'colour'"),
    ("a table within a table", b"@relation t\n@attribute a relational\n@end a\n@data\n1\n", "line 2 makes 'a' relational"),
    ("a list that is not closed", b"@relation t\n@attribute a {x,y\n@data\nx\n", "line 2 opens the list"),
    ("a quotation mark that is not closed", HEAD + b"1,'x\n", "line 5 has a quotation mark"),
    ("a sparse row beyond the last attribute", HEAD + b"{2 x}\n", "line 5 names attribute 2"),
    ("a sparse row cut off", HEAD + b"{0 1", "line 5 opens a sparse row"),
]


@pytest.mark.parametrize(("content", "wanted", "note"), [case[1:] for case in READ], ids=[case[0] for case in READ])
def test_read(becomes: Callable[..., None], content: bytes, wanted: dict[str, list[Any]], note: str | None) -> None:
    becomes("t.arff", content, wanted, note)


@pytest.mark.parametrize(("content", "message"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_refused(refused: Callable[..., None], content: bytes, message: str) -> None:
    refused("t.arff", content, message)


def test_agrees_with_scipy_where_scipy_reads(tmp_path: Path) -> None:
    """SciPy's reader knows numbers, nominal values and dates."""
    rows = "".join(f"{number / 7:.6f},{number % 3 + 1},'level {number % 4}',2020-01-{number % 28 + 1:02d}\n" for number in range(200))
    levels = ",".join(f"'level {number}'" for number in range(4))
    header = f"@relation t\n@attribute a real\n@attribute b integer\n@attribute c {{{levels}}}\n@attribute d date 'yyyy-MM-dd'\n@data\n"
    (tmp_path / "t.arff").write_text(header + rows)
    data, meta = scipys.loadarff(io.StringIO(header + rows))
    frame = read_table(tmp_path / "t.arff")
    assert list(frame.columns) == meta.names()
    assert frame["a"].tolist() == data["a"].tolist()
    assert frame["b"].tolist() == data["b"].tolist()
    assert frame["c"].tolist() == [cell.decode() for cell in data["c"]]
    assert frame["d"].to_numpy().astype("datetime64[D]").tolist() == data["d"].astype("datetime64[D]").tolist()

"""Awkward delimited text and JSON, each a line of a table: what it is, its bytes, what becomes of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

INF = float("inf")
BIG = 12345678901234567890123

READ: list[tuple[str, str, bytes, dict[str, list[Any]], str | None]] = [
    ("UTF-8 with its mark", "t.csv", b"\xef\xbb\xbfa,b\n1,x\n", {"a": [1], "b": ["x"]}, None),
    ("a quoted name behind the mark", "t.csv", b'\xef\xbb\xbf"a",b\n1,x\n', {"a": [1], "b": ["x"]}, None),
    ("UTF-16, little end first", "t.csv", "ä;b\n1;x\n".encode("utf-16"), {"ä": [1], "b": ["x"]}, "';'"),
    ("UTF-16, big end first", "t.csv", b"\xfe\xff" + "a,b\n1,x\n".encode("utf-16-be"), {"a": [1], "b": ["x"]}, None),
    ("UTF-16 without a mark", "t.tsv", "a\tb\n1\tx\n".encode("utf-16-le"), {"a": [1], "b": ["x"]}, None),
    ("UTF-16 without a mark, big end first", "t.tsv", "a\tb\n1\tx\n".encode("utf-16-be"), {"a": [1], "b": ["x"]}, None),
    ("UTF-32", "t.csv", "a,b\n1,x\n".encode("utf-32"), {"a": [1], "b": ["x"]}, None),
    ("Latin-1", "t.csv", "a,b\n1,é\n".encode("latin-1"), {"a": [1], "b": ["é"]}, "Latin-1"),
    ("Windows-1252", "t.csv", "a,b\n1,“é” €\n".encode("cp1252"), {"a": [1], "b": ["“é” €"]}, "Windows-1252"),
    ("line ends of old Macs", "t.csv", b"a,b\r1,x\r2,y\r", {"a": [1, 2], "b": ["x", "y"]}, None),
    ("mixed line ends", "t.csv", b"a,b\r\n1,x\n2,y\r3,z", {"a": [1, 2, 3], "b": ["x", "y", "z"]}, None),
    ("no end to the last line", "t.csv", b"a,b\n1,x", {"a": [1], "b": ["x"]}, None),
    ("blank lines", "t.csv", b"\n\na,b\n\n1,x\n\n\n2,y\n\n", {"a": [1, 2], "b": ["x", "y"]}, None),
    ("quoted line ends and commas", "t.csv", b'a,b\n1,"x,\ny"\n2,"z ""q"""\n', {"a": [1, 2], "b": ["x,\ny", 'z "q"']}, None),
    ("blanks about names", "t.csv", b" a , b\n1,x\n", {"a": [1], "b": ["x"]}, None),
    ("a name twice", "t.csv", b"a,a\n1,2\n", {"a": [1], "a.1": [2]}, "earlier one"),
    ("empty names", "t.csv", b",b,\n1,2,3\n", {"column_1": [1], "b": [2], "column_3": [3]}, "no name"),
    ("what Excel writes for itself", "t.csv", b"sep=;\r\na;b\r\n1;x\r\n", {"a": [1], "b": ["x"]}, "';'"),
    ("pipes", "t.txt", b"a|b\n1|x,y\n2|z\n", {"a": [1, 2], "b": ["x,y", "z"]}, "'|'"),
    ("one column of sentences", "t.csv", b'text\n"a, b"\nc\n', {"text": ["a, b", "c"]}, None),
    ("decimal commas", "t.csv", b"a;b\n1,5;x\n-,25;y\n", {"a": [1.5, -0.25], "b": ["x", "y"]}, "decimal commas"),
    ("decimal commas and points between thousands", "t.csv", b"a;b\n1.234,5;x\n12;y\n", {"a": [1234.5, 12.0], "b": ["x", "y"]}, "decimal"),
    ("quoted decimal commas", "t.csv", b'a,b\n"1,5",x\n"2,25",y\n', {"a": [1.5, 2.25], "b": ["x", "y"]}, "decimal commas"),
    (
        "commas between thousands",
        "t.csv",
        b'a,b\n"1,234",x\n"1,234,567.5",y\n3,z\n',
        {"a": [1234.0, 1234567.5, 3.0], "b": ["x", "y", "z"]},
        "thousands",
    ),
    (
        "commas between thousands, tabs between cells",
        "t.tsv",
        b"a\tb\n1,234,567\tx\n2\ty\n",
        {"a": [1234567, 2], "b": ["x", "y"]},
        "thousands",
    ),
    ("commas in text", "t.csv", b'a,b\n"1,2,3",x\n"4,5",y\n', {"a": ["1,2,3", "4,5"], "b": ["x", "y"]}, None),
    ("question marks among numbers", "t.csv", b"a,b\n1,x\n?,?\n2.5,y\n", {"a": [1.0, None, 2.5], "b": ["x", "?", "y"]}, "'?'"),
    ("dashes among decimal commas", "t.csv", b"a;b\n1,5;x\n-;y\n", {"a": [1.5, None], "b": ["x", "y"]}, "missing here"),
    (
        "spellings of missing",
        "t.csv",
        b"a,b\n1,x\nNA,NA\nnan,NaN\n,null\n",
        {"a": [1.0, None, None, None], "b": ["x", None, None, None]},
        None,
    ),
    ("spellings of infinity", "t.csv", b"a\ninf\n-inf\nInfinity\n1\n", {"a": [INF, -INF, INF, 1.0]}, None),
    ("numbers too large for a double", "t.csv", b"a\n1e400\n1\n", {"a": [INF, 1.0]}, None),
    ("whole numbers too large for 64 bits", "t.csv", b"a\n%d\n1\n" % BIG, {"a": [str(BIG), "1"]}, None),
    ("the largest of 64 bits", "t.csv", b"a\n9223372036854775807\n-1\n", {"a": [9223372036854775807, -1]}, None),
    (
        "long identities with a gap",
        "t.csv",
        b"a,b\n9007199254740993,x\n,y\n",
        {"a": ["9007199254740993", None], "b": ["x", "y"]},
        "too long",
    ),
    ("mixed kinds stay as written", "t.csv", b"a\n01\n2.50\nx\nTrue\n", {"a": ["01", "2.50", "x", "True"]}, None),
    ("truth values with a gap", "t.csv", b"a,b\nTrue,1\n,2\nFalse,3\n", {"a": [True, None, False], "b": [1, 2, 3]}, None),
    ("dates stay as written", "t.csv", b"d\n2020-01-02\n03/04/2020\n", {"d": ["2020-01-02", "03/04/2020"]}, None),
    ("an empty column", "t.csv", b"a,b\n1,\n2,\n", {"a": [1, 2], "b": [None, None]}, None),
    ("numbers for names", "t.csv", b"1,2\n3,4\n", {"1": [3], "2": [4]}, "header is missing"),
    ("letters of other scripts", "t.csv", "名前,β\nß,🙂\n".encode(), {"名前": ["ß"], "β": ["🙂"]}, None),
    ("a very long cell", "t.csv", b"a,b\n" + b"x" * 300_000 + b",1\n", {"a": ["x" * 300_000], "b": [1]}, None),
    ("CSV that is called JSON's opposite", "t.parquet", b"a,b\n1,x\n", {"a": [1], "b": ["x"]}, None),
    ("JSON lines, a mark before", "t.jsonl", b'\xef\xbb\xbf{"a": 1}\n{"a": 2}\n', {"a": [1, 2]}, None),
    (
        "JSON lines of differing keys",
        "t.jsonl",
        b'{"a": 1}\n{"b": "x", "a": null}\n{"c": true}\n',
        {"a": [1.0, None, None], "b": [None, "x", None], "c": [None, None, True]},
        None,
    ),
    ("nested JSON", "t.jsonl", b'{"a": {"z": 1, "b": [1, null]}}\n{"a": []}\n', {"a": ['{"b": [1, null], "z": 1}', "[]"]}, None),
    ("separators within JSON text", "t.jsonl", '{"a": "x\u2028y\x85z"}\n{"a": "w"}\n'.encode(), {"a": ["x\u2028y\x85z", "w"]}, None),
    ("JSON of long identities with a gap", "t.jsonl", b'{"a": 9007199254740993}\n{}\n', {"a": ["9007199254740993", None]}, None),
    ("JSON of mixed kinds", "t.jsonl", b'{"a": 1}\n{"a": "x"}\n{"a": 2.5}\n', {"a": [1, "x", 2.5]}, None),
    ("JSON's infinities", "t.jsonl", b'{"a": NaN}\n{"a": -Infinity}\n{"a": 1}\n', {"a": [None, -INF, 1.0]}, None),
    ("JSON lines by content", "t.txt", b'{"a": 1}\r\n{"a": 2}\r\n', {"a": [1, 2]}, None),
    ("a JSON list", "t.json", b'[\n  {"a": 1},\n  {"a": 2}\n]', {"a": [1, 2]}, None),
    ("UTF-16 JSON", "t.json", '[{"ä": 1}]'.encode("utf-16"), {"ä": [1]}, None),
]

REFUSED: list[tuple[str, str, bytes, str]] = [
    ("nothing", "t.csv", b"", "the file is empty"),
    ("nothing but a mark", "t.csv", b"\xef\xbb\xbf\r\n", "the file is empty"),
    ("nothing but zeros", "t.csv", b"\x00" * 1000, "the file is empty"),
    ("a header alone", "t.csv", b"a,b\n", "has a header and no rows"),
    ("a row too long", "t.csv", b"a,b\n1,2\n1,2,3\n4,5\n", "line 3 has 3 cells, the header has 2"),
    ("a row too short", "t.csv", b"a,b,c\n1,2,3\n1,2\n", "line 3 has 2 cells, the header has 3"),
    ("a row cut off", "t.csv", b"a,b,c\n1,2,3\n4,", "line 3 has 2 cells"),
    ("a quotation mark that is never closed", "t.csv", b'a,b,c\n1,"x,3\n4,5,6\n', "close its quotation mark"),
    ("UTF-16 cut in half", "t.csv", "a,b\n1,x\n".encode("utf-16")[:-1], "UTF-16"),
    ("binary junk", "t.csv", bytes(range(256)) * 40, "binary data"),
    ("zeros within text", "t.csv", b"a,b\n1,\x00\n", "binary data"),
    ("a picture", "t.csv", b"\x89PNG\r\n\x1a\n" + bytes(100), "a picture"),
    ("a PDF", "t.csv", b"%PDF-1.7\n1 0 obj", "a PDF document"),
    ("a database", "t.db", b"SQLite format 3\x00" + bytes(100), "an SQLite database"),
    ("a tar archive", "t.tar", b"t.csv".ljust(257, b"\x00") + b"ustar\x0000" + bytes(300), "tar archive"),
    ("a page to log in at", "t.csv", b"<!DOCTYPE html>\n<html><body>Log in</body></html>", "a web page"),
    ("JSON cut off", "t.jsonl", b'{"a": 1}\n{"a": ', "line 2 is not JSON"),
    ("a JSON list cut off", "t.json", b'[{"a": 1},\n{"a": 2}', "line 2 is not JSON"),
    ("JSON lines of numbers", "t.jsonl", b"1\n2\n", "line 1 is not a JSON object"),
    ("a JSON list of numbers", "t.json", b"[1, 2]", "a list of objects"),
    ("one JSON object over several lines", "t.json", b'{\n"rows": [1,\n2]}', "one object with the keys rows"),
    ("a JSON key twice", "t.jsonl", b'{"a": 1}\n{"a": 1, "a": 2}\n', "line 2 has the key 'a' twice"),
    ("a JSON line with a number of 5,000 digits", "t.jsonl", b'{"a": 1}\n{"a": ' + b"9" * 5000 + b"}\n", "line 2 holds a whole number"),
    ("a JSON list with a number of 5,000 digits", "t.json", b'[{"a": ' + b"9" * 5000 + b"}]", "holds a whole number"),
    ("JSON that is all brackets", "t.json", b"[" * 200_000, "nested too deeply"),
    ("empty JSON objects", "t.jsonl", b"{}\n{}\n", "0 columns"),
]


@pytest.mark.parametrize(("name", "content", "wanted", "note"), [case[1:] for case in READ], ids=[case[0] for case in READ])
def test_read(becomes: Callable[..., None], name: str, content: bytes, wanted: dict[str, list[Any]], note: str | None) -> None:
    becomes(name, content, wanted, note)


@pytest.mark.parametrize(("name", "content", "message"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_refused(refused: Callable[..., None], name: str, content: bytes, message: str) -> None:
    refused(name, content, message)

"""Awkward spreadsheets, Parquet and its relatives, and whatever compresses them."""

from __future__ import annotations

import base64
import bz2
import datetime as dt
import decimal
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.orc as orc
import pyarrow.parquet as pq
import pytest
import xlsxwriter

from dataset_catalog import CatalogError, read_table, table_notes
from dataset_catalog.content._encoding import cell_hashes
from dataset_catalog.reading import plain

CSV = b"a,b\n1,x\n2,y\n"
WANTED = {"a": [1, 2], "b": ["x", "y"]}
# A workbook of Excel 97 to 2003 with one sheet: name, n; x, 1; é, 2.5. Deflated, in base 85.
OLD_WORKBOOK = (
    "c-rk)O=uHQ5dPk7()`$_Nlk^eP(s0KYcJx(OS>v)PnPOM5kXUvgEVd=cu)^otvL#UC&f#l7cW&W{-A>1JO~v%2!fF4NqQ0#Jha))%)Z66=For!mG><(Z+2$h"
    "dy{?hX7l#VVyZItptp*37=w+P7eiZ}P7%d|n<U8Yc`OEPl*lvqrx1(MLbiqRwBvPz*O1q{3Jdo`FNp)6h>qhdCW>x8(?aZ%7_y3E7$vT7hcpTFNK{?IPYK^F"
    "{GNC|6TU|@*M*OgZ$%x$qBAkPTW9f6Yd~xX@VJkp&j-=$L^ob>7GJ)heBUtkmQH62f2W~8)Q)-3x{c@Ed?{O~AWaK6kMCXv_!jKc7a5~(tzLojKi29a4fHpy"
    "5HJJpq$GG5oABIbi;ZF-w~RiJIUqNCCQqyH5}had66azpn>V>;^L9v5w-e8yQ{<GSc9P2T^4+g*4^B-wCqy$N1=}y{TR9SVxWYZCa{_)G4E7xszC-v`8MRO3"
    "Ug2p<NNNWsyR~p&R(!6Bb&%%SC3xp-tCP2rTwXf#xWD|_86tUMym~Rc@ZOoj0KH~%)Ss_ejHnTH`xfJg6SPW~fRDm^ekli0E2(4m^t-DQD~OAj67Jve(^1-A"
    "HSkyB&m&&4;u23vo-+Ge4g4+fx3$0j^q1&%%<95JHd1l=i8u@l3=9km3=9kmS_-BA;M@A75!T0ui2km#LR2%KN&Z_LMv<;_bTHiym)a68G?hPF5LUrhYJ+`("
    "?}dybG<yltn36cAo6cW42CDksv*C`(-?xRDoxj#hoPT)!Rfa0T<p"
)


def zstd(content: bytes) -> bytes:
    return pa.compress(content, codec="zstd", asbytes=True)


def lz4(content: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "lz4") as packed:
        packed.write(content)
        packed.flush()
    return sink.getvalue().to_pybytes()


def zipped(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def parquet(table: pa.Table) -> bytes:
    stream = io.BytesIO()
    pq.write_table(table, stream)
    return stream.getvalue()


def arrow(table: pa.Table) -> bytes:
    stream = io.BytesIO()
    feather.write_feather(table, stream)
    return stream.getvalue()


def orced(table: pa.Table) -> bytes:
    stream = io.BytesIO()
    orc.write_table(table, stream)
    return stream.getvalue()


def workbook(fill: Callable[[xlsxwriter.Workbook], None]) -> bytes:
    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream) as book:
        fill(book)
    return stream.getvalue()


def sheet(book: xlsxwriter.Workbook, name: str, rows: list[list[Any]], top: int = 0, left: int = 0) -> Any:
    found = book.add_worksheet(name)
    dates = book.add_format({"num_format": "yyyy-mm-dd"})
    for row, cells in enumerate(rows, start=top):
        for column, cell in enumerate(cells, start=left):
            if isinstance(cell, dt.date):
                found.write_datetime(row, column, cell, dates)
            elif cell is not None:
                found.write(row, column, cell)
    return found


def one(rows: list[list[Any]], top: int = 0, left: int = 0) -> bytes:
    return workbook(lambda book: sheet(book, "S", rows, top, left))


def with_formulas(book: xlsxwriter.Workbook) -> None:
    page = sheet(book, "S", [["a", "b", "c"], [1], [2]])
    page.write_formula(1, 1, "=A2*2", None, 2)
    page.write_formula(2, 1, "=NA()", None, "#N/A")
    page.write_formula(1, 2, "=1/0", None, "#DIV/0!")
    page.write_formula(2, 2, '="x"', None, "x")


def merged_down(book: xlsxwriter.Workbook) -> None:
    page = sheet(book, "S", [["a", "b"], [None, 1], [None, 2], ["z", 3]])
    page.merge_range(1, 0, 2, 0, "y")


def under_a_title(book: xlsxwriter.Workbook) -> None:
    page = sheet(book, "S", [[None], [None], ["a", "b"], [1, "x"], [2, "y"]])
    page.merge_range(0, 0, 0, 1, "Figures of 2020")


def several(book: xlsxwriter.Workbook) -> None:
    book.add_worksheet("empty")
    sheet(book, "hidden", [["no"], [1]]).hide()
    sheet(book, "first", [["a", "b"], [1, "x"], [2, "y"]])
    sheet(book, "sécond", [["c"], [3]])


TYPES = pa.table(
    {
        "whole": pa.array([1, None], pa.int32()),
        "long": pa.array([9007199254740993, None], pa.int64()),
        "level": pa.array(["x", None]).dictionary_encode(),
        "day": pa.array([dt.date(2020, 1, 2), None]),
        "zone": pa.array([dt.datetime(2020, 1, 2, 3, tzinfo=dt.UTC), None]),
        "money": pa.array([decimal.Decimal("1.25"), None]),
        "list": pa.array([[1, 2], None]),
        "bytes": pa.array([b"\xffa", None]),
    }
)
TYPES_WANTED = {
    "whole": [1.0, None], "long": ["9007199254740993", None], "level": ["x", None], "day": ["2020-01-02T00:00:00", None],
    "zone": ["2020-01-02T03:00:00", None], "money": [1.25, None], "list": ["[1, 2]", None], "bytes": ["\\xffa", None],
}  # fmt: skip
SMALL = pa.table({"a": [1, 2], "b": ["x", "y"]})

READ: list[tuple[str, str, bytes, dict[str, list[Any]], str | None]] = [
    ("gzip", "t.csv.gz", gzip.compress(CSV), WANTED, None),
    ("gzip in two members, misnamed", "t.csv", gzip.compress(CSV[:6]) + gzip.compress(CSV[6:]), WANTED, None),
    ("Zstandard", "t.csv.zst", zstd(CSV), WANTED, None),
    ("Zstandard in two frames", "t.csv.zst", zstd(CSV[:6]) + zstd(CSV[6:]), WANTED, None),
    ("LZ4", "t.csv.lz4", lz4(CSV), WANTED, None),
    ("bzip2", "t.csv.bz2", bz2.compress(CSV), WANTED, None),
    ("xz", "t.csv.xz", lzma.compress(CSV), WANTED, None),
    ("zip", "t.zip", zipped({"deep/t.csv": CSV, "__MACOSX/deep/._t.csv": b"junk"}), WANTED, None),
    ("gzip within zip", "t.zip", zipped({"t.csv.gz": gzip.compress(CSV)}), WANTED, None),
    ("gzip of Parquet", "t.parquet.gz", gzip.compress(parquet(SMALL)), WANTED, None),
    ("Zstandard of JSON lines by their name", "t.jsonl.zst", zstd(b'{"a": 1}\n'), {"a": [1]}, None),
    ("Parquet of many types", "t.parquet", parquet(TYPES), TYPES_WANTED, None),
    ("Parquet that is called CSV", "t.csv", parquet(SMALL), WANTED, None),
    (
        "Parquet of two columns of one name",
        "t.parquet",
        parquet(pa.table([pa.array([1]), pa.array([2])], ["a", "a"])),
        {"a": [1], "a.1": [2]},
        "earlier",
    ),
    ("Arrow", "t.feather", arrow(SMALL), WANTED, None),
    ("ORC", "t.orc", orced(SMALL), WANTED, None),
    ("an old workbook", "t.xls", zlib.decompress(base64.b85decode(OLD_WORKBOOK)), {"name": ["x", "é"], "n": [1.0, 2.5]}, None),
    ("a sheet", "t.xlsx", one([["a", "b"], [1, "x"], [2, "y"]]), WANTED, None),
    ("a sheet within gzip", "t.xlsx.gz", gzip.compress(one([["a", "b"], [1, "x"], [2, "y"]])), WANTED, None),
    ("a table not in the corner", "t.xlsx", one([["a", "b"], [1, "x"], [2, "y"]], top=3, left=2), WANTED, None),
    (
        "empty rows and columns",
        "t.xlsx",
        one([["a", None, "b"], [1, None, "x"], [None, None, None], [2, None, "y"]]),
        WANTED,
        "empty rows and columns",
    ),
    ("a column without a name", "t.xlsx", one([["a", None], [1, "x"]]), {"a": [1], "column_2": ["x"]}, "no name"),
    (
        "dates, truth values, gaps",
        "t.xlsx",
        one([["d", "t", "g"], [dt.date(2020, 1, 2), True, None], [dt.datetime(2020, 1, 3, 4, 5), False, 1.5]]),
        {"d": ["2020-01-02T00:00:00", "2020-01-03T04:05:00"], "t": [True, False], "g": [None, 1.5]},
        None,
    ),
    ("mixed kinds", "t.xlsx", one([["m"], [12], ["x"], [dt.date(2020, 1, 2)], [1.5]]), {"m": ["12", "x", "2020-01-02", "1.5"]}, None),
    ("numbers and dates for names", "t.xlsx", one([[2020, dt.date(2020, 1, 2)], [1, 2]]), {"2020": [1], "2020-01-02": [2]}, None),
    ("formulas and cells in error", "t.xlsx", workbook(with_formulas), {"a": [1, 2], "b": [2.0, None], "c": [None, "x"]}, None),
    ("cells merged downwards", "t.xlsx", workbook(merged_down), {"a": ["y", "y", "z"], "b": [1, 2, 3]}, "merged"),
    ("a merged title", "t.xlsx", workbook(under_a_title), WANTED, "taken for a title"),
    ("several sheets", "t.xlsx", workbook(several), WANTED, "'sécond'"),
]

REFUSED: list[tuple[str, str, bytes, str]] = [
    ("gzip cut short", "t.csv.gz", gzip.compress(CSV * 100)[:-12], "gzip stream is damaged or cut short"),
    ("gzip with a wrong sum", "t.csv.gz", gzip.compress(CSV)[:-8] + bytes(8), "gzip stream is damaged"),
    ("Zstandard cut short", "t.csv.zst", zstd(CSV * 100)[:-3], "Zstandard stream is damaged or cut short"),
    ("Zstandard and junk", "t.csv.zst", zstd(CSV) + b"junk", "Zstandard stream is damaged"),
    ("bzip2 cut short", "t.csv.bz2", bz2.compress(CSV * 100)[:-3], "bzip2 stream is damaged or cut short"),
    ("xz cut short", "t.csv.xz", lzma.compress(CSV * 100)[:-3], "xz stream is damaged or cut short"),
    ("zip cut short", "t.zip", zipped({"t.csv": CSV})[:-10], "damaged or cut short"),
    ("zip of two tables", "t.zip", zipped({"a.csv": CSV, "b.csv": CSV}), "holds 2 files (a.csv, b.csv)"),
    ("zip of nothing", "t.zip", b"PK\x05\x06" + bytes(18), "binary data"),
    ("Parquet cut short", "t.parquet", parquet(SMALL)[:-20], "Parquet file is damaged"),
    ("Parquet that is encrypted", "t.parquet", b"PARE" + bytes(100), "encrypted"),
    ("Arrow cut short", "t.feather", arrow(SMALL)[:-20], "Arrow file is damaged"),
    ("ORC cut short", "t.orc", orced(SMALL)[:-20], "ORC file is damaged"),
    ("a workbook cut short", "t.xlsx", one([["a"], [1]])[:2000], "damaged or cut short"),
    ("an old workbook cut short", "t.xls", zlib.decompress(base64.b85decode(OLD_WORKBOOK))[:1500], "damaged, locked or of an unknown kind"),
    ("an old workbook that makes its reader panic", "t.xls", zlib.decompress(base64.b85decode(OLD_WORKBOOK))[:4157], "do not fit together"),
    ("an empty workbook", "t.xlsx", one([]), "none of its 1 sheets holds anything"),
    ("a sheet of a header", "t.xlsx", one([["a", "b"]]), "the sheet 'S' has a header and no rows"),
    ("Parquet without rows", "t.parquet", parquet(SMALL.slice(0, 0)), "2 columns and 0 rows"),
]


@pytest.mark.parametrize(("name", "content", "wanted", "note"), [case[1:] for case in READ], ids=[case[0] for case in READ])
def test_read(becomes: Callable[..., None], name: str, content: bytes, wanted: dict[str, list[Any]], note: str | None) -> None:
    becomes(name, content, wanted, note)


@pytest.mark.parametrize(("name", "content", "message"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_refused(refused: Callable[..., None], name: str, content: bytes, message: str) -> None:
    refused(name, content, message)


def test_a_sheet_by_name(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    path.write_bytes(workbook(several))
    assert list(read_table(path, sheet="sécond").columns) == ["c"]
    chosen = read_table(tmp_path / "t.xlsx#hidden")
    assert list(chosen.columns) == ["no"]
    assert table_notes(chosen) == ()
    with pytest.raises(CatalogError, match="there is no sheet 'third'; there are 'empty', 'hidden', 'first', 'sécond'"):
        read_table(tmp_path / "t.xlsx#third")
    (tmp_path / "t#1.csv").write_bytes(CSV)
    assert list(read_table(tmp_path / "t#1.csv").columns) == ["a", "b"]
    (tmp_path / "t.csv").write_bytes(CSV)
    with pytest.raises(CatalogError, match="is no spreadsheet"):
        read_table(tmp_path / "t.csv#S")


def test_what_unpacks_to_more_than_there_is_room_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a\n" + b"1\n" * 1_000_000, 1))
    monkeypatch.setattr("dataset_catalog.reading._room.room", lambda: 100_000)
    with pytest.raises(CatalogError, match="does not fit into memory"):
        read_table(path)


def test_a_spreadsheet_that_unpacks_to_more_than_there_is_room_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.xlsx"
    path.write_bytes(one([["a", "b"], [1, "x"]]))
    monkeypatch.setattr("dataset_catalog.reading._room.room", lambda: 2_000)
    monkeypatch.setattr("dataset_catalog.reading._spreadsheet.read_grid", None)
    with pytest.raises(CatalogError, match="does not fit into memory"):
        read_table(path)


INSTANT = dt.datetime(2020, 1, 2, 3, 4, 5, 6, tzinfo=dt.UTC)


@pytest.mark.parametrize("gaps", [[], [None]])
@pytest.mark.parametrize(
    ("kind", "value", "read"),
    [
        (pa.date32(), dt.date(2020, 1, 2), "2020-01-02"),
        (pa.date64(), dt.date(2020, 1, 2), "2020-01-02"),
        (pa.timestamp("us"), INSTANT.replace(tzinfo=None), "2020-01-02 03:04:05.000006"),
        (pa.timestamp("us", "Europe/Paris"), INSTANT, "2020-01-02 03:04:05.000006"),
        (pa.timestamp("ns", "UTC"), INSTANT, "2020-01-02 03:04:05.000006"),
    ],
)
def test_arrows_own_times(kind: pa.DataType, value: Any, read: str, gaps: list[None]) -> None:
    column = pd.Series(pd.arrays.ArrowExtensionArray(pa.array([value, *gaps], type=kind)))
    found = plain(pd.DataFrame({"a": column}))["a"]
    assert found.dtype.kind == "M"
    assert found.tolist() == [pd.Timestamp(read), *[pd.NaT for _ in gaps]]
    assert (cell_hashes(column) == cell_hashes(pd.Series(pd.to_datetime([value, *gaps])))).all()

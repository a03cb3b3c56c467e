"""Anybody's file becomes a table, or one clear line says why not."""

import decimal
import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dataset_catalog import CatalogError, read_table, table_notes


def write(tmp_path: Path, content: str | bytes, name: str = "table.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends(tmp_path: Path, delimiter: str, line_end: str) -> None:
    lines = [delimiter.join(cells) for cells in (["a", "b b", "c"], ["1", '"x, y; z"', "0.5"], ["2", "w", ""])]
    frame = read_table(write(tmp_path, line_end.join(lines) + line_end))
    assert list(frame.columns) == ["a", "b b", "c"]
    assert frame["a"].tolist() == [1, 2]
    assert frame["b b"].tolist() == ["x, y; z", "w"]
    assert frame["c"].dtype == np.float64


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    frame = read_table(write(tmp_path, "näme,y\nJosé,1\nZoë,2\n".encode(encoding)))
    assert list(frame.columns) == ["näme", "y"]
    assert frame["näme"].tolist() == ["José", "Zoë"]
    assert bool(table_notes(frame)) == (encoding == "latin-1")


def test_gzip_counts_by_content(tmp_path: Path) -> None:
    assert len(read_table(write(tmp_path, gzip.compress(b"a,b\n1,2\n"), "table.csv"))) == 1


def test_quoted_line_ends_and_blank_lines(tmp_path: Path) -> None:
    frame = read_table(write(tmp_path, '\n"first\nname",b\n\n"x\ny",1\n\nz,2\n'))
    assert list(frame.columns) == ["first\nname", "b"]
    assert frame.iloc[:, 0].tolist() == ["x\ny", "z"]


def test_cells_of_mixed_columns_stay_as_written(tmp_path: Path) -> None:
    frame = read_table(write(tmp_path, "code,n\n01,1\nA2,2\n1.50,3\n"))
    assert frame["code"].tolist() == ["01", "A2", "1.50"]
    assert frame["code"].dtype == object


def test_repeated_and_empty_names_are_made_unique_and_said(tmp_path: Path) -> None:
    frame = read_table(write(tmp_path, "x,x,x.1,,y\n1,2,3,4,5\n"))
    assert list(frame.columns) == ["x", "x.2", "x.1", "column_4", "y"]
    assert frame.iloc[0].tolist() == [1, 2, 3, 4, 5]
    assert len(table_notes(frame)) == 2
    assert list(read_table(write(tmp_path, "x,x\n1,2\n")).columns) == ["x", "x.1"]


def test_decimal_commas(tmp_path: Path) -> None:
    frame = read_table(write(tmp_path, "a;b\n1,5;x\n2,25;y\n"))
    assert frame["a"].tolist() == [1.5, 2.25]
    assert any("decimal commas" in note for note in table_notes(frame))


def test_a_single_column(tmp_path: Path) -> None:
    assert read_table(write(tmp_path, "text\nhello\nworld\n"))["text"].tolist() == ["hello", "world"]


def test_a_missing_header_is_suspected(tmp_path: Path) -> None:
    assert any("header" in note for note in table_notes(read_table(write(tmp_path, "1,2\n3,4\n"))))


def test_json_lines(tmp_path: Path) -> None:
    frame = read_table(write(tmp_path, '{"a": 1, "b": "x"}\n\n{"a": 2.5, "c": [1, 2]}\n', "table.jsonl"))
    assert frame["a"].tolist() == [1.0, 2.5]
    assert frame["b"].tolist()[0] == "x"
    assert frame["c"].tolist()[1] == "[1, 2]"
    assert len(read_table(write(tmp_path, '[{"a": 1}, {"a": 2}]', "table.json"))) == 2


def test_parquet_gets_plain_dtypes(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    source = pd.DataFrame(
        {
            "nullable": pd.array([1, None, 3], dtype="Int64"),
            "flag": pd.array([True, None, False], dtype="boolean"),
            "level": pd.Categorical(["a", "b", None]),
            "code": pd.Categorical([1, 2, 1]),
            "text": pd.array(["x", None, "z"], dtype="string"),
            "when": pd.to_datetime(["2020-01-01", "2020-01-02", None]),
        }
    )
    source.to_parquet(path)
    frame = read_table(path)
    assert [frame[name].dtype.kind for name in frame.columns] == ["f", "O", "O", "i", "O", "M"]
    assert frame["flag"].tolist()[0] is True
    assert frame["text"].isna().tolist() == [False, True, False]


def test_parquet_columns_of_one_name_and_odd_types(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    columns = [pa.array([1, 2]), pa.array([[1], None]), pa.array([b"x", None]), pa.array([decimal.Decimal("1.5"), None])]
    pq.write_table(pa.table(columns, names=["a", "a", "b", "c"]), path)
    frame = read_table(path)
    assert list(frame.columns) == ["a", "a.1", "b", "c"]
    assert [frame[name].dtype.kind for name in frame.columns] == ["i", "O", "O", "f"]
    assert frame["a.1"].tolist()[0] == "[1]"


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        (b"", "t.csv", "empty"),
        (b" \n\n", "t.csv", "empty"),
        (b"a,b\n", "t.csv", "no rows"),
        (b"a,b\n1,2\n1,2,3\n", "t.csv", "line 3 has 3 cells, the header has 2"),
        (b"a,b,c\n1,2,3\n1,2\n", "t.csv", "line 3 has 2 cells, the header has 3"),
        (bytes(range(256)) * 20, "t.csv", "binary"),
        (b"PK\x03\x04rest", "t.xlsx", "spreadsheet"),
        (b"PAR1 but not really", "t.parquet", "Parquet"),
        (b"\x1f\x8b\x08broken", "t.csv.gz", "gzip"),
        (b'{"a": 1}\n{"a": \n', "t.jsonl", "line 2"),
        (b'a,b\n1,"2\n3,4\n', "t.csv", "never closed"),
        (b"[" * 100_000, "t.json", "too deeply"),
        (b"1\n2\n", "t.jsonl", "not a JSON object"),
        (b"[1, 2]", "t.json", "list of objects"),
        (b"\xff\xfea", "t.csv", "UTF-16"),
    ],
)
def test_faults_are_told_in_one_line(tmp_path: Path, content: bytes, name: str, message: str) -> None:
    path = write(tmp_path, content, name)
    with pytest.raises(CatalogError, match=message) as caught:
        read_table(path)
    assert "\n" not in str(caught.value)
    assert name in str(caught.value)


def test_no_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="no such file"):
        read_table(tmp_path / "nothing.csv")
    with pytest.raises(CatalogError, match="folder"):
        read_table(tmp_path)

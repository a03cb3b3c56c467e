"""Files that are damaged, cut off, changed, or too large: one line each, and nothing of them in the journal."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments._errors import ExperimentError
from experiments._home import Home
from experiments.commands import run
from experiments.importing import _rows, import_trials
from experiments.importing._parquet import read_parquet
from experiments.journaling import Journal

from .trials import made, written


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(written(tmp_path_factory.mktemp("damage") / "whole.parquet", made(count=30)))


@settings(max_examples=20)
@given(st.data())
def test_a_damaged_table_is_one_line_or_reads_as_it_was(whole: Path, data: st.DataObject) -> None:
    content = bytearray(whole.read_bytes())
    if data.draw(st.booleans(), "cut off"):
        del content[data.draw(st.integers(0, len(content) - 1), "bytes left") :]
    else:
        for place in data.draw(st.lists(st.integers(0, len(content) * 8 - 1), min_size=1, max_size=8), "bits"):
            content[place // 8] ^= 1 << place % 8
    damaged = whole.with_name("damaged.parquet")
    damaged.write_bytes(content)
    expected = [row.record for row in read_parquet(whole)]
    said = str(damaged)
    try:
        rows = [row.record for row in read_parquet(damaged)]
    except ExperimentError as error:
        said, rows = str(error), expected
    assert said.startswith(str(damaged))
    assert "\n" not in said
    assert rows == expected


@pytest.mark.parametrize("content", [b"", b"PAR1", b"trial_id,sweep_id\n", b"\x80\x04\x95cposix\nsystem\n"])
def test_what_is_no_parquet_ends_in_one_line_and_writes_nothing(home: Home, tmp_path, capsys, content) -> None:
    sound = written(tmp_path / "sound.jsonl", made())
    (tmp_path / "no.parquet").write_bytes(content)
    assert run(["trials", "import", sound, str(tmp_path / "no.parquet")]) == 2
    told = capsys.readouterr().err.strip()
    assert told.startswith(f"lode: {tmp_path}/no.parquet: no Parquet file that can be read to its end")
    assert "\n" not in told
    assert Journal(home.journal).records() == []


def refused(table: pa.Table, path: Path) -> str:
    pq.write_table(table, path)
    with pytest.raises(ExperimentError) as caught:
        list(read_parquet(path))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_table_of_other_columns_says_which(whole: Path, tmp_path) -> None:
    table, path = pq.read_table(whole), tmp_path / "other.parquet"
    assert "lacks the column extra_scores" in refused(table.drop_columns(["extra_scores"]), path)
    assert "no trial has a column 'notes'" in refused(table.append_column("notes", pa.array(["x"] * len(table))), path)
    numbers = table.set_column(0, "trial_id", pa.array(range(len(table))))
    assert "the column trial_id holds whole" in refused(numbers, path)
    assert "was changed" in refused(table.append_column("param.more", pa.array(["1"] * len(table))), path)
    assert "the column param.more holds list" in refused(table.append_column("param.more", pa.array([[1]] * len(table))), path)


def test_sizes_are_limited(whole: Path, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = Path(written(tmp_path / "t.jsonl", made()))
    for name, limit, file, said in [
        ("MOST_ROWS", 3, whole, "more than 3 trials"),
        ("MOST_ROWS", 3, lines, "more than 3 trials"),
        ("MOST_BYTES", 100, lines, "at most 100 are read"),
        ("LONGEST_ROW", 10, whole, r"a text of \d+ bytes; no trial has more than 10"),
    ]:
        with monkeypatch.context() as patched:
            patched.setattr(_rows, name, limit)
            with pytest.raises(ExperimentError, match=said):
                import_trials([str(file)], Home(tmp_path / "none"))


def test_rows_that_are_none_are_told_with_their_number(home: Home, tmp_path, capsys) -> None:
    records = made(["adult"])
    lines = [json.loads(each.model_dump_json()) for each in records]
    lines[1]["status"] = "splendid"
    lines[2]["wall_seconds"] = 1e400
    text = "\n".join(["\ufeff" + json.dumps(lines[0]), "", *map(json.dumps, lines[1:]), "{", '{"more": 1}', "x" * 100])
    (tmp_path / "t.jsonl").write_text(text)
    assert run(["trials", "import", str(tmp_path / "t.jsonl"), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["files"] == [{"file": str(tmp_path / "t.jsonl"), "rows": 7, "taken": 2, "known": 0, "contradicting": 0, "refused": 5}]
    assert [each["row"] for each in told["skipped"]] == [3, 4, 6, 7, 8]
    reasons = [each["reason"] for each in told["skipped"]]
    assert reasons[0].startswith("status: Input should be")
    assert "not finite" in reasons[1]
    assert reasons[2].startswith("Invalid JSON")
    assert Journal(home.journal).records() == [records[0], records[3]]


def test_rows_of_a_table_that_are_none_are_told_with_their_number(home: Home, tmp_path, capsys) -> None:
    table, path = pq.read_table(written(tmp_path / "t.parquet", made(["adult"]))), tmp_path / "t.parquet"
    status = pa.array(["completed", "splendid", "completed", "completed"])
    versions = pa.array([table["versions"][0].as_py()] * 2 + ["{", "[1, 2]"])
    for name, column in (("status", status), ("versions", versions)):
        table = table.set_column(table.column_names.index(name), name, column)
    pq.write_table(table, path)
    assert run(["trials", "import", str(path)]) == 2
    assert "not what was exported: it is damaged, or was changed" in capsys.readouterr().err
    pq.write_table(table.replace_schema_metadata(None), path)  # as another tool writes it
    assert run(["trials", "import", str(path)]) == 1
    told = capsys.readouterr()
    assert "row 2, refused: status" in told.err
    assert "row 3, refused: versions: '{' is no JSON" in told.err
    assert "row 4, refused: versions: Input should be a valid dictionary" in told.err
    assert [each.trial_id for each in Journal(home.journal).records()] == ["adult-000"]

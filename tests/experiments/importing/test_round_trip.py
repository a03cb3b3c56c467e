"""What is exported is what was journaled, bit for bit."""

import io
import json
import math
import struct
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments._trial_parquet import kinds
from experiments._trials import trials_file
from experiments.importing._finding import READERS
from mining import CurvePoint, TrialRecord

from .trials import made, written

WHOLE = st.integers(0, 2**63 - 1)
REAL = st.floats(allow_nan=False, allow_infinity=False)
ZONES = st.sampled_from([None, UTC, timezone(timedelta(hours=5, minutes=45))])
POINTS = st.builds(CurvePoint, epoch=WHOLE, step=WHOLE, seconds=REAL, score=st.none() | REAL, train_loss=st.none() | REAL)
RECORDS = st.builds(
    TrialRecord,
    trial_id=st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1),
    **{name: st.text() for name in ("dataset", "target", "config", "device", "metric")},
    **dict.fromkeys(("rows", "columns", "seed", "fidelity", "epochs_run", "peak_memory_bytes"), WHOLE),
    **{name: st.none() | WHOLE for name in ("row_cap", "memory_limit", "n_parameters")},
    **{name: st.none() | REAL for name in ("time_limit", "validation_score", "test_score")},
    **dict.fromkeys(("train_seconds", "prepare_seconds", "wall_seconds"), REAL),
    hyperparameters=st.dictionaries(st.text(max_size=6), st.none() | st.booleans() | st.integers() | REAL | st.text(), max_size=3),
    extra_scores=st.dictionaries(st.text(max_size=6), REAL, max_size=2),
    versions=st.dictionaries(st.text(max_size=6), st.text(), max_size=2),
    curve=st.lists(POINTS, max_size=3).map(tuple),
    started_at=st.datetimes(datetime(1970, 1, 1), datetime(2100, 1, 1), timezones=ZONES),
    error=st.none() | st.text(),
)


def read_back(path: Path, content: bytes) -> list[TrialRecord]:
    path.write_bytes(content)
    rows = list(READERS[path.suffix](path))
    assert [row.number for row in rows] == list(range(1, len(rows) + 1))
    return [row.record for row in rows if row.record is not None]


def bits(record: TrialRecord) -> list[object]:
    """Every value of a record with its type, numbers as bits: to ``==``, 0.0 is -0.0, and 1 is True."""
    told: list[object] = []

    def look(value: object) -> None:
        if isinstance(value, dict):
            value = sorted(value.items())
        if isinstance(value, list | tuple):
            for each in value:
                look(each)
        else:
            told.append((type(value), struct.pack("d", value) if isinstance(value, float) else value))

    look({name: value for name, value in record.model_dump().items() if name != "started_at"})
    return told


@settings(max_examples=40)
@given(st.lists(RECORDS, max_size=4, unique_by=lambda each: each.trial_id), st.sampled_from(sorted(READERS)))
def test_every_record_comes_back_from_a_file_as_it_was(tmp_path_factory: pytest.TempPathFactory, records, suffix):
    path = tmp_path_factory.mktemp("trip") / f"trials{suffix}"
    ordered = sorted(records, key=lambda each: each.trial_id)
    back = read_back(path, trials_file(records, path))
    assert back == ordered
    assert [bits(each) for each in back] == [bits(each) for each in ordered]


def test_a_table_is_read_by_any_tool_and_holds_no_index(tmp_path):
    records = made()
    table = pq.read_table(io.BytesIO(trials_file(records, tmp_path / "t.parquet")))
    assert set(table.column_names) == {*kinds(), *(f"param.{name}" for each in records for name in each.hyperparameters)}
    assert b"pandas" not in (table.schema.metadata or {})
    frame = table.to_pandas()
    assert frame["trial_id"].tolist() == sorted(each.trial_id for each in records)
    assert json.loads(frame["extra_scores"][0]) == {"accuracy": 1 / 3}
    assert frame["test_score"][0] == 0.1 + 0.2
    assert isinstance(frame["started_at"].dtype, pd.DatetimeTZDtype)


def test_what_pandas_wrote_anew_is_read(tmp_path):
    records = [made(count=1)[0], made(count=1)[1].model_copy(update={"n_parameters": None, "row_cap": 500, "time_limit": 2.5})]
    path = Path(written(tmp_path / "t.parquet", records))
    pd.read_parquet(path).to_parquet(path)
    assert [row.record for row in READERS[".parquet"](path)] == records


def test_csv_tells_all_but_is_not_read_back(tmp_path):
    table = pd.read_csv(io.BytesIO(trials_file(made(), tmp_path / "t.csv")))
    assert json.loads(table["extra_scores"][0]) == {"accuracy": 1 / 3}
    assert math.isclose(json.loads(table["curve"][0])[0]["seconds"], 0.1)

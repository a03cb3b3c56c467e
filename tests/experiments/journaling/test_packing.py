import json
import multiprocessing
import os
import signal
import threading
import warnings
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from automl import EpochReport
from experiments.journaling import Journal, Packer, compact, pack
from mining import TrialRecord

from .test_journal import make_record

START = datetime(2026, 1, 1, tzinfo=UTC)


def make_records(count: int, sweep_id: str = "s1") -> list[TrialRecord]:
    return [make_record(f"{number:032x}", sweep_id, started_at=START + timedelta(minutes=number)) for number in range(count)]


def fill(root: Path, records: list[TrialRecord]) -> Journal:
    journal = Journal(root)
    for record in records:
        journal.append(record)
    return journal


def test_packing_moves_records_and_changes_nothing_for_readers(tmp_path: Path) -> None:
    records = make_records(10)
    journal = fill(tmp_path, records)
    stopped = make_record("stopped", status="stopped_early", curve=(EpochReport(1, 1, 0.1, 0.6),))
    journal.append(stopped)
    assert pack(journal, "s1", records_a_part=4) == 8
    assert len(list((tmp_path / "s1" / "trials").glob("*.json"))) == 3
    assert len(list((tmp_path / "s1" / "parts").glob("*.parquet"))) == 2
    assert journal.records("s1") == journal.records() == [*records, stopped]
    ids = {each.trial_id for each in records}
    assert {name: found for name, (found,) in journal.answers(ids).items()} == {each.trial_id: each for each in records}
    assert all(journal.has(each) for each in ids)
    assert journal.get(records[0].trial_id) == records[0]
    assert journal.recorded(records[0].trial_id) == [records[0]]
    assert journal.summary("s1").trials == 11
    assert not journal.append(records[0].model_copy(update={"started_at": START - timedelta(days=1)}))
    assert journal.records("s1") == [*records, stopped]
    assert not journal.append(records[1].model_copy(update={"sweep_id": "s2"}))
    assert journal.records("s2") == [records[1]]
    assert pack(journal, "s1", records_a_part=4) == 0
    (path, *_) = compact(journal, tmp_path / "out", "s1")
    assert len(pd.read_parquet(path)) == 11


def test_a_part_is_read_by_any_tool(tmp_path: Path) -> None:
    records = make_records(4)
    pack(fill(tmp_path, records), "s1", records_a_part=4)
    frame = pd.concat(map(pd.read_parquet, (tmp_path / "s1" / "parts").glob("*.parquet")))
    assert frame["trial_id"].tolist() == [each.trial_id for each in records]
    assert json.loads(frame["record"].iloc[0])["status"] == frame["status"].iloc[0] == "completed"


def test_what_is_known_is_not_read_again(tmp_path: Path) -> None:
    records = make_records(6)
    journal = fill(tmp_path, records)
    pack(journal, "s1", records_a_part=4)
    for part in (tmp_path / "s1" / "parts").glob("*.parquet"):
        part.touch()
    assert journal.records("s1", without={each.trial_id for each in records[:5]}) == records[5:]


def test_a_record_that_lost_a_race_against_packing_is_met_once(tmp_path: Path) -> None:
    records = make_records(4)
    journal = fill(tmp_path, records)
    late = (tmp_path / "s1" / "trials" / f"{records[0].trial_id}.json").read_bytes()
    pack(journal, "s1", records_a_part=4)
    (tmp_path / "s1" / "trials" / f"{records[0].trial_id}.json").write_bytes(
        late.replace(b'"validation_score":0.7', b'"validation_score":0.1')
    )
    assert journal.records("s1") == records
    assert pack(journal, "s1", records_a_part=4) == 0
    assert list((tmp_path / "s1" / "trials").glob("*.json")) == []
    assert journal.records("s1") == records


def test_a_damaged_part_is_counted_and_its_trials_are_open_again(tmp_path: Path) -> None:
    records = make_records(4)
    journal = fill(tmp_path, records)
    pack(journal, "s1", records_a_part=4)
    (part,) = (tmp_path / "s1" / "parts").glob("*.parquet")
    part.write_bytes(part.read_bytes()[:-20])
    with pytest.warns(UserWarning, match=r"1 records of the journal could not be read, the first is .*parquet"):
        assert journal.records("s1") == []
    assert not journal.has(records[0].trial_id)
    assert journal.append(records[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert journal.records("s1") == [records[0]]


def _kill_at(root: str, step: int) -> None:
    """Pack, and die by SIGKILL just before the ``step``-th thing that is done to the disk."""
    left = [step]

    def counted(act: Callable[..., Any]) -> Callable[..., Any]:
        def acting(*arguments: Any, **options: Any) -> Any:
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return act(*arguments, **options)

        return acting

    for name in ("fsync", "unlink", "replace", "link", "rename", "mkdir", "open"):
        setattr(os, name, counted(getattr(os, name)))
    pack(Journal(Path(root)), "s1", records_a_part=4)
    os._exit(7)


def test_kill_9_at_every_step_of_packing_loses_and_doubles_nothing(tmp_path: Path) -> None:
    records = make_records(9)
    context = multiprocessing.get_context("fork")
    journal = fill(tmp_path / "warm", records)
    pack(journal, "s1", records_a_part=4)  # what is imported late is imported before the fork
    step, killed = 0, 0
    while True:
        step += 1
        root = tmp_path / str(step)
        journal = fill(root, records)
        packing = context.Process(target=_kill_at, args=(str(root), step))
        packing.start()
        packing.join()
        assert packing.exitcode in (7, -signal.SIGKILL)
        killed += packing.exitcode != 7
        assert journal.records("s1") == records
        assert journal.summary("s1").trials == 9
        pack(journal, "s1", records_a_part=4)
        assert journal.records("s1") == records
        assert len(list((root / "s1" / "trials").glob("*.json"))) == 1
        held = [name for part in (root / "s1" / "parts").glob("[!.]*.parquet") for name in pd.read_parquet(part)["trial_id"]]
        assert sorted(held) == [each.trial_id for each in records[:8]]
        if packing.exitcode == 7:
            break
    assert killed > 10


def test_readers_and_writers_beside_packing_never_miss_a_record(tmp_path: Path) -> None:
    records = make_records(120)
    journal, written = Journal(tmp_path), 0
    over = threading.Event()

    def keep_packing() -> None:
        while not over.is_set():
            pack(Journal(tmp_path), "s1", records_a_part=5)

    packing = threading.Thread(target=keep_packing)
    packing.start()
    try:
        for record in records:
            journal.append(record)
            journal.append(record)
            written += 1
            if written % 10 == 0:
                assert [each.trial_id for each in journal.records("s1")] == [each.trial_id for each in records[:written]]
                assert len(journal.answers({each.trial_id for each in records[:written]})) == written
    finally:
        over.set()
        packing.join()
    assert journal.records("s1") == records


def test_a_running_sweep_is_packed_in_the_background(tmp_path: Path) -> None:
    records = make_records(9)
    journal, packer = Journal(tmp_path), Packer(tmp_path, "s1", records_a_part=4)
    for record in records:
        journal.append(record)
        packer.note()
        packer.close()
    assert len(list((tmp_path / "s1" / "parts").glob("*.parquet"))) == 2
    assert journal.records("s1") == records


def test_what_another_sweep_refers_to_is_read_a_part_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    records = make_records(10)
    journal = fill(tmp_path, records)
    for record in records:
        journal.append(record.model_copy(update={"sweep_id": "s2"}))
    pack(journal, "s1", records_a_part=4)
    (tmp_path / "s2" / "trials" / "strange.ref").write_text('{"sweep_id": "../s1"}')
    (tmp_path / "s2" / "trials" / "gone.ref").write_text('{"sweep_id": "s1"}')
    monkeypatch.setattr("experiments.journaling._parts._row", refuse)
    with pytest.warns(UserWarning, match="2 records of the journal could not be read"):
        assert journal.records("s2") == records


def refuse(_part: Path, _row: int) -> None:
    raise AssertionError("one record was read alone")


def test_what_earlier_passes_left_in_files_is_packed_too(tmp_path: Path) -> None:
    records = make_records(4)
    journal = fill(tmp_path, records[:3])
    packer = Packer(tmp_path, "s1", records_a_part=4)
    journal.append(records[3])
    packer.note()
    packer.close()
    assert list((tmp_path / "s1" / "trials").glob("*.json")) == []
    assert journal.records("s1") == records

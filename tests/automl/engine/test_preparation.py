from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from automl import AutoMLError, Feature, PreparedStore, prepare, render_config

HERE = Path(__file__).parent


def altered_tests(table):
    """The same training and validation rows, test rows of another world."""
    frame, test = table.frame.copy(), table.split == 2
    frame.loc[test, "x"] += 1000.0
    frame.loc[test, "level"] = "only in test"
    return dataclasses.replace(table, frame=frame, fingerprint=table.fingerprint + "-altered")


def test_altered_test_rows_change_neither_metadata_nor_training(engine, prepared_root, make_request, make_table):
    table = make_table()
    other = altered_tests(table)
    config = render_config(table, "concat", {}, epochs=1)
    first, second = (prepare(each, config, prepared_root) for each in (table, other))
    assert first.key != second.key
    assert json.dumps(first.metadata, sort_keys=True) == json.dumps(second.metadata, sort_keys=True)
    assert "only in test" not in json.dumps(first.metadata)
    training = table.frame[table.split == 0]
    assert first.metadata["x"]["mean"] == pytest.approx(training["x"].mean(), rel=1e-5)
    assert first.metadata["z"]["preprocessing"]["computed_fill_value"] == pytest.approx(training["z"].mean(), rel=1e-5)

    told = [engine.run(make_request(each)) for each in (table, other)]
    assert [(r.score, r.train_loss) for r in told[0].curve] == [(r.score, r.train_loss) for r in told[1].curve]
    assert told[0].validation_score == told[1].validation_score
    assert told[0].test_score != told[1].test_score


def test_missing_numbers_of_test_rows_get_the_training_mean(engine, tmp_path, make_table):
    table = make_table()
    frame = table.frame.copy()
    frame.loc[table.split == 2, "x"] = np.nan
    prepared = prepare(dataclasses.replace(table, frame=frame, fingerprint="gaps"), render_config(table, "concat", {}, epochs=1), tmp_path)
    column = next(name for name in prepared.arrays[2] if name.startswith("x"))
    assert np.allclose(prepared.arrays[2][column], 0.0, atol=1e-5)


def test_second_call_reads_what_the_first_wrote(engine, tmp_path, make_table):
    table = make_table()
    config = render_config(table, "concat", {}, epochs=1)
    first = prepare(table, config, tmp_path)
    second = prepare(table, render_config(table, "tabnet", {"combiner.size": 8}, epochs=9), tmp_path)
    assert (first.hit, second.hit) == (False, True)
    assert first.metadata == second.metadata
    for ours, theirs in zip(first.arrays, second.arrays, strict=True):
        assert all(np.array_equal(ours[name], theirs[name]) for name in ours)
    assert prepare(dataclasses.replace(table, split_id="other"), config, tmp_path).hit is False
    assert prepare(table, config, tmp_path, max_age=0.0).hit is False


def test_preparing_makes_room_when_what_stood_there_is_not_used(engine, tmp_path, make_table):
    table = make_table()
    config = render_config(table, "concat", {}, epochs=1)
    first = prepare(table, config, tmp_path, limit=1)
    second = prepare(dataclasses.replace(table, split_id="other"), config, tmp_path, limit=1)
    assert {each.key for each in PreparedStore(tmp_path).entries()} == {first.key, second.key}  # both are in use
    first.use.close()
    third = prepare(dataclasses.replace(table, split_id="third"), config, tmp_path, limit=1)
    assert {each.key for each in PreparedStore(tmp_path).entries()} == {second.key, third.key}


@pytest.mark.parametrize("damage", ["truncate", "alter", "remove", "shape"])
def test_torn_files_are_prepared_anew(engine, tmp_path, damage, make_table):
    table = make_table()
    config = render_config(table, "concat", {}, epochs=1)
    first = prepare(table, config, tmp_path)
    victim = tmp_path / first.key / "training.npz"
    if damage == "truncate":
        victim.write_bytes(victim.read_bytes()[:100])
    elif damage == "alter":
        content = bytearray(victim.read_bytes())
        content[-200] ^= 0xFF
        victim.write_bytes(bytes(content))
    elif damage == "shape":
        (victim.parent / "checksums.json").write_text("[]")
    else:
        victim.unlink()
    again = prepare(table, config, tmp_path)
    assert again.hit is False
    assert all(np.array_equal(first.arrays[0][name], again.arrays[0][name]) for name in first.arrays[0])
    assert prepare(table, config, tmp_path).hit is True


def test_two_writers_at_once_prepare_once(engine, tmp_path, make_table):
    table = make_table()
    config = render_config(table, "concat", {}, epochs=1)
    with ThreadPoolExecutor(2) as writers:  # a lock of its own each, as two processes have
        prepared = list(writers.map(lambda _: prepare(table, config, tmp_path), range(2)))
    assert sorted(each.hit for each in prepared) == [False, True]
    assert len(PreparedStore(tmp_path).entries()) == 1


@pytest.mark.slow
def test_two_processes_at_once_prepare_once(tmp_path):
    code = textwrap.dedent(f"""
        import sys, time
        sys.path.insert(0, {str(HERE)!r})
        from pathlib import Path
        from conftest import build_table
        from automl import TrialEngine, prepare, render_config
        TrialEngine(Path({str(tmp_path)!r}), device="cpu").warm_up()
        gate = Path({str(tmp_path / "gate")!r})
        Path({str(tmp_path)!r}, "ready-" + sys.argv[1]).touch()
        while not gate.exists():
            time.sleep(0.01)
        table = build_table()
        print(prepare(table, render_config(table, "concat", {{}}, epochs=1), Path({str(tmp_path / "prepared")!r})).hit)
    """)
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    writers = [
        subprocess.Popen([sys.executable, "-c", code, str(number)], stdout=subprocess.PIPE, text=True, env=environment)
        for number in range(2)
    ]
    until = time.monotonic() + 200
    while len(list(tmp_path.glob("ready-*"))) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    (tmp_path / "gate").touch()
    said = sorted(writer.communicate(timeout=200)[0].strip() for writer in writers)
    assert said == ["False", "True"]
    assert len(PreparedStore(tmp_path / "prepared").entries()) == 1


def test_an_empty_part_is_told(engine, tmp_path, make_table):
    table = make_table()
    bare = dataclasses.replace(table, split=np.where(table.split == 1, 0, table.split))
    with pytest.raises(AutoMLError, match="validation part has no row"):
        prepare(bare, render_config(table, "concat", {}, epochs=1), tmp_path)


def test_features_of_every_type_with_gaps_are_prepared_and_trained(engine, make_request, make_table):
    table = make_table(rows=160)
    rng = np.random.default_rng(5)
    frame = table.frame.copy()
    frame["flag"] = rng.choice([True, False], len(frame))
    frame["flag"] = frame["flag"].astype(object)
    frame["words"] = rng.choice(["good day", "bad night, sir", "the quick brown fox"], len(frame)).astype(object)
    frame["day"] = rng.choice(["2020-01-31", "2021-12-01 10:00", "03/04/2019"], len(frame)).astype(object)
    frame["never"] = np.nan
    frame.loc[table.split != 0, "never"] = 3.0
    for column in ("flag", "words", "day"):
        frame.loc[rng.random(len(frame)) < 0.2, column] = None
    frame.loc[table.split == 2, "words"] = "entirely unknown tokens"
    kinds = (("flag", "binary"), ("words", "text"), ("day", "date"), ("never", "number"))
    features = (*table.features, *(Feature(name, kind) for name, kind in kinds))
    wide = dataclasses.replace(table, frame=frame, features=features, fingerprint="wide")
    for model_type in ("concat", "tabnet", "ft_transformer"):
        result = engine.run(make_request(wide, model_type, epochs=2))
        assert result.status == "completed", result.error
        assert 0 <= result.test_score <= 1

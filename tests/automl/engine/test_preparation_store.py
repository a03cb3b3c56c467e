from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import textwrap
import time

import numpy as np
import pandas as pd
import pytest

from automl import AutoMLError, PreparedStore, TrialEngine, make_task_table, preparation_key, render_config, trial_id
from automl import _identity as identity

METADATA = {"x": {"mean": 0.5}}


def fill(store: PreparedStore, key: str, numbers: int = 1000, used: float = 0.0) -> None:
    """Write an entry of about 24 bytes a number, last used ``used`` seconds ago."""
    store.write(key, tuple({"x": np.zeros(numbers)} for _ in range(3)), METADATA, {"dataset": key})
    moment = time.time() - used
    os.utime(store.root / key / "last_hit", (moment, moment))


def keys(store: PreparedStore) -> list[str]:
    return [each.key for each in store.entries()]


CHANGES = {
    "content": lambda table: dataclasses.replace(table, fingerprint="other"),
    "target": lambda table: dataclasses.replace(table, target="z"),
    "positive": lambda table: dataclasses.replace(table, positive="no"),
    "dropped column": lambda table: dataclasses.replace(table, features=table.features[:-1]),
    "feature type": lambda table: dataclasses.replace(
        table, features=(dataclasses.replace(table.features[0], type="category"), *table.features[1:])
    ),
    "split": lambda table: dataclasses.replace(table, split_id="other"),
    "row cap": lambda table: dataclasses.replace(table, row_cap=100),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_card_is_prepared_anew_and_its_trials_are_others(make_table, change):
    table = make_table()
    other = CHANGES[change](table)
    first, second = (preparation_key(each, render_config(each, "concat", {}, epochs=1)) for each in (table, other))
    assert first != second
    assert trial_id(table, "concat", {}, seed=0, epochs=1) != trial_id(other, "concat", {}, seed=0, epochs=1)


@pytest.mark.parametrize("change", ["ludwig", "engine", "preprocessing of a type", "preprocessing of a feature"])
def test_changed_versions_and_preprocessing_are_prepared_anew(make_table, monkeypatch, change):
    table = make_table()
    config = render_config(table, "concat", {}, epochs=1)
    before = preparation_key(table, config)
    if change == "ludwig":
        known = identity.engine_versions()
        monkeypatch.setattr(identity, "_version", lambda package: "0.17.11" if package == "ludwig" else known[package])
    elif change == "engine":
        monkeypatch.setattr(identity, "ENGINE_VERSION", identity.ENGINE_VERSION + 1)
    elif change == "preprocessing of a type":
        config = render_config(table, "concat", {"defaults.number.preprocessing.normalization": "minmax"}, epochs=1)
    else:
        config["input_features"][0]["preprocessing"]["normalization"] = None
    assert preparation_key(table, config) != before


def test_what_does_not_touch_preprocessing_shares_it(make_table):
    table = make_table()
    before = preparation_key(table, render_config(table, "concat", {}, epochs=1))
    tuned = {"trainer.learning_rate": 0.1, "trainer.batch_size": 64, "combiner.size": 8, "defaults.category.encoder.embedding_size": 4}
    assert preparation_key(table, render_config(table, "tabnet", tuned, epochs=9, seed=5)) == before
    assert preparation_key(dataclasses.replace(table, name="renamed"), render_config(table, "concat", {}, epochs=1)) == before


def test_the_order_of_rows_in_the_file_changes_nothing():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=120), "level": rng.choice(["a", "b"], 120)})
    frame["y"] = np.where(frame["x"] > 0, "yes", "no")
    tables = [make_task_table(each, "y", name="toy") for each in (frame, frame.sample(frac=1.0, random_state=1))]
    first, second = (preparation_key(each, render_config(each, "concat", {}, epochs=1)) for each in tables)
    assert first == second
    assert tables[0].frame.equals(tables[1].frame)


def test_an_entry_tells_its_age_its_use_and_what_it_is(engine, make_table, tmp_path):
    from automl import prepare

    table = make_table()
    prepared = prepare(table, render_config(table, "concat", {}, epochs=1), tmp_path)
    (entry,) = PreparedStore(tmp_path).entries()
    assert (entry.key, entry.in_use) == (prepared.key, True)
    assert (entry.about["dataset"], entry.about["target"], entry.about["split_id"]) == ("toy", "y", "s0")
    assert entry.size == sum(each.stat().st_size for each in entry.path.iterdir())
    os.utime(entry.path / "last_hit", (1e9, 1e9))
    assert prepare(table, render_config(table, "concat", {}, epochs=1), tmp_path).hit
    (again,) = PreparedStore(tmp_path).entries()
    assert again.created_at == entry.created_at
    assert again.last_hit_at.timestamp() > 1e9
    del prepared
    assert [each.in_use for each in PreparedStore(tmp_path).entries()] == [False]


def test_the_entry_that_was_not_used_for_longest_goes_first(tmp_path):
    store = PreparedStore(tmp_path, limit=80_000)
    for key, used in (("old", 30.0), ("new", 10.0), ("middle", 20.0)):
        fill(store, key, used=used)
    assert store.read("old") is not None  # a hit makes it the newest
    fill(store, "last")
    assert [each.key for each in store.evict()] == ["middle"]
    assert keys(store) == ["new", "old", "last"] or keys(store) == ["new", "last", "old"]
    assert store.evict() == []


def test_a_table_that_is_used_from_memory_is_not_the_one_unused_for_longest(make_table, make_request, tmp_path):
    engine = TrialEngine(tmp_path, device="cpu")
    request = make_request(make_table(), epochs=1)
    engine.run(request)
    (entry,) = PreparedStore(tmp_path).entries()
    os.utime(entry.path / "last_hit", (1e9, 1e9))
    engine.run(request)
    assert PreparedStore(tmp_path).entries()[0].last_hit_at.timestamp() > 1e9


def test_altered_data_that_can_be_read_are_prepared_anew(tmp_path, caplog):
    store = PreparedStore(tmp_path)
    fill(store, "a")
    assert store.read("a")[1] == METADATA
    path = tmp_path / "a" / "metadata.json"
    path.write_text(path.read_text().replace("0.5", "0.6"))
    assert store.read("a") is None
    assert "were altered (metadata.json)" in caplog.text


def test_what_is_in_use_is_neither_evicted_nor_cleared(tmp_path):
    store = PreparedStore(tmp_path, limit=1)
    fill(store, "used", used=60.0)
    fill(store, "idle")
    use = store.hold("used")
    assert [each.key for each in store.evict()] == ["idle"]
    assert store.clear() == ([], store.entries())
    use.close()
    assert [each.key for each in store.clear()[0]] == ["used"]
    assert store.read("used") is None


def test_what_another_process_uses_is_kept_until_that_is_killed(tmp_path):
    store = PreparedStore(tmp_path, limit=1)
    fill(store, "used")
    code = textwrap.dedent(f"""
        import time
        from pathlib import Path
        from automl import PreparedStore
        use = PreparedStore(Path({str(tmp_path)!r})).hold("used")
        print("held", flush=True)
        time.sleep(100)
    """)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline().strip() == "held"
        assert (store.evict(), keys(store)) == ([], ["used"])
        holder.kill()
    assert [each.key for each in store.evict()] == ["used"]


def test_clearing_by_age_and_without_doing_it(tmp_path):
    store = PreparedStore(tmp_path)
    fill(store, "old", used=7200.0)
    fill(store, "new")
    (tmp_path / ".half-xyz").mkdir()  # a writer was killed
    gone, kept = store.clear(unused_for=3600.0, dry_run=True)
    assert ([each.key for each in gone], [each.key for each in kept], keys(store)) == (["old"], ["new"], ["old", "new"])
    store.clear(unused_for=3600.0)
    assert keys(store) == ["new"]
    assert not (tmp_path / ".half-xyz").exists()


def test_age_counts_from_making_and_not_from_use(tmp_path, monkeypatch):
    store = PreparedStore(tmp_path, max_age=3600)
    fill(store, "a")
    assert store.read("a") is not None
    later = time.time() + 3601
    os.utime(tmp_path / "a" / "last_hit", (later, later))
    monkeypatch.setattr(time, "time", lambda: later)
    assert store.read("a") is None
    assert store.read("a", any_age=True) is not None


def test_limits_from_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("LODE_PREPARED_GB", "0.5")
    monkeypatch.setenv("LODE_PREPARED_DAYS", "2")
    store = PreparedStore(tmp_path)
    assert (store.limit, store.max_age) == (5e8, 172800.0)
    monkeypatch.setenv("LODE_PREPARED_GB", "much")
    with pytest.raises(AutoMLError, match="LODE_PREPARED_GB is 'much'"):
        PreparedStore(tmp_path)


def test_a_wrong_limit_fails_no_trial(tmp_path, monkeypatch):
    monkeypatch.setenv("LODE_PREPARED_DAYS", "never")
    with pytest.raises(AutoMLError, match="LODE_PREPARED_DAYS is 'never'"):
        TrialEngine(tmp_path, device="cpu")

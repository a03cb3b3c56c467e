from __future__ import annotations

import dataclasses
import errno
import multiprocessing
import os
import signal
from pathlib import Path

import pytest

from automl import KeptModel, keep_best, kept_model


def put(path: Path) -> None:
    path.mkdir()
    (path / "weights").write_text(path.name)


def offer(folder: Path, trial_id: str, score: float, direction: str = "maximize") -> Path | None:
    return keep_best(folder, KeptModel(trial_id, score, direction), put)


def test_the_best_model_is_kept_and_the_others_go(tmp_path):
    folder = tmp_path / "sweep" / "adult"
    assert kept_model(folder) is None
    assert offer(folder, "b", 0.7) == folder / "b"
    assert offer(folder, "c", 0.6) is None
    assert offer(folder, "c", 0.7) is None
    assert offer(folder, "a", 0.7) == folder / "a"  # of equals the smaller id, in whatever order they end
    assert offer(folder, "d", float("nan")) is None
    assert offer(folder, "d", 0.9) == folder / "d"
    assert kept_model(folder) == (KeptModel("d", 0.9, "maximize"), folder / "d")
    assert [each.name for each in folder.iterdir() if each.is_dir()] == ["d"]


def test_a_best_model_that_cannot_be_read_now_gives_way_to_no_other(tmp_path, monkeypatch):
    offer(tmp_path, "good", 0.9)

    def refuse(*_arguments, **_options):
        raise OSError(errno.EMFILE, "too many open files")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "read_text", refuse)
        with pytest.raises(OSError, match="too many open files"):
            offer(tmp_path, "bad", 0.1)
    assert kept_model(tmp_path) == (KeptModel("good", 0.9, "maximize"), tmp_path / "good")
    (tmp_path / "best.json").write_text('{"trial_id": "go')
    assert kept_model(tmp_path) is None
    assert offer(tmp_path, "next", 0.2) == tmp_path / "next"


def test_less_is_better_for_an_error(tmp_path):
    offer(tmp_path, "a", 2.0, "minimize")
    assert offer(tmp_path, "b", 3.0, "minimize") is None
    assert offer(tmp_path, "c", 1.0, "minimize") == tmp_path / "c"


def _offer_and_die(folder: str, step: int) -> None:
    left = [step]

    def counted(act):
        def acting(*arguments, **options):
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return act(*arguments, **options)

        return acting

    for name in ("mkdir", "replace", "fsync", "rmdir", "unlink", "open"):
        setattr(os, name, counted(getattr(os, name)))
    offer(Path(folder), "new", 0.9)
    os._exit(7)


def test_killed_at_any_step_a_whole_model_stands_there(tmp_path):
    context = multiprocessing.get_context("fork")
    step = 0
    while True:
        step += 1
        folder = tmp_path / str(step)
        offer(folder, "old", 0.5)
        keeping = context.Process(target=_offer_and_die, args=(str(folder), step))
        keeping.start()
        keeping.join()
        kept, path = kept_model(folder)
        assert kept.trial_id in ("old", "new")
        assert (path / "weights").read_text() == kept.trial_id
        if keeping.exitcode == 7:
            assert kept.trial_id == "new"
            break
    assert step > 5


def test_the_engine_keeps_the_best_trials_model(engine, tmp_path, make_request, make_table):
    from ludwig.api import LudwigModel

    table = make_table()
    results = []
    for number, rate in enumerate((1e-5, 0.02, 1e-4)):
        request = dataclasses.replace(make_request(table, epochs=2, rate=rate), trial_id=f"t{number}", keep_best_in=tmp_path / "toy")
        results.append(engine.run(request))
    best = max(results, key=lambda result: result.validation_score)
    kept, path = kept_model(tmp_path / "toy")
    assert (kept.trial_id, kept.score) == (best.trial_id, best.validation_score)
    assert best.model_path == path
    assert LudwigModel.load(str(path), backend="local").config["trainer"]["learning_rate"] == pytest.approx(0.02)

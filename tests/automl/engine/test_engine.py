from __future__ import annotations

import dataclasses
import json
import random

import numpy as np
import pandas as pd
import pytest

from automl import MachineError, TrialEngine, ludwig_frame, score
from automl._engine import _diagnose


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_a_trial_learns_and_tells_all_about_itself(engine, task, make_request, make_table):
    table = make_table(task, rows=400)
    result = engine.run(make_request(table, epochs=8, rate=0.02))
    assert result.status == "completed", result.error
    assert [report.epoch for report in result.curve] == list(range(1, 9))
    choose = max if result.direction == "maximize" else min
    assert result.validation_score == choose(report.score for report in result.curve)
    truth = table.frame["y"][table.split == 2]
    if task == "binary":
        assert result.test_score > 0.8
    elif task == "multiclass":
        assert result.test_score < np.log(3)
        assert {"accuracy", "macro_f1"} <= set(result.extra_scores)
    else:
        assert result.test_score < 0.6 * truth.std()
    assert 0 < result.train_seconds < result.wall_seconds
    assert result.peak_memory_bytes > 50e6
    assert result.n_parameters > 32
    assert json.loads(result.config)["combiner"]["type"] == "concat"
    assert result.versions["ludwig"].startswith("0.17")


@pytest.mark.parametrize("model_type", ["concat", "tabnet", "ft_transformer"])
def test_results_depend_on_the_seed_and_not_on_what_ran_before(engine, model_type, make_request, make_table):
    table = make_table()
    first = engine.run(make_request(table, model_type, epochs=2))
    other = engine.run(make_request(table, model_type, epochs=2, seed=2))
    random.random()
    np.random.rand(7)  # noqa: NPY002 - the global state is the point
    again = engine.run(make_request(table, model_type, epochs=2))
    assert [(r.score, r.train_loss) for r in first.curve] == [(r.score, r.train_loss) for r in again.curve]
    assert first.test_score == again.test_score
    assert [r.train_loss for r in first.curve] != [r.train_loss for r in other.curve]


def test_the_weights_of_the_best_epoch_are_scored_and_saved(engine, tmp_path, make_request, make_table):
    from ludwig.api import LudwigModel

    table = make_table(rows=120)
    request = make_request(table, epochs=6, rate=0.3, batch=16, save_model_to=tmp_path / "model")
    result = engine.run(request)
    best = max(result.curve, key=lambda report: report.score)
    assert best.epoch < 6, "the run must get worse for this test to say something"
    assert result.model_path == tmp_path / "model"

    model = LudwigModel.load(str(tmp_path / "model"))
    for part, expected in ((1, result.validation_score), (2, result.test_score)):
        rows = table.frame[table.split == part]
        predicted, _ = model.predict(dataset=ludwig_frame(rows, table.features), skip_save_predictions=True)
        classes = model.training_set_metadata["y"]["idx2str"]
        shares = np.column_stack([predicted[f"y_probabilities_{name}"] for name in classes])
        assert score("binary", rows["y"], shares, classes=classes, positive="yes").score == pytest.approx(expected, abs=1e-6)

    shorter = engine.run(make_request(table, epochs=best.epoch, rate=0.3, batch=16))
    assert shorter.test_score == result.test_score


def test_a_saved_regression_model_predicts_on_the_target_scale(engine, tmp_path, make_request, make_table):
    from ludwig.api import LudwigModel

    table = make_table("regression")
    result = engine.run(make_request(table, "ft_transformer", save_model_to=tmp_path / "model"))
    rows = table.frame[table.split == 2]
    predicted, _ = LudwigModel.load(str(tmp_path / "model")).predict(dataset=ludwig_frame(rows, table.features), skip_save_predictions=True)
    assert score("regression", rows["y"], predicted["y_predictions"]).score == pytest.approx(result.test_score, rel=1e-4)


def test_stopped_early_when_told_so(engine, make_request, make_table):
    told = []
    result = engine.run(make_request(make_table(), epochs=6), on_epoch=lambda report: told.append(report) or len(told) < 2)
    assert result.status == "stopped_early"
    assert len(result.curve) == 2
    assert tuple(told) == result.curve
    assert result.test_score is not None


def test_time_waited_for_on_epoch_is_not_training_time(engine, make_request, make_table):
    import time

    result = engine.run(make_request(make_table(), epochs=3, time_limit=2.8), on_epoch=lambda _: time.sleep(1.5) or True)
    assert result.status == "completed"
    assert result.wall_seconds - result.train_seconds > 2.9


def test_diverged_on_an_absurd_learning_rate(engine, make_request, make_table):
    request = make_request(
        make_table("regression"), epochs=4, rate=1.0, **{"trainer.optimizer.type": "sgd", "trainer.optimizer.momentum": 0.99}
    )
    scaled = dataclasses.replace(
        request, hyperparameters=dict(request.hyperparameters) | {"trainer.gradient_clipping.clipglobalnorm": 1e30}
    )
    result = engine.run(scaled)
    assert result.status == "diverged", result
    assert "not finite" in result.error


def test_timed_out(engine, make_request, make_table):
    result = engine.run(make_request(make_table(rows=2000), epochs=10_000, batch=4, time_limit=0.3))
    assert result.status == "timed_out"
    assert 0.3 <= result.train_seconds < 5


@pytest.mark.parametrize(
    "bad",
    [{"combiner.dropout": 7}, {"combiner.no_such": 1}, {"no_such.part": 1}, {"trainer.epochs": 3}, {"trainer.optimizer.type": "magic"}],
)
def test_a_bad_configuration_fails_in_one_line(engine, bad, make_request, make_table):
    result = engine.run(make_request(make_table(), **bad))
    assert result.status == "failed"
    assert result.error
    assert "\n" not in result.error
    assert result.test_score is None


def test_memory_that_runs_out_is_told_from_other_faults():
    import torch

    assert _diagnose(MemoryError())[0] == "out_of_memory"
    assert _diagnose(torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB"))[0] == "out_of_memory"
    with pytest.raises(RuntimeError) as caught:
        torch.empty(2**55)
    assert _diagnose(caught.value)[0] == "out_of_memory"
    assert _diagnose(RuntimeError("shapes differ"))[0] == "failed"


def test_a_place_that_cannot_be_written_to_is_no_result(tmp_path, make_request, make_table):
    (tmp_path / "file").write_text("where a folder is to be")
    kept = []
    recorder = type("Recorder", (), {"record": lambda _self, _request, result: kept.append(result)})()
    with pytest.raises(MachineError, match="trials cannot be run on"):
        TrialEngine(tmp_path / "file" / "prepared", recorder, device="cpu").run(make_request(make_table()))
    assert not kept


def test_batches_larger_than_the_training_part_and_last_batches_of_one_row(engine, make_request, make_table):
    whole = make_table(rows=100)
    assert engine.run(make_request(whole, batch=4096, epochs=2)).status == "completed"
    table = make_table(rows=108)  # 64 training rows
    table = dataclasses.replace(table, split=np.where(np.arange(108) < 65, 0, np.where(np.arange(108) < 86, 1, 2)).astype(np.int8))
    for model_type, more in (("concat", {"combiner.norm": "batch"}), ("tabnet", {"combiner.bn_virtual_bs": 16})):
        result = engine.run(make_request(table, model_type, batch=32, epochs=3, **more))
        assert result.status == "completed", result.error
        assert [report.epoch for report in result.curve] == [1, 2, 3]
        assert result.curve[-1].step == 6  # the 65th row is left out of each epoch


def test_a_class_that_only_the_test_part_holds(engine, make_request, make_table):
    table = make_table("multiclass", rows=200)
    frame = table.frame.copy()
    frame.loc[frame.index[-1], "y"] = "unseen"
    result = engine.run(make_request(dataclasses.replace(table, frame=frame, fingerprint="unseen"), epochs=2))
    assert result.status == "completed", result.error
    assert np.isfinite(result.test_score)


def test_labels_that_look_like_numbers_stay_labels(engine, make_request, make_table):
    table = make_table("multiclass", rows=200)
    frame = table.frame.assign(y=table.frame["y"].map({"low": "1", "mid": "2", "high": "10"}).astype(object))
    result = engine.run(make_request(dataclasses.replace(table, frame=frame, fingerprint="digits"), epochs=4, rate=0.03))
    assert result.status == "completed", result.error
    assert result.extra_scores["accuracy"] > 0.5


def test_a_validation_part_of_one_class_is_told(engine, make_request, make_table):
    table = make_table()
    frame = table.frame.copy()
    frame.loc[table.split == 1, "y"] = "no"
    result = engine.run(make_request(dataclasses.replace(table, frame=frame, fingerprint="one class")))
    assert result.status == "failed"
    assert "auc is not defined" in result.error


def test_the_recorder_has_the_result_before_it_is_returned(prepared_root, make_request, make_table):
    class Recorder:
        def __init__(self):
            self.records = []

        def record(self, request, result):
            self.records.append((request.labels["sweep_id"], result.trial_id, result.status))

    recorder = Recorder()
    result = TrialEngine(prepared_root, recorder, device="cpu").run(make_request(make_table()))
    assert recorder.records == [("s", result.trial_id, "completed")]

    class Full(Recorder):
        def record(self, request, result):
            raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        TrialEngine(prepared_root, Full(), device="cpu").run(make_request(make_table()))


def test_nothing_is_left_in_the_working_directory(engine, tmp_path, monkeypatch, make_request, make_table):
    monkeypatch.chdir(tmp_path)
    engine.run(make_request(make_table(seed=9)))
    assert list(tmp_path.iterdir()) == []


def test_index_and_order_of_rows_do_not_matter_to_the_split(engine, make_request, make_table):
    table = make_table()
    frame = table.frame.set_axis(pd.Index(range(1000, 1000 + len(table.frame))))
    plain, moved = (engine.run(make_request(dataclasses.replace(table, frame=each))) for each in (table.frame, frame))
    assert plain.test_score == moved.test_score

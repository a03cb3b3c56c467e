"""A trial told again: what a longer, a shorter or a broken run of it answers, and what it does not."""

from datetime import UTC, datetime

import pytest

from automl import EpochReport, TrialResult
from automl._replay import Replay


def result(scores, status="completed", direction="maximize"):
    curve = tuple(EpochReport(epoch, epoch, float(epoch), score) for epoch, score in enumerate(scores, 1))
    known = [score for score in scores if score is not None]
    best = (max if direction == "maximize" else min)(known) if known else None
    return TrialResult(
        "t", "concat", {}, status, "auc", direction, best, best, {}, curve, float(len(scores)), 0.5, len(scores) + 1.0, 1, 1, "{}", "cpu",
        "n", {}, datetime(2026, 1, 1, tzinfo=UTC), error=None if status == "completed" else "why",
    )  # fmt: skip


def test_nothing_is_known_of_a_new_trial():
    replay = Replay()
    assert replay.whole is None
    assert replay.report(0) is None
    assert replay.stopped(1) is None


def test_a_whole_trial_answers_to_its_end():
    whole = result([0.5, 0.7, 0.6])
    replay = Replay([result([0.5], "stopped_early"), whole])
    assert [replay.report(place) for place in range(4)] == [*whole.curve, None]
    assert replay.whole is whole
    assert replay.stopped(3) is whole


def test_a_longer_run_answers_for_a_shorter_one_when_its_best_epoch_is_among_those():
    replay = Replay([result([0.5, 0.7, 0.6, 0.7])])
    assert replay.stopped(1) is None
    cut = replay.stopped(2)
    assert (cut.status, len(cut.curve), cut.validation_score, cut.test_score, cut.train_seconds) == ("stopped_early", 2, 0.7, 0.7, 2.0)
    least = Replay([result([0.5, 0.3, 0.4], direction="minimize")])
    assert least.stopped(1) is None
    assert least.stopped(2).validation_score == 0.3


def test_a_stopped_trial_answers_for_its_own_epochs():
    stopped = result([0.5, 0.7], "stopped_early")
    replay = Replay([result([0.5], "stopped_early"), stopped])
    assert replay.whole is None
    assert replay.report(1) == stopped.curve[1]
    assert replay.report(2) is None
    assert replay.stopped(2) is stopped
    assert len(replay.stopped(1).curve) == 1


@pytest.mark.parametrize("status", ["diverged", "out_of_memory", "failed", "timed_out"])
def test_a_broken_trial_breaks_again_unless_it_is_given_up_before(status):
    broken = result([0.7, 0.5], status)
    replay = Replay([broken])
    assert replay.report(2) is None
    assert replay.whole is broken
    assert replay.stopped(2) is None
    cut = replay.stopped(1)
    assert (cut.status, cut.error) == ("stopped_early", None)
